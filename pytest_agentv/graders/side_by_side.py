"""Failure texts of trajectories: what was expected and what was called, side by side.

``=`` both, ``~`` the same tool but not as expected, ``-`` expected only, ``+`` called only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.graders.calls import arguments_named
from pytest_agentv.graders.equality import difference
from pytest_agentv.graders.phrases import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_agentv.graders.alignment import Pair
    from pytest_agentv.graders.calls import Step

_MAX_ROWS = 60
_MAX_WIDTH = 48
# Calls in a row that nobody expected; of more, only the first and the last are shown.
_MAX_EXTRA = 3
_HEAD = ("expected", "called")


class Row(NamedTuple):
    """A line of the table."""

    mark: str
    expected: str
    called: str


def table(rows: Iterable[Row]) -> str:
    """Rows as two columns, those after the first few only counted."""
    lines = list(rows)
    shown = lines[:_MAX_ROWS]
    width = min(_MAX_WIDTH, max(len(one.expected) for one in [Row("", *_HEAD), *shown]))
    text = [
        f"{mark:1} {cut(expected, width):<{width}} | {called}".rstrip()
        for mark, expected, called in [Row("", *_HEAD), *shown]
    ]
    more = len(lines) - len(shown)
    return "\n".join([*text, f"… and {counted(more, 'more row')}"] if more else text)


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
            yield Row(mark, expected[item], placed(made[call]))
        row, column = item + 1, call + 1


def any_order_rows(
    expected: Sequence[str], made: Sequence[Step], pairs: Sequence[Pair], near: Mapping[int, int]
) -> Iterator[Row]:
    """Each expected call with the one that was assigned to it, or comes close."""
    assigned = dict(pairs)
    for item, text in enumerate(expected):
        if item in assigned:
            yield Row("=", text, placed(made[assigned[item]]))
        elif item in near:
            yield Row("~", text, placed(made[near[item]]))
        else:
            yield Row("-", text, "")


def outside_rows(made: Sequence[Step], outside: Iterable[int]) -> Iterator[Row]:
    """Calls that nothing allows."""
    return (Row("+", "", placed(made[call])) for call in outside)


def argument_difference(step: Step, expected: Mapping[str, Any], names: Iterable[str]) -> str:
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
            found[name] = values[-1]
    inside = difference(wanted, found) if wanted or found else ""
    return "\n".join([*lines[:_MAX_ROWS], *([inside] if inside else [])])


def _is_plain(value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _told(expected: Mapping[str, Any], name: str) -> str:
    return shown(expected[name]) if name in expected else "nothing"


def _found(values: Sequence[Any]) -> str:
    return shown(values[-1]) if values else "nothing"


def placed(step: Step) -> str:
    """A call, and where it stands."""
    line = "" if step.call.line is None else f", line {step.call.line}"
    return f"{step.text} (message {step.message}{line})"


def cut(text: str, width: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _extra(made: Sequence[Step]) -> Iterator[Row]:
    if len(made) <= _MAX_EXTRA:
        yield from (Row("+", "", placed(one)) for one in made)
        return
    yield Row("+", "", placed(made[0]))
    yield Row("+", "", f"… {len(made) - 2:,} more calls")
    yield Row("+", "", placed(made[-1]))


def _position(anchor: tuple[str, int, int]) -> tuple[int, int]:
    return anchor[1:]
