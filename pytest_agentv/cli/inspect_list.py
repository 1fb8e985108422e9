"""``agentv inspect list``: the runs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import count, put_json, say
from pytest_agentv.cli.figures import short_moment
from pytest_agentv.cli.runs import dir_option, format_option, plain
from pytest_agentv.cli.screen import screen_width
from pytest_agentv.cli.tables import UNKNOWN, Column, print_table
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.figures import points
from pytest_agentv.results.reading import none_in, runs_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.errors import AgentvError
    from pytest_agentv.results.model import Summary

# What is counted, and a name of it that leaves room for more.
_COUNTS = {"cases": "cases", "passed": "pass", "failed": "fail", "errors": "err", "skipped": "skip"}
# A screen that is not so wide shows no time beside an id that says it.
_WIDE = 100
_DATE = len("2026-03-29")


@click.command("list")
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="N", help="The newest N only.")
@dir_option
@format_option()
def command(*, limit: int | None, root: Path, format_: str) -> None:
    """List the runs there are, newest first.

    A run that was broken off says so: what was graded until then is kept.
    """
    runs, problems = runs_in(root)
    shown = runs[:limit]
    if format_ == "json":
        put_json(
            {
                "runs": [_as_json(one, root) for one in shown],
                "unreadable": [_problem(one) for one in problems],
            }
        )
        return
    if not runs:
        say(f"agentv: {none_in(root)}")
    else:
        _put_table(shown)
    if len(shown) < len(runs):
        say(f"agentv: {count(len(runs) - len(shown), 'older run')} not shown")
    if problems:
        first = one_line(str(problems[0]))
        say(f"agentv: {count(len(problems), 'folder')} could not be read, as {first}")


def counted(summary: Summary) -> dict[str, int]:
    """The cases of a run, of all targets."""
    return {name: sum(getattr(one, name) for one in summary.targets) for name in _COUNTS}


def _as_json(summary: Summary, root: Path) -> dict[str, Any]:
    about = plain(summary)
    return {
        "run_id": summary.run_id,
        "path": str(root / summary.run_id),
        **{name: about[name] for name in ("started_at", "ended_at", "complete", "exit_status")},
        **counted(summary),
        "targets": about["targets"],
    }


def _problem(error: AgentvError) -> dict[str, Any]:
    return {"path": None if error.at is None else str(error.at.path), "message": error.message}


def _put_table(runs: Sequence[Summary]) -> None:
    counts = [counted(one) for one in runs]
    # What no run has takes no room.
    names = [one for one in _COUNTS if one == "cases" or any(each[one] for each in counts)]
    with_time = (screen_width() or _WIDE) >= _WIDE or not all(map(_is_named_by_time, runs))
    columns = [
        Column("run"),
        *([Column("when")] if with_time else []),
        *(Column(_COUNTS[name], right=True) for name in names),
        Column("score by target", wrap=True),
    ]
    cells = [
        [
            one.run_id,
            *([short_moment(one.started_at)] if with_time else []),
            *(str(each[name]) for name in names),
            "; ".join([*([] if one.complete else ["incomplete"]), *_targets(one)]),
        ]
        for one, each in zip(runs, counts, strict=True)
    ]
    print_table(None, columns, cells)


def _is_named_by_time(summary: Summary) -> bool:
    return summary.run_id[:_DATE] == (summary.started_at or "")[:_DATE]


def _targets(summary: Summary) -> list[str]:
    scores = [
        f"{one.target or 'no session'} {points(one.mean_score) or UNKNOWN}"
        for one in summary.targets
    ]
    return [", ".join(scores)]
