"""Node ids with the provider in the middle: ``auth.eval.yaml::adds-jwt[claude-cli]::contains-JWT``.

pytest takes whatever follows the first bracket of an id for the parameters of a function. So it
finds no such id on its command line, and since version 9.2 shows it with one more bracket and
forgets it between runs. What is wanted is put right here, by attributes that pytest itself sets.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pytest

from pytest_agentv.engine.names import slug

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Of each case the assertions that were asked for; none means all of them.
Selected: TypeAlias = dict[str, set[str]]
_selected = pytest.StashKey[dict[str, Selected]]()

# The last bracket is what pytest 9.2 shows, and people copy.
_ASSERTION_ID = re.compile(
    r"(?i)(?P<file>.+?\.ya?ml)::(?P<case>[^\[\]]+(?:\[[^\]]*\])?)::(?P<name>[^\]]+)\]?"
)
# Name of the plugin that keeps a run, and of what it tells workers of pytest-xdist.
KEPT = "agentv-results"
PHASES = ("setup", "call", "teardown")
_LEAVING_OUT = ("keyword", "markexpr", "lf", "stepwise", "deselect", "ignore", "ignore_glob")
_CASE_ID = re.compile(r"(?i)(?P<file>.+?\.ya?ml)::(?P<case>.+)")


def take_selected(config: pytest.Config) -> None:
    """Take assertions out of pytest's arguments; their files stay there, to be collected."""
    selected: dict[str, Selected] = {}
    others = []
    for argument in config.args:
        found = _ASSERTION_ID.fullmatch(argument)
        if found is None:
            others.append(argument)
        else:
            cases = selected.setdefault(_absolute(found["file"], config), {})
            cases.setdefault(found["case"], set()).add(found["name"])
    for argument in list(others):
        found = _CASE_ID.fullmatch(argument)
        path = _absolute(argument if found is None else found["file"], config)
        if path not in selected:
            continue
        if found is None:
            del selected[path]  # the whole file
        else:
            others.remove(argument)
            selected[path][found["case"]] = set()
    config.stash[_selected] = selected
    config.args[:] = [*others, *selected]


class AssertionParts(NamedTuple):
    """What the id of an assertion says."""

    file: str
    # With the bracket, if there is one.
    case: str
    name: str

    @property
    def test_id(self) -> str:
        """The case without its session."""
        return self.case.partition("[")[0]

    def provider(self, known: Iterable[str]) -> str | None:
        """The provider, if it is one of these; else all that the bracket says."""
        bracket = self.case.partition("[")[2].removesuffix("]")
        fitting = [one for one in known if f"{bracket}-".startswith(f"{slug(one, len(one))}-")]
        return max(fitting, key=len, default=bracket or None)


def crashed_parts(report: pytest.TestReport) -> AssertionParts | None:
    """Which assertion took a worker of pytest-xdist with it, if the report says that one did.

    Such a report is made by pytest-xdist, and all that it knows is an id.
    """
    if report.when in PHASES or not report.failed:
        return None
    return parts_of(report.nodeid)


def parts_of(nodeid: str) -> AssertionParts | None:
    """What the id of an assertion says; None if it is another's."""
    found = _ASSERTION_ID.fullmatch(nodeid)
    return None if found is None else AssertionParts(found["file"], found["case"], found["name"])


def is_selective(config: pytest.Config) -> bool:
    """Whether single tests were asked for by their ids."""
    return bool(config.stash.get(_selected, {})) or any("::" in one for one in config.args)


def is_partial(config: pytest.Config) -> bool:
    """Whether some tests were left out, by their ids or in any other way that pytest has."""
    return is_selective(config) or any(config.getoption(one, default=None) for one in _LEAVING_OUT)


def names_selected(config: pytest.Config, path: Path) -> Selected | None:
    """The assertions of each case that were asked for; None if all of the file was."""
    return config.stash.get(_selected, {}).get(str(path))


def restore_id(owner: Any) -> None:
    """Make the id of an item or a report what it says, where pytest has ids that are no texts."""
    structured: Any = getattr(owner, "_id", None)
    if structured is None or isinstance(structured, str) or hasattr(structured, "restored"):
        return
    try:
        text = str(structured)
        parsed = type(structured).parse(text)
        if parsed.params is not None and "]::" in parsed.params:
            kind = _kind(structured.__class__)
            restored = kind(path=parsed.path, names=parsed.names, params=parsed.params)
            object.__setattr__(restored, "written", text.removesuffix("]"))
            owner._id = restored  # noqa: SLF001 (nobody else can set it)
    except (AttributeError, TypeError, ValueError):
        return  # a pytest that has other ids; only their looks suffer


@cache
def _kind(base: Any) -> Any:
    """Ids whose bracket is in the middle; equal to what pytest makes of their text."""

    class AssertionId(base):  # type: ignore[misc]  # pytest's own class, whose name is private
        __slots__ = ("written",)
        restored = True
        written: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, base) and _key(self) == _key(other)

        __hash__ = base.__hash__

        def __str__(self) -> str:
            return self.written

        @property
        def rest(self) -> str:
            return f"{'::'.join(self.names)}[{self.params}"

    return AssertionId


def _key(node_id: Any) -> tuple[Any, ...]:
    return node_id.path, node_id.names, node_id.params


def _absolute(argument: str, config: pytest.Config) -> str:
    return os.path.normpath(config.invocation_params.dir / argument)
