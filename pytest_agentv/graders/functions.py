"""Assertions that are Python functions: ``@pytest_agentv.assertion("has-citation")``.

Light on purpose: conftest.py files import it, and so it loads nothing but the standard library.
"""

from __future__ import annotations

import inspect
import re
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pytest_agentv.errors import PluginError
from pytest_agentv.graders.grade import Grade

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_agentv.transcript.model import Transcript

_MARK = "__agentv_assertion__"
_NAME = re.compile(r"(?!not-)[a-z][a-z0-9]*([:_-][a-z0-9]+)*")
_Function = TypeVar("_Function", bound="Callable[..., Any]")


def assertion(name: str) -> Callable[[_Function], _Function]:
    """Make a function an assertion type that eval files can use by this name.

    The function may take ``transcript``, ``value``, other keys of the entry, and any pytest
    fixture. It returns a bool, a score from 0 to 1, a ``Grade``, or it asserts.
    """
    if callable(name):  # types forbid it, and who writes it sees none
        shown = str(getattr(name, "__name__", "name")).replace("_", "-")
        raise PluginError(f'an assertion needs a name: @assertion("{shown}")')
    if not _NAME.fullmatch(name):
        raise PluginError(
            f"no assertion can be named {name!r}: use small letters, digits and single hyphens, "
            "and do not begin with 'not-'"
        )

    def mark(function: _Function) -> _Function:
        if not callable(function):
            raise PluginError(f"assertion {name!r} is no function but {function!r}")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise PluginError(f"assertion {name!r} is async or a generator; use a plain function")
        setattr(function, _MARK, name)
        return function

    return mark


def assertions_in(namespace: Mapping[str, Any]) -> list[FunctionGrader]:
    """The assertions among the names of a module."""
    found = {
        id(one): FunctionGrader(getattr(one, _MARK), one)
        for one in namespace.values()
        if inspect.isfunction(one) and hasattr(one, _MARK)
    }
    return list(found.values())


class Outcomes(NamedTuple):
    """Exceptions by which a function says that an assertion fails, or is not evaluable."""

    failures: tuple[type[BaseException], ...] = (AssertionError,)
    skips: tuple[type[BaseException], ...] = ()
    # They say nothing of the assertion, though they may be failures by their class.
    refused: tuple[type[BaseException], ...] = ()
    # Whether it was not the function that raised such a failure, but who watches the clock.
    is_timeout: Callable[[BaseException], bool] = lambda _: False


class FunctionGrader:
    """An assertion type that is a Python function."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.function = function
        self.parameters = inspect.signature(function).parameters

    @property
    def place(self) -> str:
        """Where the function is defined."""
        code = self.function.__code__
        return f"{code.co_filename}:{code.co_firstlineno}"

    def bind(self, keys: Mapping[str, Any]) -> BoundFunction:
        """The function with an entry's keys; KeyError names one that it does not take."""
        takes_any = any(one.kind is one.VAR_KEYWORD for one in self.parameters.values())
        for key in keys:
            if key not in self.takes and not takes_any:
                raise KeyError(key)
        fixtures = tuple(
            name
            for name, one in self.parameters.items()
            if name not in keys
            and name not in ("transcript", "value")
            and one.default is one.empty
            and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        )
        return BoundFunction(self, dict(keys), fixtures)

    @property
    def takes(self) -> tuple[str, ...]:
        """Keys that an entry may have."""
        return tuple(name for name in self.parameters if name != "transcript")

    @property
    def needs_value(self) -> bool:
        """Whether an entry has to have a ``value``."""
        value = self.parameters.get("value")
        return value is not None and value.default is value.empty


class BoundFunction:
    """A function with the keys of one entry; fixtures and the transcript are still to come."""

    def __init__(
        self, grader: FunctionGrader, keys: dict[str, Any], fixtures: tuple[str, ...]
    ) -> None:
        self.fixtures = fixtures
        self._grader = grader
        self._keys = keys

    def grade(
        self, transcript: Transcript, fixtures: Mapping[str, Any], outcomes: Outcomes
    ) -> Grade:
        """Call the function and take what it says for a grade."""
        __tracebackhide__ = True
        name = self._grader.name
        arguments = {**self._keys, **{one: fixtures[one] for one in self.fixtures}}
        if "transcript" in self._grader.parameters:
            arguments["transcript"] = transcript
        claim = f"{name} holds"
        try:
            said = self._grader.function(**arguments)
        except outcomes.refused as exc:
            raise PluginError(f"assertion {name!r} raised {type(exc).__name__}: {exc}") from exc
        except outcomes.failures as exc:
            if outcomes.is_timeout(exc):
                raise
            first = (str(exc).strip() or type(exc).__name__).splitlines()[0]
            return Grade("failed", first, claim=claim, cause=exc)
        except outcomes.skips as exc:
            return Grade("skipped", str(exc), claim=claim, cause=exc)
        return _grade(name, said, claim)


def _grade(name: str, said: object, claim: str) -> Grade:
    if isinstance(said, Grade):
        return said
    if said is None:  # it asserts, and nothing was wrong
        return Grade("passed", claim=claim)
    if isinstance(said, bool):
        return Grade("passed" if said else "failed", f"it returned {said}", claim=claim)
    if isinstance(said, Real):
        score = float(said)
        if not 0 <= score <= 1:  # NaN is neither
            raise PluginError(f"assertion {name!r} returned {said!r}; a score is from 0 to 1")
        return Grade("passed" if score == 1 else "failed", claim=claim, score=score)
    kind = type(said).__name__
    raise PluginError(
        f"assertion {name!r} returned a {kind}; it must return a bool, a score from 0 to 1, or a "
        "Grade, or assert"
    )
