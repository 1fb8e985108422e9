"""What the project must reach, each row met, MISSED or not measured by the figures of one run."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparisons import (
    COLD,
    COLLECT,
    FLOOR,
    GRADE,
    IMPORT,
    LIST,
    WARM,
    WITHOUT,
    checks_of,
    sessions_of,
    size_of,
)
from peer_evals import OURS, PARAMETRIZE
from peer_install import AGENTV_PEER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from comparisons import Sizes
    from figures import Figure

MET, MISSED, NOT_MEASURED = "met", "MISSED", "not measured"
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "≤": operator.le,
    "<": operator.lt,
    "≥": operator.ge,
    "=": operator.eq,
}


@dataclass(frozen=True)
class Verdict:
    """A target and the value that was measured."""

    target: str
    comparison: str
    limit: float
    value: float | None

    @property
    def outcome(self) -> str:
        """Met, MISSED or not measured."""
        if self.value is None:
            return NOT_MEASURED
        return MET if _COMPARISONS[self.comparison](self.value, self.limit) else MISSED

    @property
    def measured(self) -> str:
        """The value as text."""
        if self.value is None:
            return ""
        return f"{self.value:.3f}" if self.value < 10 else f"{self.value:.1f}"


class Measured:
    """The figures of a run, found by task, size and program."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self._found = {(one.task, one.size, one.program): one for one in figures}

    def value(self, task: str, size: str, program: str, field: str) -> float | None:
        """Return one figure, if it was measured to the end."""
        figure = self._found.get((task, size, program))
        if figure is None or figure.stopped:
            return None
        found: float | None = getattr(figure, field)
        return found

    def ratio(
        self, task: str, size: str, *, of: str, to: str, field: str = "cpu_seconds"
    ) -> float | None:
        """Return how many times `to` the figure of `of` is."""
        one, other = (self.value(task, size, program, field) for program in (of, to))
        return one / other if one is not None and other else None


def verdict_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Return the verdicts as lines of text."""
    width = max((len(one.target) for one in verdicts), default=0)
    return [
        f"{one.target:<{width}}  {one.comparison} {one.limit:>5g}  {one.outcome}"
        + (f" ({one.measured})" if one.measured else "")
        for one in verdicts
    ]


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as a table of Markdown."""
    lines = ["| target | | measured | |", "|---|--:|--:|---|"]
    for one in verdicts:
        limit = f"{one.comparison} {one.limit:g}"
        lines.append(f"| {one.target} | {limit} | {one.measured} | {one.outcome} |")
    return "\n".join(lines)


def verdicts(figures: Sequence[Figure], sizes: Sizes) -> list[Verdict]:
    """Return all targets of the design; each names the size at which it was measured."""
    got = Measured(figures)
    return [*_of_imports(got, sizes), *_of_listings(got, sizes), *_of_grading(got, sizes)]


def _of_imports(got: Measured, sizes: Sizes) -> list[Verdict]:
    size, large = size_of(sizes.megabytes), size_of(sizes.large_megabytes)
    theirs = AGENTV_PEER.name
    floor = got.ratio(IMPORT, size, of=OURS, to=FLOOR)
    faster = got.ratio(IMPORT, size, of=theirs, to=OURS)
    smaller = got.ratio(IMPORT, size, of=theirs, to=OURS, field="peak_mb")
    kept = got.value(IMPORT, size, OURS, "share")
    peak = got.value(IMPORT, large, OURS, "peak_mb")
    return [
        Verdict(f"import of {size}: CPU, times decoding every line", "≤", 2.0, floor),
        Verdict(f"import of {size}: times faster than {theirs} (CPU)", "≥", 5.0, faster),
        Verdict(f"import of {size}: times less memory than {theirs}", "≥", 8.0, smaller),
        Verdict(f"import of {size}: share of tool calls kept", "=", 1.0, kept),
        Verdict(f"import of {large}: peak MB", "<", 100.0, peak),
    ]


def _of_listings(got: Measured, sizes: Sizes) -> list[Verdict]:
    size = sessions_of(sizes.sessions)
    cold, warm = (got.value(LIST, size, program, "wall_seconds") for program in (COLD, WARM))
    return [
        Verdict(f"list {size}: seconds, first time", "<", 6.0, cold),
        Verdict(f"list {size}: seconds, again", "<", 1.0, warm),
    ]


def _of_grading(got: Measured, sizes: Sizes) -> list[Verdict]:
    few, many = checks_of(sizes.tests), checks_of(sizes.many_tests)
    plain = got.ratio(GRADE, few, of=OURS, to=PARAMETRIZE)
    peak = got.value(GRADE, few, OURS, "peak_mb")
    start = got.ratio(COLLECT, "", of=OURS, to=WITHOUT)
    costs = [got.value(GRADE, size, OURS, "cpu_seconds") for size in (few, many)]
    growth = None
    if costs[0] and costs[1] is not None:
        growth = costs[1] / sizes.many_tests / (costs[0] / sizes.tests)
    return [
        Verdict(f"{few}: CPU, times parametrize", "≤", 1.15, plain),
        Verdict(f"{many}: CPU of a test, times that of {sizes.tests:,}", "≤", 1.1, growth),
        Verdict(f"{few}: peak MB", "<", 100.0, peak),
        Verdict("empty folder: CPU, times pytest without it", "≤", 1.05, start),
    ]
