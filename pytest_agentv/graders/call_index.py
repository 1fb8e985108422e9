"""The calls of a session by tool and by arguments, for the many that an eval file may expect.

500 expected calls on 10,000 would be five million comparisons. Calls are put together by what they
share instead: each tool's name and each text of an argument is compared once, however many calls
have it, and what an expected call asks for is looked up from what is quickest to what is slowest.
Sets of calls are numbers, as in `alignment`: bit ``j`` stands for call ``j``.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from pytest_agentv.graders.alignment import bits_of, positions_of
from pytest_agentv.graders.calls import arguments_known, native_arguments
from pytest_agentv.graders.expected_texts import is_costly

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_agentv.graders.calls import ArgsMode, Matcher, Step


class CallIndex:
    """The calls of one session; made anew for every grading."""

    def __init__(self, made: Sequence[Step], matcher: Matcher) -> None:
        self._matcher = matcher
        by_tool: dict[tuple[str, str], list[int]] = {}
        for position, (call, *_) in enumerate(made):
            by_tool.setdefault((call.tool, call.kind), []).append(position)
        # By native name and by kind.
        self._tools: dict[str, list[_CallsOfATool]] = {}
        for names, positions in by_tool.items():
            calls = _CallsOfATool(made, positions, matcher)
            for name in dict.fromkeys(names):
                self._tools.setdefault(name, []).append(calls)
        self._named: dict[str, list[_CallsOfATool]] = {}

    def named(self, tool: str) -> int:
        """The calls whose tool has this name, or this kind."""
        return _union(calls.all for calls in self._called(tool))

    def unknown(self, tool: str) -> int:
        """Those of which the session does not say with which arguments."""
        return _union(calls.unknown for calls in self._called(tool))

    def matching(
        self, tool: str, expected: Mapping[str, Any], mode: ArgsMode | tuple[str, ...]
    ) -> int:
        """The calls of a tool whose arguments are known, and are the expected ones."""
        return _union(calls.matching(expected, mode) for calls in self._called(tool))

    def _called(self, tool: str) -> list[_CallsOfATool]:
        if tool not in self._named:
            names = self._matcher.names_like(self._tools, tool)
            every = chain.from_iterable(self._tools[name] for name in names)
            self._named[tool] = list(dict.fromkeys(every))
        return self._named[tool]


class _CallsOfATool:
    """The calls of one tool by their arguments."""

    def __init__(self, made: Sequence[Step], positions: list[int], matcher: Matcher) -> None:
        self._made = made
        self._matcher = matcher
        known = [one for one in positions if arguments_known(made[one].call)]
        self.all = bits_of(positions, len(made))
        self._known = known
        self._all_known = bits_of(known, len(made))
        self.unknown = self.all & ~self._all_known
        # By the name of an argument: the calls that have each text.
        self._texts: dict[str, dict[str, list[int]]] = {}
        # By the native and canonical names of all arguments.
        self._shapes: dict[tuple[frozenset[str], frozenset[str]], int] = {}

    def matching(self, expected: Mapping[str, Any], mode: ArgsMode | tuple[str, ...]) -> int:
        if isinstance(mode, tuple):
            return self._having_listed(expected, mode)
        if mode == "ignore":
            return self._all_known
        if mode == "superset":
            return self._having(expected, expected, self._all_known, exact=False)
        exact = mode == "exact"
        found = 0
        # By the names of the client, or by those that all clients share: one of both must do.
        for (native, canonical), calls in self._by_shape().items():
            for names in (native, canonical) if canonical else (native,):
                if names <= expected.keys():
                    compared = expected if exact else names
                    found |= self._having(expected, compared, calls, exact=exact)
        return found

    def _having_listed(self, expected: Mapping[str, Any], names: tuple[str, ...]) -> int:
        plain = [name for name in names if name in expected]
        among = self._having(expected, plain, self._all_known, exact=False)
        deeper = tuple(name for name in names if name not in expected)
        if not deeper:
            return among
        positions = (
            one
            for one in positions_of(among)
            if self._matcher.matches(self._made[one].call, expected, deeper)
        )
        return bits_of(positions, len(self._made))

    def _having(
        self, expected: Mapping[str, Any], names: Iterable[str], among: int, *, exact: bool
    ) -> int:
        """Those of some calls of which each of these arguments is the expected one."""
        for name in sorted(names, key=lambda one: is_costly(expected[one])):
            if not among:
                break
            value = expected[name]
            among &= (
                self._with_text(name, value, among)
                if isinstance(value, str)
                else self._with_value(name, value, among, exact=exact)
            )
        return among

    def _with_text(self, name: str, expected: str, among: int) -> int:
        if name not in self._texts:
            self._texts[name] = self._by_text(name)
        calls = self._texts[name]
        if is_costly(expected) and among != self._all_known:
            chosen = set(positions_of(among))
            calls = {text: some for text, some in calls.items() if not chosen.isdisjoint(some)}
        found = self._matcher.texts_like(calls, expected)
        return bits_of(chain.from_iterable(calls[text] for text in found), len(self._made))

    def _by_text(self, name: str) -> dict[str, list[int]]:
        by_text: dict[str, list[int]] = {}
        for position in self._known:
            for text in self._matcher.texts_of(self._made[position].call, name):
                by_text.setdefault(text, []).append(position)
        return by_text

    def _with_value(self, name: str, expected: Any, among: int, *, exact: bool) -> int:
        calls = (
            one
            for one in positions_of(among)
            if self._matcher.is_argument(self._made[one].call, name, expected, exact=exact)
        )
        return bits_of(calls, len(self._made))

    def _by_shape(self) -> dict[tuple[frozenset[str], frozenset[str]], int]:
        if not self._shapes:
            shapes: dict[tuple[frozenset[str], frozenset[str]], list[int]] = {}
            for position in self._known:
                call = self._made[position].call
                shape = frozenset(native_arguments(call)), frozenset(call.args)
                shapes.setdefault(shape, []).append(position)
            for shape, positions in shapes.items():
                self._shapes[shape] = bits_of(positions, len(self._made))
        return self._shapes


def _union(sets: Iterable[int]) -> int:
    every = 0
    for one in sets:
        every |= one
    return every
