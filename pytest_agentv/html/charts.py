"""The figures of small charts: lengths of bars, parts of a whole. Templates draw them as SVG."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from pytest_agentv.html.texts import UNKNOWN
from pytest_agentv.transcript.model import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# The width of every chart in units of its own.
WIDTH = 100.0

KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value beside others of its kind: what it says, and how long it is; None is unknown."""

    text: str
    width: float | None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a whole: where it begins and how wide it is."""

    kind: str
    count: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Mix:
    """How often each kind of tool was called; without segments nothing is known, or none was."""

    text: str
    segments: tuple[Segment, ...] = ()


def bars(values: Sequence[float | None], says: Callable[[float | None], str]) -> list[Bar]:
    """Bars of the same scale."""
    most = max((value for value in values if value is not None), default=0)
    return [Bar(says(value), _width(value, most)) for value in values]


def mix(counts: Mapping[str, int]) -> Mix:
    """The kinds of tools, in an order that is the same everywhere."""
    known: Counter[str] = Counter()
    for kind, count in counts.items():
        known[kind if kind in KINDS else "other"] += max(count, 0)
    if not known.total():
        return Mix(UNKNOWN)
    return Mix(
        ", ".join(f"{kind} {known[kind]:,}" for kind in KINDS if known[kind]),
        segments({kind: known[kind] for kind in KINDS if known[kind]}),
    )


def segments(counts: Mapping[str, int]) -> tuple[Segment, ...]:
    """Parts of a whole, one after another."""
    total = max(sum(counts.values()), 1)
    found, start = [], 0.0
    for kind, count in counts.items():
        width = WIDTH * count / total
        found.append(Segment(kind, count, round(start, 2), round(width, 2)))
        start += width
    return tuple(found)


def mix_of(kinds: Mapping[str, int]) -> Mix:
    """The kinds of tools that a session called."""
    found = mix(kinds)
    return found if found.segments else Mix("no tool calls")


def _width(value: float | None, most: float) -> float | None:
    if value is None:
        return None
    return round(WIDTH * max(value, 0) / most, 2) if most > 0 else 0.0
