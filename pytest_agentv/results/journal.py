"""What is noted while a run goes on: a line for each assertion that was graded.

If a run ends, its rows are made of these lines. If it never does, they are what is left of it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pytest_agentv.results.model import Claim, Repeats, Row, Score, Summary
from pytest_agentv.results.outcomes import GATE, SCORE, mean_score, outcome_of, status_of
from pytest_agentv.results.repeats import repeats_of
from pytest_agentv.results.totals import totals_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    # How many assertions of the case were to be graded, if somebody said it.
    planned: int | None = None


# A note, and the line of the journal that says it.
Noted: TypeAlias = tuple[Graded, bytes]


class Begun(Struct, frozen=True, kw_only=True, gc=False):
    """The first line of the journal."""

    run_id: str
    started_at: str
    agentv_version: str | None = None
    pytest_version: str | None = None
    arguments: tuple[str, ...] = ()


def read_note(line: bytes | str) -> Graded | None:
    """The note that a line says; None if it says none, as the last one that a killed run wrote."""
    try:
        return _decoder().decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


# Made when it is needed: it looks at all types, and a run that goes on need not read its notes.
@cache
def _decoder() -> msgspec.json.Decoder[Graded]:
    return msgspec.json.Decoder(Graded, strict=False)


class Notes:
    """What a journal says, gathered line by line; it holds no more of a case than its row will."""

    def __init__(self, notes: Iterable[Graded]) -> None:
        # By eval file, test and target.
        self.gates: dict[tuple[str, str, str | None], Score] = {}
        cases: dict[tuple[str, str], _Case] = {}
        for note in notes:
            about, score = note.about, note.score
            if score.type == GATE:
                key = (about.eval_file, about.test_id, about.target)
                self.gates[key] = _worse(self.gates.get(key), score)
                continue
            which = (about.eval_file, about.case)
            case = cases.get(which)
            if case is None:
                case = cases[which] = _Case(about)
            case.add(note)
        rows = sorted(
            (one.row() for one in cases.values()),
            key=lambda row: (row.eval_file, row.line or 0, row.case),
        )
        # A case on one session each, in order of eval files and lines.
        self.rows = tuple(rows)

    def summary(self, begun: Begun) -> Summary:
        """The run as a whole, as far as it went."""
        rows = self.rows
        return Summary(
            run_id=begun.run_id,
            started_at=begun.started_at,
            agentv_version=begun.agentv_version,
            pytest_version=begun.pytest_version,
            arguments=begun.arguments,
            targets=totals_of(rows),
            repeats=tuple(map(self._with_gate, repeats_of(rows))),
        )

    def _with_gate(self, group: Repeats) -> Repeats:
        gate = self.gates.get((group.eval_file, group.test_id, group.target))
        return replace(group, gate=gate)


class _Case:
    """What was noted of a case on one session, in whatever order."""

    __slots__ = ("_about", "_notes", "_planned", "_timestamp")

    def __init__(self, about: Row) -> None:
        self._about = about
        self._timestamp = about.timestamp
        # By the name of the assertion.
        self._notes: dict[str, Graded] = {}
        self._planned = 0

    def add(self, note: Graded) -> None:
        about, name = note.about, note.score.name
        if about is not self._about:
            if _knowledge(about) > _knowledge(self._about):
                self._about = about
            self._timestamp = max(self._timestamp or "", about.timestamp or "") or None
        self._planned = max(self._planned, note.planned or 0)
        held = self._notes.get(name)
        self._notes[name] = note if held is None else _together(held, note)

    def row(self) -> Row:
        scores = [one.score for one in sorted(self._notes.values(), key=_place)]
        about, timestamp = self._about, self._timestamp
        if about.timestamp != timestamp:
            about = replace(about, timestamp=timestamp)
        return completed(about, scores, ungraded=max(self._planned - len(scores), 0))


def completed(about: Row, scores: Sequence[Score], *, ungraded: int = 0) -> Row:
    """The row of a case: what is known of it, and what became of its assertions."""
    # What the members are worth is in the score of the case already.
    counted = [one for one in scores if one.type != SCORE]
    outcome = outcome_of([one.verdict for one in scores], ungraded=ungraded)
    return replace(
        about,
        score=None if outcome == "error" else mean_score(counted),
        outcome=outcome,
        execution_status=status_of(outcome),
        error=_error(scores, ungraded) if outcome in ("error", "skipped") else None,
        ungraded=ungraded,
        scores=tuple(scores),
        assertions=tuple([_claim(one) for one in scores]),
    )


def _knowledge(about: Row) -> tuple[bool, bool]:
    """How much a line tells; of an assertion that took its process with it, no more than its id."""
    return about.source is not None, about.line is not None


def _place(note: Graded) -> tuple[float, int]:
    """Where an assertion stands in its case; of one that crashed nobody said it."""
    return math.inf if note.number is None else note.number, note.score.line or 0


def _together(held: Graded, found: Graded) -> Graded:
    """What two notes say of one assertion: the worse, and its place if either knows that."""
    return Graded(
        about=held.about,
        score=_worse(held.score, found.score),
        number=held.number if found.number is None else found.number,
    )


def _worse(held: Score | None, found: Score) -> Score:
    if held is None or _BADNESS.get(found.verdict, 0) > _BADNESS.get(held.verdict, 0):
        return found
    return held


def _error(scores: Sequence[Score], ungraded: int) -> str | None:
    """Why nothing better can be said: the reason of the first that is an error, or skipped."""
    broken = [one for one in scores if one.verdict == "error"]
    if ungraded and not broken:
        every = len(scores) + ungraded
        return f"the run broke off: {len(scores)} of {every} assertions were graded"
    return (broken or scores)[0].reason or None


def _claim(score: Score) -> Claim:
    return Claim(
        text=score.claim or score.name, passed=score.verdict == "pass", evidence=score.reason
    )
