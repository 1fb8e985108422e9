"""Tool calls by what an eval file says of them: a tool's name, and its arguments.

A name is the tool's own or its kind, as a glob. An argument is named as the client names it or by
its canonical name; its value is a literal, a glob or a ``/pattern/``. Paths are also compared
relative to the folder that the session ran in, so that one eval file fits every client.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_agentv.globs import fits, fitting
from pytest_agentv.graders.expected_texts import meaning_of
from pytest_agentv.graders.grade import Evidence
from pytest_agentv.graders.path_forms import path_forms
from pytest_agentv.graders.patterns import (
    SearchClock,
    limited_find,
    matching_texts,
    search,
)
from pytest_agentv.graders.phrases import excerpt

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from pytest_agentv.transcript.model import ToolCall, Transcript

    ArgsMode: TypeAlias = Literal["exact", "superset", "subset", "ignore"]

_PATHS = frozenset({"path", "paths"})
_TELLING = ("command", "path", "query", "url", "pattern")
_MISSING: Any = object()


class Step(NamedTuple):
    """One call of a session, and where it stands."""

    call: ToolCall
    # Of the message that made it, counted from 1.
    message: int
    # The folder of the session.
    cwd: str | None = None

    @property
    def text(self) -> str:
        """The call on one line."""
        return described(self.call, self.cwd)

    @property
    def evidence(self) -> Evidence:
        """Where one can see it."""
        return Evidence(self.message, self.call.line, self.text)


def steps(transcript: Transcript) -> list[Step]:
    """Every call in order, those of sub-agents included."""
    return [
        Step(call, number, transcript.source.cwd)
        for number, message in enumerate(transcript.output, 1)
        for call in message.tool_calls
    ]


def described(call: ToolCall, cwd: str | None = None) -> str:
    """A call on one line: its tool and its most telling argument, a path as seen from a folder."""
    tool = excerpt(call.tool)
    for name in _TELLING:
        value = call.args.get(name)
        if isinstance(value, str):
            return f"{tool} {excerpt(_near(value, cwd) if name == 'path' else value)}"
    paths = ", ".join(_near(path, cwd) for path in call.paths[:5])
    return f"{tool} {excerpt(paths)}" if paths else tool


def _near(path: str, cwd: str | None) -> str:
    *_, seen = path_forms(path, cwd)
    return seen


def arguments_named(call: ToolCall, name: str) -> list[Any]:
    """The values an argument has: by its native name, and by its canonical one."""
    native = native_arguments(call)
    values = [native[name]] if name in native else []
    if name in call.args and not (values and values[0] == call.args[name]):
        values.append(call.args[name])
    return values


def native_arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments by the names that the client gives them, if they have names."""
    return call.input if isinstance(call.input, dict) else {}


def arguments_known(call: ToolCall) -> bool:
    """Whether the session says anything of a call's arguments, if only that there are none."""
    return call.input is not None or bool(call.args)


