"""What calls gave back, by what an eval file says of it: a text, or parts of a JSON value."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from pytest_agentv.graders.alignment import bits_of, positions_of
from pytest_agentv.graders.json_text import Unreadable, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.calls import Matcher, Step

_NO_JSON: Any = object()


def is_output(text: str, expected: Any, matcher: Matcher) -> bool:
    """Whether an output is the expected text, or JSON that holds what is expected."""
    if isinstance(expected, str):
        return matcher.is_text(text, expected)
    return _holds(_value(text), expected, matcher)


class CallOutputs:
    """The outputs of one session's calls; made anew for every grading."""

    def __init__(self, made: Sequence[Step], matcher: Matcher) -> None:
        self._made = made
        self._matcher = matcher
        self._value = cache(_value)

    def matching(self, expected: Any, among: int) -> tuple[int, int]:
        """Those of some calls that gave back what is expected, and those with no output."""
        by_text: dict[str, list[int]] = {}
        silent = []
        for position in positions_of(among):
            output = self._made[position].call.output
            if output is None:
                silent.append(position)
            else:
                by_text.setdefault(output, []).append(position)
        if isinstance(expected, str):
            found = self._matcher.texts_like(by_text, expected)
        else:
            found = [text for text in by_text if _holds(self._value(text), expected, self._matcher)]
        calls = chain.from_iterable(by_text[text] for text in found)
        return bits_of(calls, len(self._made)), bits_of(silent, len(self._made))


def _value(text: str) -> Any:
    try:
        return parse(text)
    except Unreadable:
        return _NO_JSON


def _holds(value: Any, expected: Any, matcher: Matcher) -> bool:
    """Whether a JSON value is the expected one; objects and lists may hold more."""
    if isinstance(expected, dict):
        return isinstance(value, dict) and all(
            key in value and _holds(value[key], one, matcher) for key, one in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(value, list) and all(
            any(_holds(other, one, matcher) for other in value) for one in expected
        )
    return value is not _NO_JSON and matcher.is_value(value, expected)
