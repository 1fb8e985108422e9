"""The table at the end of a run: how each provider did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.columns import columns_of
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.repeats import repeat_rows, repeats_in
from pytest_agentv.report.tally import tallies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.report.tally import ItemFacts, Tally

_HEADER = ("provider", "passed", "passed", "failed", "errors", "skipped", "soft", "held")
_GAP = "  "
# The table then fits in 80 columns.
_PROVIDER_LENGTH = 20
_TEST_LENGTH = 40
_MOST_REPEATS = 20


def summary_lines(items: Iterable[ItemFacts]) -> list[str]:
    """Cases and assertions of each provider, and what share held; nothing if nothing was graded."""
    counted = tallies(items)
    if not counted:
        return []
    rows = [_HEADER, *map(_row, counted)]
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    groups = f"{'':{widths[0]}}{_GAP}{'cases':>{widths[1]}}{_GAP}assertions"
    return [groups, *(_aligned(row, widths) for row in rows)]


def repeat_lines(items: Iterable[ItemFacts]) -> list[str]:
    """How each test did that a provider did more than once; nothing if there is none."""
    found = repeats_in(items)
    rows = repeat_rows(found[:_MOST_REPEATS])
    if not rows:
        return []
    cut = [(one_line(name, limit=_TEST_LENGTH), *others) for name, *others in rows]
    widths = [max(map(columns_of, column)) for column in zip(*cut, strict=True)]
    lines = [
        _GAP.join(
            cell + " " * (width - columns_of(cell)) for cell, width in zip(row, widths, strict=True)
        )
        for row in cut
    ]
    more = len(found) - len(rows)
    note = [f"… and {more:,} more with repeats"] if more else []
    return ["repeats", *(line.rstrip() for line in lines), *note]


def _row(tally: Tally) -> tuple[str, ...]:
    numbers = (tally.passed, tally.failed, tally.errors, tally.skipped, tally.soft)
    return (
        one_line(tally.provider, limit=_PROVIDER_LENGTH),
        f"{tally.cases_passed}/{tally.cases}",
        *map(str, numbers),
        tally.held,
    )


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    first, *others = row
    padding = " " * (widths[0] - columns_of(first))
    numbers = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
    return _GAP.join([first + padding, *numbers])
