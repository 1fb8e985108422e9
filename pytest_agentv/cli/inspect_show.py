"""``agentv inspect show``: the cases of a run, one case in full, or its session as a tree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.inspect_case import put_case
from pytest_agentv.cli.inspect_tree import put_trees, tree_as_json
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.runs import (
    OUTCOMES,
    cases_wanted,
    dir_option,
    filters,
    format_option,
    plain,
    redacted_run,
    run_argument,
)
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.cli.verdicts import OUTCOME_STYLES, why
from pytest_agentv.report.figures import duration, points
from pytest_agentv.results.filters import name_of
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.reading import find_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.results.model import Row
    from pytest_agentv.results.reading import Run


@click.command("show")
@run_argument
@filters("tests", "targets", "suites", "cases", "tools", "statuses")
@click.option("--tree", is_flag=True, help="Show the session of each case as a tree.")
@click.option("--all", "whole", is_flag=True, help="Leave nothing out of a tree, however long.")
@redact_option
@dir_option
@format_option()
def command(
    run: str,
    *,
    tree: bool,
    whole: bool,
    profile: str | None,
    root: Path,
    format_: str,
    **wanted: tuple[str, ...],
) -> None:
    """Show the cases of RUN, the latest by default; of a single case all assertions.

    Options choose cases; of an option that is repeated, one value has to fit.
    """
    if whole and not tree:
        raise click.UsageError("--all goes with --tree.")
    found = redacted_run(find_run(run, root=root), redactor_of(profile))
    selected = cases_wanted(found, wanted)
    if selected.unsure:
        many = count(len(selected.unsure), "case")
        say(f"agentv: {many} left out: what tools they called was not kept")
    rows = selected.rows
    if format_ == "json":
        put_json(_as_json(found, rows, tree=tree))
    elif tree:
        put_trees(found, rows, whole=whole)
    elif len(rows) == 1:
        put_case(found, rows[0])
    else:
        _put_cases(found, rows)
    if not found.summary.complete:
        say(f"agentv: run {found.summary.run_id} is incomplete: it ended before all was graded")
    if not rows:
        raise click.exceptions.Exit(1)


def _as_json(run: Run, rows: Sequence[Row], *, tree: bool) -> dict[str, Any]:
    cases = [{**plain(row), "case": name_of(row), "outcome": outcome_of_row(row)} for row in rows]
    if tree:
        cases = [
            {**case, "tree": tree_as_json(run, row)} for case, row in zip(cases, rows, strict=True)
        ]
    return {"run": plain(run.summary), "path": str(run.path), "cases": cases}


def _put_cases(run: Run, rows: Sequence[Row]) -> None:
    several = len({row.suite for row in rows}) > 1
    columns = [
        *([Column("suite", width=24, wrap=True)] if several else []),
        Column("case", wrap=True, width=44, least=24),
        Column("outcome", style=OUTCOME_STYLES.get),
        Column("score", right=True),
        Column("time", right=True),
        Column("what does not hold", wrap=True),
    ]
    cells = [
        [
            *([row.suite] if several else []),
            name_of(row),
            outcome_of_row(row),
            points(row.score),
            duration(row.duration_ms),
            why(row),
        ]
        for row in rows
    ]
    print_table(f"Run {run.summary.run_id}", columns, cells)
    counts = Counter[str](map(outcome_of_row, rows))
    said = [
        count(counts[one], one) if one == "error" else f"{counts[one]} {one}" for one in OUTCOMES
    ]
    put(f"{count(len(rows), 'case')}: {', '.join(said)}")
