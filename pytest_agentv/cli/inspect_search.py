"""``agentv inspect search``: what was said and done in the sessions of runs."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.runs import dir_option, filters, format_option, redacted_run, runs_named
from pytest_agentv.cli.screen import screen_width
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.errors import AgentvError, NotGradable
from pytest_agentv.report.clean import one_line
from pytest_agentv.results.filters import Wanted, name_of, select
from pytest_agentv.results.kept import by_transcript
from pytest_agentv.results.reading import read_run, summaries
from pytest_agentv.results.searching import PARTS, ROLES, finder, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pytest_agentv.results.model import Row
    from pytest_agentv.results.reading import Run
    from pytest_agentv.results.searching import Finder, Match

_LIMIT = 100


class _Found(NamedTuple):
    """A match, and the cases that were graded on its session."""

    run: Run
    rows: Sequence[Row]
    match: Match


class _Search:
    """A search through runs, and what became of their sessions."""

    def __init__(self, find: Finder, *, roles: Sequence[str], parts: Sequence[str]) -> None:
        self._find = find
        self._roles = roles
        self._parts = parts
        self.searched = 0
        # Why sessions, and whole runs, could not be searched.
        self.problems: list[str] = []
        self.damaged: list[str] = []

    def through(self, run: Run, rows: Sequence[Row]) -> Iterator[_Found]:
        """What is found in the sessions of some cases, each session once."""
        groups, without = by_transcript(rows)
        self.problems += [
            f"{name_of(row)}: its transcript was not kept"
            for row in without
            if row.target is not None  # else there was no session
        ]
        for group in groups:
            try:
                transcript = run.transcript(group[0])
            except AgentvError as exc:
                self.problems.append(str(exc))
                continue
            self.searched += 1
            found = matches(transcript, self._find, roles=self._roles, parts=self._parts)
            try:
                yield from (_Found(run, group, match) for match in found)
            except NotGradable as exc:  # the time is up: what was found is still worth telling
                self.searched -= 1
                self.problems.append(f"{name_of(group[0])}: {exc}")

    def readable(self, folders: Iterable[Path]) -> Iterator[Run]:
        """The runs in folders; one that is damaged does not hide what others say."""
        for folder in folders:
            try:
                yield read_run(folder)
            except AgentvError as exc:  # noqa: PERF203 (a run is a file or more)
                self.damaged.append(str(exc))


@click.command("search")
@click.argument("pattern", metavar="PATTERN")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option("--regex", is_flag=True, help="PATTERN is a regular expression, not a text.")
@click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same.")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="Who said it.")
@click.option("--in", "parts", multiple=True, type=click.Choice(PARTS), help="Where it stands.")
@filters("tests", "targets", "cases")
@click.option("--all-runs", is_flag=True, help="Search every run there is, not only the latest.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=_LIMIT,
    metavar="N",
    help=f"Stop after so many matches (default: {_LIMIT}).",
)
@redact_option
@dir_option
@format_option()
def command(
    pattern: str,
    runs: tuple[str, ...],
    *,
    regex: bool,
    ignore_case: bool,
    roles: tuple[str, ...],
    parts: tuple[str, ...],
    all_runs: bool,
    limit: int,
    profile: str | None,
    root: Path,
    format_: str,
    **wanted: tuple[str, ...],
) -> None:
    """Search for PATTERN in the sessions of RUN, or of several.

    What was said, thought, given to tools and returned by them is searched, line by line; keys and
    metadata are not. Exits with 1 if nothing is found.
    """
    if not pattern:
        raise click.BadParameter("there is nothing to search for", param_hint="PATTERN")
    if all_runs and runs:
        raise click.UsageError("--all-runs and RUN exclude each other")
    try:
        find = finder(pattern, is_regex=regex, ignore_case=ignore_case)
    except ValueError as exc:
        raise click.BadParameter(str(exc), param_hint="PATTERN") from exc
    searched = _Search(find, roles=roles, parts=parts)
    chosen: Iterable[Run] = (
        searched.readable(root / one.run_id for one in summaries(root))
        if all_runs
        else runs_named(runs, root=root)
    )
    redactor = redactor_of(profile)
    every = (
        one
        for run in (redacted_run(one, redactor) for one in chosen)
        for one in searched.through(run, select(run, Wanted(**wanted)).rows)
    )
    # One more than is shown, to know whether there are more.
    found = list(islice(every, limit + 1))
    shown = found[:limit]
    if format_ == "json":
        put_json(
            {
                "matches": [_as_json(one) for one in shown],
                "more": len(found) > limit,
                "searched": searched.searched,
                "problems": [*searched.problems, *searched.damaged],
            }
        )
    else:
        if shown:
            _put_table(shown, with_run=all_runs or len(runs) > 1)
        _tell(searched, shown=len(shown), more=len(found) > limit)
    raise click.exceptions.Exit(0 if found else 1)


def _tell(searched: _Search, *, shown: int, more: bool) -> None:
    sessions = count(searched.searched, "session")
    if more:
        say(f"agentv: there are more than {shown} matches; --limit shows more")
    elif not shown:
        say(f"agentv: not found in {sessions}")
    for noun, problems in (("session", searched.problems), ("run", searched.damaged)):
        if problems:
            many = count(len(problems), noun)
            say(f"agentv: {many} could not be searched, as {one_line(problems[0])}")


def _as_json(found: _Found) -> dict[str, Any]:
    match = found.match
    return {
        "run_id": found.run.summary.run_id,
        "cases": [name_of(row) for row in found.rows],
        "target": found.rows[0].target,
        "message": match.message,
        "line": match.line,
        "role": match.role,
        "in": match.part,
        "tool": match.tool,
        "agent_id": match.agent_id,
        "excerpt": match.excerpt,
    }


def _put_table(found: Sequence[_Found], *, with_run: bool) -> None:
    """Tables of matches: in a pipe each line says all, on a screen there is one for a session."""
    columns = [
        Column("message", right=True),
        Column("line", right=True),
        Column("where", wrap=True, least=20),
        Column("excerpt", wrap=True),
    ]
    if screen_width() is None:
        named = [*([Column("run")] if with_run else []), Column("case"), *columns]
        print_table(None, named, [[*_names(one, with_run=with_run), *_cells(one)] for one in found])
        return
    for number, (_, several) in enumerate(groupby(found, key=lambda one: id(one.rows))):
        group = list(several)
        if number:
            put("")
        print_table("  ".join(_names(group[0], with_run=with_run)), columns, map(_cells, group))


def _names(found: _Found, *, with_run: bool) -> list[str]:
    others = len(found.rows) - 1
    case = name_of(found.rows[0]) + (f" and {count(others, 'other')}" if others else "")
    return [*([found.run.summary.run_id] if with_run else []), case]


def _cells(found: _Found) -> list[str | None]:
    match = found.match
    return [
        f"#{match.message}",
        None if match.line is None else str(match.line),
        f"{match.part} of {match.tool}" if match.tool else f"{match.role} {match.part}",
        match.excerpt,
    ]
