"""What is noted while a run goes on: a line for each assertion that was graded.

If a run ends, its rows are made of these lines. If it never does, they are what is left of it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pytest_agentv.results.model import Claim, Repeats, Row, Score
from pytest_agentv.results.outcomes import GATE, SCORE, mean_score, outcome_of, status_of

if TYPE_CHECKING:
    from collections.abc import Iterable

# Of a verdict that comes again for the same assertion, the worse one counts.
_BADNESS = {"pass": 0, "skip": 1, "soft": 2, "fail": 3, "error": 4}


class Graded(Struct, frozen=True, kw_only=True, gc=False):
    """A line of the journal: one assertion on one session."""

    # What is known of the case besides its scores. One line tells all of it once its session was
    # read; others need no more of it than which case it is.
    about: Row
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
            cases.setdefault((note.about.eval_file, note.about.case), []).append(note)
    rows = [_row(several) for several in cases.values()]
    return tuple(sorted(rows, key=lambda row: (row.eval_file, row.line or 0, row.case)))


def gates_of(notes: Iterable[Graded]) -> dict[tuple[str, str, str | None], Score]:
    """What gates said, by eval file, test and target."""
    gates: dict[tuple[str, str, str | None], Score] = {}
    for note in notes:
        if note.score.type == GATE:
            key = (note.about.eval_file, note.about.test_id, note.about.target)
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
    abouts = [note.about for note in notes]
    return replace(
        max(abouts, key=_knowledge),
        timestamp=max((one.timestamp for one in abouts if one.timestamp), default=None),
        score=mean_score(counted),
        outcome=outcome,
        execution_status=status_of(outcome),
        error=_error(ordered) if outcome in ("error", "skipped") else None,
        scores=tuple(ordered),
        assertions=tuple(map(_claim, ordered)),
    )


def _knowledge(about: Row) -> tuple[bool, bool]:
    """How much a line tells; of an assertion that took its process with it, no more than its id."""
    return about.source is not None, about.line is not None


def _worse(held: Score | None, found: Score) -> Score:
    if held is None or _BADNESS.get(found.verdict, 0) > _BADNESS.get(held.verdict, 0):
        return found
    return held


def _error(scores: list[Score]) -> str | None:
    """Why nothing better can be said: the reason of the first that is an error, or skipped."""
    broken = [one for one in scores if one.verdict == "error"] or scores
    return broken[0].reason or None


def _claim(score: Score) -> Claim:
    return Claim(
        text=score.claim or score.name, passed=score.verdict == "pass", evidence=score.reason
    )