class Matcher:
    """Compares calls of one session with what is expected; made anew for every grading.

    Patterns share one limit of time; what exceeds it raises NotGradable.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._cwd = transcript.source.cwd
        self._stopwatch = SearchClock()
        self._long_find = partial(limited_find, stopwatch=self._stopwatch)

    def is_tool(self, call: ToolCall, name: str) -> bool:
        """Whether a glob is the native name of a call's tool, or its kind."""
        return self.is_name(call.tool, name) or self.is_name(call.kind, name)

    def is_name(self, text: str, name: str, *, fold: bool = False) -> bool:
        """Whether a text fits a glob; with ``fold`` upper and lower case are the same."""
        return fits(text, name, fold=fold, long_find=self._long_find)

    def names_like(self, texts: Collection[str], name: str) -> list[str]:
        """Those of many different texts that fit a glob."""
        return fitting(texts, name, long_find=self._long_find)

    def texts_like(self, texts: Collection[str], expected: str) -> list[str]:
        """Those of many different texts of which ``is_text`` is true."""
        meaning = meaning_of(expected)
        if not isinstance(meaning, tuple):
            return self.names_like(texts, expected)
        pattern, flags = meaning
        found = matching_texts(pattern, texts, flags=flags, clock=self._stopwatch)
        return [expected, *found] if expected in texts else found

    def texts_of(self, call: ToolCall, name: str) -> Iterator[str]:
        """The texts an argument has; a path has several. One of them must be the expected one."""
        names_files = not _PATHS.isdisjoint(call.args)
        paths = call.paths if names_files else ()
        if names_files and name in _PATHS:
            for path in paths:
                yield from self.forms_of(path)
            return
        for value in arguments_named(call, name):
            if isinstance(value, str):
                yield value
                if value in paths:
                    yield from self.forms_of(value)

    def is_path(self, path: str, expected: str) -> bool:
        """Whether a path is the expected one, as it stands or seen from the session's folder."""
        return any(self.is_text(form, expected) for form in self.forms_of(path))

    def forms_of(self, path: str) -> Iterator[str]:
        """A path with slashes, tidied up, and relative to the session's folder if it is there."""
        return path_forms(path, self._cwd)

    def is_text(self, text: str, expected: str) -> bool:
        """Whether a text is a literal, fits a glob as a whole, or holds a ``/pattern/``."""
        if text == expected:
            return True
        meaning = meaning_of(expected)
        if meaning == "literal":
            return False
        if meaning == "glob":
            return fits(text, expected, long_find=self._long_find)
        pattern, flags = meaning
        return search(pattern, text, flags=flags, stopwatch=self._stopwatch) is not None

    def is_value(self, value: Any, expected: Any, *, exact: bool = False) -> bool:
        """Whether a value is the expected one; unless ``exact``, objects may hold more."""
        if isinstance(expected, str):
            return isinstance(value, str) and self.is_text(value, expected)
        if isinstance(expected, dict):
            return (
                isinstance(value, dict)
                and (not exact or value.keys() == expected.keys())
                and all(
                    key in value and self.is_value(value[key], one, exact=exact)
                    for key, one in expected.items()
                )
            )
        if isinstance(expected, list):
            return (
                isinstance(value, list)
                and len(value) == len(expected)
                and all(
                    self.is_value(one, other, exact=exact)
                    for one, other in zip(value, expected, strict=True)
                )
            )
        if isinstance(expected, bool) or isinstance(value, bool):
            return value is expected
        return bool(value == expected)

    def is_argument(self, call: ToolCall, name: str, expected: Any, *, exact: bool = False) -> bool:
        """Whether an argument, by its native or canonical name, is the expected one."""
        if isinstance(expected, str):
            return any(self.is_text(text, expected) for text in self.texts_of(call, name))
        if (
            name in _PATHS
            and not _PATHS.isdisjoint(call.args)
            and isinstance(expected, list)
            and all(isinstance(one, str) for one in expected)
        ):
            return self._are_paths(call.paths, expected, exact=exact)
        native = native_arguments(call)
        if name in native and self.is_value(native[name], expected, exact=exact):
            return True
        return name in call.args and self.is_value(call.args[name], expected, exact=exact)

    def _are_paths(self, paths: tuple[str, ...], expected: list[str], *, exact: bool) -> bool:
        return (not exact or len(paths) == len(expected)) and all(
            any(self.is_path(path, one) for path in paths) for one in expected
        )

    def different(
        self,
        call: ToolCall,
        expected: Mapping[str, Any],
        mode: ArgsMode | tuple[str, ...] = "superset",
    ) -> list[str]:
        """The names of the arguments that are not as expected; none if the call matches.

        ``superset``: the call has all that is expected. ``subset``: it has nothing else.
        ``exact``: both. Names, with dots for what lies deeper: only these are compared, as far as
        something is expected of them.
        """
        if mode == "ignore":
            return []
        if isinstance(mode, tuple):
            return self._different_at(call, expected, mode)
        if mode == "superset":
            return self._wrong(call, expected, expected, exact=False)
        exact = mode == "exact"
        # By the names of the client, or by those that all clients share: one of both must do.
        by_native = self._wrong_among(call, expected, native_arguments(call).keys(), exact=exact)
        if not by_native or not call.args:
            return by_native
        by_canonical = self._wrong_among(call, expected, call.args.keys(), exact=exact)
        return min(by_native, by_canonical, key=len)

    def matches(
        self,
        call: ToolCall,
        expected: Mapping[str, Any],
        mode: ArgsMode | tuple[str, ...] = "superset",
    ) -> bool:
        """Whether nothing is different; quicker than to find out what is."""
        if mode != "superset":
            return not self.different(call, expected, mode)
        for name, one in expected.items():  # noqa: SIM110 (a loop is quicker)
            if not self.is_argument(call, name, one):
                return False
        return True

    def _wrong_among(
        self, call: ToolCall, expected: Mapping[str, Any], names: Iterable[str], *, exact: bool
    ) -> list[str]:
        """What is wrong if a call has just these arguments."""
        names = list(names)
        extra = [name for name in names if name not in expected]
        compared = expected if exact else [name for name in names if name in expected]
        return [*self._wrong(call, expected, compared, exact=exact), *extra]

    def _wrong(
        self, call: ToolCall, expected: Mapping[str, Any], names: Iterable[str], *, exact: bool
    ) -> list[str]:
        return [
            name for name in names if not self.is_argument(call, name, expected[name], exact=exact)
        ]

    def _different_at(
        self, call: ToolCall, expected: Mapping[str, Any], paths: tuple[str, ...]
    ) -> list[str]:
        wrong = []
        for path in paths:
            if path in expected:
                holds = self.is_argument(call, path, expected[path])
            else:
                name, *deeper = path.split(".")
                wanted = value_at(expected, path)
                found = (_below(value, deeper) for value in arguments_named(call, name))
                holds = wanted is None or any(self.is_value(one, wanted[0]) for one in found)
            if not holds:
                wrong.append(path)
        return wrong


def value_at(values: Mapping[str, Any], path: str) -> tuple[Any] | None:
    """What a name, or names with dots between them, lead to; None if there is nothing."""
    found = values[path] if path in values else _below(values, path.split("."))
    return None if found is _MISSING else (found,)


def _below(value: Any, names: list[str]) -> Any:
    for name in names:
        value = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
    return value
