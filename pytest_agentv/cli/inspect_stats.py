"""``agentv inspect stats``: means and percentiles of what cases came to and took."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import put, put_json
from pytest_agentv.cli.figures import METRICS_SHOWN
from pytest_agentv.cli.runs import (
    dir_option,
    filters,
    format_option,
    nothing_fits,
    plain,
    runs_argument,
    runs_named,
)
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.results.filters import Wanted, name_of, select
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.repeats import percent
from pytest_agentv.results.statistics import METRICS, distributions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pytest_agentv.results.model import Row
    from pytest_agentv.results.reading import Run
    from pytest_agentv.results.statistics import Distribution

_GROUPS: dict[str, Callable[[Run, Row], str | None]] = {
    "target": lambda _, row: row.target,
    "suite": lambda _, row: row.suite or None,
    "test": lambda _, row: row.test_id,
    "case": lambda _, row: name_of(row),
    "model": lambda _, row: None if row.source is None else row.source.model,
    "run": lambda run, _: run.summary.run_id,
    "none": lambda *_: "all cases",
}
_NUMBERS = ("mean", "p50", "p90", "p95", "p99", "min", "max")
_OUTCOMES = {"passed": "passed", "failed": "failed", "error": "errors", "skipped": "skipped"}


@click.command("stats")
@runs_argument
@click.option(
    "-g",
    "--group-by",
    type=click.Choice(list(_GROUPS)),
    default="target",
    help="What cases are taken together by (default: target).",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Choice(list(METRICS)),
    metavar="NAME",
    help=f"Only this figure; may be repeated: {', '.join(METRICS)}.",
)
@filters("tests", "targets", "suites", "statuses")
@dir_option
@format_option()
def command(
    runs: tuple[str, ...],
    *,
    group_by: str,
    metrics: tuple[str, ...],
    root: Path,
    format_: str,
    **wanted: tuple[str, ...],
) -> None:
    """Show means and percentiles over the cases of RUN, or of several.

    What a session does not say is left out and counted. Percentiles are interpolated between the
    two nearest values.
    """
    found = runs_named(runs, root=root)
    groups: dict[str | None, list[Row]] = {}
    for run in found:
        for row in select(run, Wanted(**wanted)).rows:
            groups.setdefault(_GROUPS[group_by](run, row), []).append(row)
    if not groups:
        raise nothing_fits(found, wanted)
    names = [one for one in METRICS if not metrics or one in metrics]
    counted = {group: _counts(rows) for group, rows in groups.items()}
    figures = {group: distributions(rows) for group, rows in groups.items()}
    if format_ == "json":
        put_json(
            {
                "runs": [run.summary.run_id for run in found],
                "group_by": group_by,
                "groups": [
                    {
                        "group": group,
                        **counted[group],
                        "metrics": {name: plain(figures[group][name]) for name in names},
                    }
                    for group in groups
                ],
            }
        )
        return
    _put_counts(group_by, counted)
    print_table(None, _columns(group_by), _cells(names, figures))


def _counts(rows: list[Row]) -> dict[str, Any]:
    outcomes = Counter[str](map(outcome_of_row, rows))
    judged = outcomes["passed"] + outcomes["failed"]
    return {
        "cases": len(rows),
        **{name: outcomes[one] for one, name in _OUTCOMES.items()},
        # Of the cases that were graded.
        "pass_rate": outcomes["passed"] / judged if judged else None,
    }


def _put_counts(group_by: str, counted: dict[str | None, dict[str, Any]]) -> None:
    columns = [
        *_group_column(group_by),
        *(Column(name, right=True) for name in ("cases", *_OUTCOMES.values())),
        Column("pass rate", right=True),
    ]
    cells = [
        [
            group,
            *(str(counts[name]) for name in ("cases", *_OUTCOMES.values())),
            None if counts["pass_rate"] is None else percent(counts["pass_rate"]),
        ]
        for group, counts in counted.items()
    ]
    print_table(None, columns, cells)
    put("")


def _group_column(group_by: str) -> list[Column]:
    return [Column("" if group_by == "none" else group_by, wrap=True)]


def _columns(group_by: str) -> list[Column]:
    return [
        Column("figure"),
        *_group_column(group_by),
        Column("known", right=True),
        *(Column(name, right=True) for name in _NUMBERS),
    ]


def _cells(
    names: list[str], figures: dict[str | None, dict[str, Distribution]]
) -> Iterable[list[str | None]]:
    for name in names:
        label, form = METRICS_SHOWN[name]
        for group, every in figures.items():
            one = every[name]
            if not any(each.known for each in every.values()):
                continue  # cases without a session
            known = str(one.known) if not one.unknown else f"{one.known}/{one.known + one.unknown}"
            numbers = [form(getattr(one, number)) for number in _NUMBERS]
            if one.lower_bounds:
                numbers = [None if shown is None else f"≥{shown}" for shown in numbers]
            yield [label, group, known, *numbers]
