"""Failure texts of trajectories: what was expected and what was called, side by side.

``=`` both, ``~`` the same tool but not as expected, ``-`` expected only, ``+`` called only.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.columns import columns_of, fitted
from pytest_agentv.graders.calls import arguments_named
from pytest_agentv.graders.equality import difference
from pytest_agentv.graders.phrases import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_agentv.graders.alignment import Pair
    from pytest_agentv.graders.calls import Matcher, Step

_MAX_ROWS = 60
# Two columns that fit a terminal of 80, indented by four, with a mark and a line between them.
_WIDTH = 80 - 4 - len("= ") - len(" | ")
# What is expected gets no more than this if the other column needs the room.
_EXPECTED_WIDTH = 30
# Calls in a row that nobody expected; of more, only the first and the last are shown.
_MAX_EXTRA = 3


class Row(NamedTuple):
    """A line of the table."""

    mark: str
    expected: str
    called: str
    # Where the call stands; this is never cut.
    place: str = ""


_HEAD = Row(" ", "expected", "called")


def table(rows: Iterable[Row]) -> str:
    """Rows as two columns, those after the first few only counted."""
    every = list(rows)
    lines = [_HEAD, *every[:_MAX_ROWS]]
    expected = max(columns_of(one.expected) for one in lines)
    called = max(columns_of(one.called) + len(one.place) for one in lines)
    left = min(expected, max(_EXPECTED_WIDTH, _WIDTH - called))
    text = [_line(one, left, _WIDTH - left) for one in lines]
    more = len(every) - _MAX_ROWS
    return "\n".join([*text, f"… and {counted(more, 'more row')}"] if more > 0 else text)


def _line(row: Row, left: int, right: int) -> str:
    expected = fitted(row.expected, left)
    blanks = " " * (left - columns_of(expected))
    called = fitted(row.called, right - len(row.place))
    return f"{row.mark} {expected}{blanks} | {called}{row.place}".rstrip()


def in_order_rows(
    expected: Sequence[str], made: Sequence[Step], pairs: Sequence[Pair], near: Mapping[int, int]
) -> Iterator[Row]:
    """Expected calls and calls as they were aligned; ``near`` are calls that almost fit."""
    anchors = [("=", *pair) for pair in pairs] + [("~", *pair) for pair in near.items()]
    row, column = 0, 0
    for mark, item, call in [*sorted(anchors, key=_position), ("", len(expected), len(made))]:
        if item < row or call < column:
            continue  # a near miss that stands elsewhere
        yield from (Row("-", one, "") for one in expected[row:item])
        yield from _extra(made[column:call])
        if mark:
            yield _row(mark, expected[item], made[call])
        row, column = item + 1, call + 1


def any_order_rows(
    expected: Sequence[str], made: Sequence[Step], pairs: Sequence[Pair], near: Mapping[int, int]
) -> Iterator[Row]:
    """Each expected call with the one that was assigned to it, or comes close."""
    assigned = dict(pairs)
    for item, text in enumerate(expected):
        if item in assigned:
            yield _row("=", text, made[assigned[item]])
        elif item in near:
            yield _row("~", text, made[near[item]])
        else:
            yield Row("-", text, "")


def outside_rows(made: Sequence[Step], outside: Iterable[int]) -> Iterator[Row]:
    """Calls that nothing allows."""
    return (_row("+", "", made[call]) for call in outside)


def argument_difference(
    step: Step,
    expected: Mapping[str, Any],
    names: Iterable[str],
    matcher: Matcher,
    *,
    exact: bool = False,
) -> str:
    """How the arguments of a call differ from those that were expected, a line each."""
    wanted: dict[str, Any] = {}
    found: dict[str, Any] = {}
    lines = []
    for name in names:
        values = arguments_named(step.call, name)
        if _is_plain(expected.get(name)) and all(map(_is_plain, values)):
            lines.append(f"{name}: expected {_told(expected, name)}, found {_found(values)}")
            continue
        if name in expected:
            wanted[name] = expected[name]
        if values:
            wrong = partial(_wrong_parts, matcher=matcher, exact=exact)
            found[name] = wrong(values[-1], expected[name]) if name in expected else values[-1]
    inside = difference(wanted, found) if wanted or found else ""
    return "\n".join([*lines[:_MAX_ROWS], *([inside] if inside else [])])


def _wrong_parts(value: Any, expected: Any, *, matcher: Matcher, exact: bool) -> Any:
    """A value in which everything that is right is just what was expected: it does not differ."""
    wrong = partial(_wrong_parts, matcher=matcher, exact=exact)
    if matcher.is_value(value, expected, exact=exact):
        return expected
    if isinstance(value, dict) and isinstance(expected, dict):
        return {
            key: wrong(one, expected[key]) if key in expected else one
            for key, one in value.items()
            if exact or key in expected
        }
    if isinstance(value, list) and isinstance(expected, list):
        return [*map(wrong, value, expected), *value[len(expected) :]]
    return value


def _is_plain(value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _told(expected: Mapping[str, Any], name: str) -> str:
    return shown(expected[name]) if name in expected else "nothing"


def _found(values: Sequence[Any]) -> str:
    return shown(values[-1]) if values else "nothing"


def placed(step: Step) -> str:
    """A call, and where it stands."""
    return f"{step.text}{_place(step)}"


def _place(step: Step) -> str:
    line = "" if step.call.line is None else f", line {step.call.line}"
    return f" (message {step.message}{line})"


def _row(mark: str, expected: str, step: Step) -> Row:
    return Row(mark, expected, step.text, _place(step))


def cut(text: str, width: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _extra(made: Sequence[Step]) -> Iterator[Row]:
    if len(made) <= _MAX_EXTRA:
        yield from (_row("+", "", one) for one in made)
        return
    yield _row("+", "", made[0])
    yield Row("+", "", f"… {len(made) - 2:,} more calls")
    yield _row("+", "", made[-1])


def _position(anchor: tuple[str, int, int]) -> tuple[int, int]:
    return anchor[1:]
