"""What is noted while a run goes on: a line for each assertion that was graded.

If a run ends, its rows are made of these lines. If it never does, they are what is left of it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pytest_agentv.results.model import Claim, Figures, Repeats, Row, Score
from pytest_agentv.results.outcomes import GATE, SCORE, mean_score, outcome_of, status_of
from pytest_agentv.transcript.model import Source  # noqa: TC001 (a struct needs it)

if TYPE_CHECKING:
    from collections.abc import Iterable

# Of a verdict that comes again for the same assertion, the worse one counts.
_BADNESS = {"pass": 0, "skip": 1, "soft": 2, "fail": 3, "error": 4}


class CaseNote(Struct, frozen=True, kw_only=True, gc=False):
    """Which case was graded; the fields are those of a row."""

    test_id: str
    suite: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    eval_file: str = ""
    line: int | None = None
    case: str = ""
    target: str | None = None
    threshold: float | None = None


class SessionNote(Struct, frozen=True, kw_only=True, gc=False):
    """Which session it was graded on."""

    source: Source
    input: str | None = None
    transcript_path: str | None = None
    figures: Figures


class Graded(Struct, frozen=True, kw_only=True, gc=False):
    """A line of the journal: one assertion on one session."""

    timestamp: str | None = None
    case: CaseNote
    # None: there was none, it could not be read, or another line of the case tells of it.
    session: SessionNote | None = None
    score: Score
    # Its place among the assertions of the case, from 0; lines of entries may be the same.
    number: int | None = None


class Begun(Struct, frozen=True, kw_only=True, gc=False):
    """The first line of the journal."""

    run_id: str
    started_at: str
    agentv_version: str | None = None
    pytest_version: str | None = None
    arguments: tuple[str, ...] = ()


def rows_of(notes: Iterable[Graded]) -> tuple[Row, ...]:
    """The rows of a run: a case on one session each, in order of eval files and lines."""
    cases: dict[tuple[str, str], list[Graded]] = {}
    for note in notes:
        if note.score.type != GATE:
            cases.setdefault((note.case.eval_file, note.case.case), []).append(note)
    rows = [_row(several) for several in cases.values()]
    return tuple(sorted(rows, key=lambda row: (row.eval_file, row.line or 0, row.case)))


def gates_of(notes: Iterable[Graded]) -> dict[tuple[str, str, str | None], Score]:
    """What gates said, by eval file, test and target."""
    gates: dict[tuple[str, str, str | None], Score] = {}
    for note in notes:
        if note.score.type == GATE:
            key = (note.case.eval_file, note.case.test_id, note.case.target)
            gates[key] = _worse(gates.get(key), note.score)
    return gates


def with_gates(
    groups: Iterable[Repeats], gates: dict[tuple[str, str, str | None], Score]
) -> tuple[Repeats, ...]:
    """Repeats with what their gates said of them."""
    return tuple(
        replace(one, gate=gates.get((one.eval_file, one.test_id, one.target))) for one in groups
    )


def _row(notes: list[Graded]) -> Row:
    """A row of all that was noted of a case on one session, in whatever order."""
    scores: dict[str, Score] = {}
    numbers: dict[str, float] = {}
    for note in notes:
        name = note.score.name
        scores[name] = _worse(scores.get(name), note.score)
        if note.number is not None:
            numbers[name] = note.number
    ordered = sorted(
        scores.values(), key=lambda one: (numbers.get(one.name, math.inf), one.line or 0)
    )
    # What the members are worth is in the score of the case already.
    counted = [one for one in ordered if one.type != SCORE]
    outcome = outcome_of(one.verdict for one in ordered)
    # Of an assertion that took its process with it no more is known than its id.
    case = next((note.case for note in notes if note.case.line is not None), notes[0].case)
    session = next((note.session for note in notes if note.session is not None), None)
    return Row(
        timestamp=max((note.timestamp for note in notes if note.timestamp), default=None),
        **msgspec.structs.asdict(case),
        score=mean_score(counted),
        outcome=outcome,
        execution_status=status_of(outcome),
        error=_error(ordered) if outcome in ("error", "skipped") else None,
        **_of_session(session),
        scores=tuple(ordered),
        assertions=tuple(map(_claim, ordered)),
    )


def _worse(held: Score | None, found: Score) -> Score:
    if held is None or _BADNESS.get(found.verdict, 0) > _BADNESS.get(held.verdict, 0):
        return found
    return held


def _of_session(session: SessionNote | None) -> dict[str, Any]:
    if session is None:
        return {}
    return {
        "source": session.source,
        "input": session.input,
        "transcript_path": session.transcript_path,
        **msgspec.structs.asdict(session.figures),
    }


def _error(scores: list[Score]) -> str | None:
    """Why nothing better can be said: the reason of the first that is an error, or skipped."""
    broken = [one for one in scores if one.verdict == "error"] or scores
    return broken[0].reason or None


def _claim(score: Score) -> Claim:
    return Claim(
        text=score.claim or score.name, passed=score.verdict == "pass", evidence=score.reason
    )
