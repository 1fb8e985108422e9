"""Choosing cases of a run: by test, session, outcome, and by the tools that were called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from pytest_agentv.errors import AgentvError
from pytest_agentv.globs import fits
from pytest_agentv.results.kept import KeptTranscripts
from pytest_agentv.results.outcomes import outcome_of_row

if TYPE_CHECKING:
    from pytest_agentv.results.model import Row
    from pytest_agentv.results.reading import Run


class Wanted(Struct, frozen=True, kw_only=True):
    """Which cases are wanted: of each list one has to fit; an empty one asks for nothing.

    All are globs, and the same text always fits, whatever signs are in it.
    """

    cases: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    # Exactly.
    statuses: tuple[str, ...] = ()
    # Native names or kinds.
    tools: tuple[str, ...] = ()


class Selected(Struct, frozen=True):
    """The cases that are wanted, and those of which nobody can tell what tools they called."""

    rows: tuple[Row, ...]
    unsure: tuple[Row, ...] = ()


def select(run: Run, wanted: Wanted) -> Selected:
    """The cases of a run that are wanted, in order."""
    rows = tuple(row for row in run.rows if _fits(row, wanted))
    if not wanted.tools:
        return Selected(rows)
    transcripts = KeptTranscripts(run)
    called = [(row, _called(row, wanted.tools, transcripts)) for row in rows]
    return Selected(
        tuple(row for row, answer in called if answer),
        tuple(row for row, answer in called if answer is None),
    )


def name_of(row: Row) -> str:
    """What a case is called; AgentV's have no name but that of the test."""
    return row.case or (f"{row.test_id}[{row.target}]" if row.target else row.test_id)


def _fits(row: Row, wanted: Wanted) -> bool:
    return (
        _any_fits(name_of(row), wanted.cases)
        and _any_fits(row.test_id, wanted.tests)
        and _any_fits(row.target or "", wanted.targets)
        and _any_fits(row.suite, wanted.suites)
        and (not wanted.statuses or outcome_of_row(row) in wanted.statuses)
    )


def _any_fits(text: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fits(text, pattern) for pattern in patterns)


def _called(row: Row, tools: tuple[str, ...], transcripts: KeptTranscripts) -> bool | None:
    """Whether a session called one of some tools; None if that is not known."""
    if any(count and _any_fits(kind, tools) for kind, count in row.tools.items()):
        return True
    if row.tool_calls == 0 or row.target is None:
        return False
    # Rows count kinds only; native names are in the transcript.
    try:
        calls = transcripts.of(row).tool_calls()
    except AgentvError:
        return None
    names = {name for call in calls for name in (call.tool, call.kind)}
    return any(_any_fits(name, tools) for name in names)
