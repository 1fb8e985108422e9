"""The cases of a run counted for each target."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pytest_agentv.results.model import Totals
from pytest_agentv.results.outcomes import outcome_of_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.results.model import Row


def totals_of(rows: Iterable[Row]) -> tuple[Totals, ...]:
    """Totals of each target, in order of their names; cases without a session come last."""
    groups: dict[str | None, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.target].append(row)
    targets = sorted(groups, key=lambda one: (one is None, one or ""))
    return tuple(_totals(one, groups[one]) for one in targets)


def _totals(target: str | None, rows: list[Row]) -> Totals:
    counts = Counter(map(outcome_of_row, rows))
    scores = [row.score for row in rows if row.score is not None]
    return Totals(
        target=target,
        cases=len(rows),
        passed=counts["passed"],
        failed=counts["failed"],
        errors=counts["error"],
        skipped=counts["skipped"],
        mean_score=sum(scores) / len(scores) if scores else None,
    )
