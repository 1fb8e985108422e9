"""The cases of a run as a page shows them: assertions with their reasons, and the sessions."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentv.errors import AgentvError
from pytest_agentv.html.session import SessionView, session_view
from pytest_agentv.html.texts import Clip, clip, line_of, plural
from pytest_agentv.html.texts import score as score_text
from pytest_agentv.results.outcomes import outcome_of_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from pytest_agentv.html.rooms import Rooms
    from pytest_agentv.results.model import Claim, Place, Row, Score
    from pytest_agentv.results.reading import Run

    # Number of the message from 1, line of the session.
    Where: TypeAlias = tuple[int | None, int | None]

# What verdicts are called on a page.
VERDICTS = {"pass": "holds", "fail": "fails", "error": "error", "skip": "skipped", "soft": "soft"}
# Where a target would stand of a case that had none.
NO_TARGET = "no session"
_ORDER = ("error", "fail", "soft", "skip", "pass")
_MOST_ASSERTIONS = 500
_MOST_PLACES = 20
_MOST_DETAILS = 16_000
_MOST_REASON = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceView:
    """A place that decided; without a link the page does not show it."""

    text: str
    href: str | None
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionView:
    """An assertion on one session."""

    verdict: str
    word: str
    name: str
    type: str
    claim: str
    reason: Clip
    details: Clip
    places: tuple[PlaceView, ...]
    marks: tuple[str, ...]
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """A case on one session."""

    anchor: str
    outcome: str
    label: str
    target: str
    title: str | None
    score: str | None
    threshold: str | None
    excused: str | None
    # The assertions that do not hold, in short.
    broken: str
    error: str | None
    needing_a_look: tuple[AssertionView, ...]
    holding: tuple[AssertionView, ...]
    assertions_left_out: int
    session: SessionView | None
    # Another case shows the same session.
    shown_at: str | None
    # Why there is no session to show.
    no_session: str | None
    export: str | None


@dataclass(slots=True)
class Shown:
    """Sessions that the page shows already: the anchor of their case, and their places."""

    cases: dict[str, str] = field(default_factory=dict)
    anchors: dict[str, dict[Where, str]] = field(default_factory=dict)


class CaseMaker:
    """Makes the cases of a run one after another; a session that several share is shown once."""

    def __init__(self, run: Run, rooms: Rooms, *, kept: bool = True) -> None:
        self._run = run
        self._kept = kept
        self._rooms = rooms
        self._shown = Shown()
        # The assertions that each place of a session decides; those that do not hold come first.
        self._places: dict[str, dict[Where, dict[str, None]]] = {}
        for row in run.rows:
            places = self._places.setdefault(row.transcript or "", {})
            for score in sorted(row.scores, key=lambda one: _ORDER.index(_verdict(one))):
                for place in score.evidence[:_MOST_PLACES]:
                    names = places.setdefault((place.message, place.line), {})
                    names[score.name or score.type] = None

    def case(self, row: Row, *, number: int) -> CaseView:
        """A case; its session is read now."""
        anchor = f"case-{number}"
        shown_at = self._shown.cases.get(row.transcript or "")
        session, problem = (None, None) if shown_at else self._session(row, number)
        if session is not None and row.transcript is not None:
            self._shown.cases[row.transcript] = anchor
            self._shown.anchors[row.transcript] = session.anchors
        anchors = self._shown.anchors.get(row.transcript or "", {})
        views = [_assertion(one, row, anchors) for one in row.scores[:_MOST_ASSERTIONS]]
        views = views or [_claim(one) for one in row.assertions[:_MOST_ASSERTIONS]]
        views.sort(key=lambda one: _ORDER.index(one.verdict))
        holding = [one for one in views if one.verdict in ("pass", "skip")]
        broken = [one for one in views if one.verdict not in ("pass", "skip")]
        outcome = outcome_of_row(row)
        return CaseView(
            anchor=anchor,
            outcome=outcome,
            label=line_of(label_of(row)),
            target=line_of(row.target or NO_TARGET),
            title=row.source.title if row.source else None,
            score=None if row.score is None else score_text(row.score),
            threshold=None if row.threshold is None else score_text(row.threshold),
            excused=excused_by(row),
            broken=_named(broken),
            error=_why(row) if row.ungraded or not views else None,
            needing_a_look=tuple(broken),
            holding=tuple(holding),
            assertions_left_out=len(row.scores or row.assertions) - len(views),
            session=session,
            shown_at=shown_at,
            no_session=problem,
            export=self._export(row),
        )

    def _session(self, row: Row, number: int) -> tuple[SessionView | None, str | None]:
        if row.transcript is None:
            why = "There was no session." if row.target is None else "Its session was not kept."
            return None, why
        room = self._rooms.room(row)
        if not room:
            return None, "Its session is not shown: the page would be too large."
        try:
            transcript = self._run.transcript(row)
        except AgentvError as exc:
            return None, f"Its session cannot be shown: {exc}"
        places = self._places.get(row.transcript)
        return session_view(transcript, name=f"s{number}", room=room, places=places), None

    def _export(self, row: Row) -> str | None:
        """The command that shows more of a session."""
        if row.transcript is None or not self._kept:
            return None
        path = shlex.quote(str(self._run.folder / row.transcript))
        return f"agentv export {path} --format html -o session.html"


def label_of(row: Row) -> str:
    """What tells a case of a test from others: ``claude-cli``, or ``claude-cli-3f1c9a52``."""
    bracket = row.case[len(row.test_id) :] if row.case.startswith(row.test_id) else ""
    return bracket[1:-1] if bracket.startswith("[") else row.target or NO_TARGET


def _assertion(score: Score, row: Row, anchors: dict[Where, str]) -> AssertionView:
    marks = []
    if score.excused:
        marks.append(f"excused: {line_of(score.excused, 80)}")
    if score.verdict == "soft":
        marks.append("soft: the score decides")
    if score.required:
        marks.append("required")
    if score.score is not None and 0 < score.score < 1:
        marks.append(f"score {score_text(score.score)}")
    if score.weight != 1:
        marks.append(f"weight {score.weight:g}")
    line = "" if score.line is None else f":{score.line}"
    verdict = _verdict(score)
    return AssertionView(
        verdict=verdict,
        word=VERDICTS[verdict],
        name=line_of(score.name or score.type),
        type=line_of(("not-" if score.negated else "") + score.type.removeprefix("not-"), 60),
        claim=line_of(score.claim, 1000),
        reason=clip(score.reason, _MOST_REASON),
        details=clip(score.details, _MOST_DETAILS),
        places=tuple(_place(one, anchors) for one in score.evidence[:_MOST_PLACES]),
        marks=tuple(marks),
        where=f"{row.eval_file}{line}" if row.eval_file else "",
    )


def _why(row: Row) -> str | None:
    """Why there is nothing better to say of a case than its outcome."""
    return None if row.error is None else row.error[:_MOST_REASON]


def _verdict(score: Score) -> str:
    return score.verdict if score.verdict in VERDICTS else "error"


def _claim(claim: Claim) -> AssertionView:
    """An assertion of a row that AgentV wrote."""
    verdict = "pass" if claim.passed else "fail"
    return AssertionView(
        verdict=verdict,
        word=VERDICTS[verdict],
        name=line_of(claim.text),
        type="",
        claim="",
        reason=clip(claim.evidence, _MOST_REASON),
        details=Clip(""),
        places=(),
        marks=(),
        where="",
    )


def _place(place: Place, anchors: dict[Where, str]) -> PlaceView:
    known = [
        "" if place.message is None else f"message {place.message}",
        "" if place.line is None else f"line {place.line} of the session",
    ]
    anchor = anchors.get((place.message, place.line))
    return PlaceView(
        text=", ".join(one for one in known if one) or "somewhere in the session",
        href=f"#{anchor}" if anchor else None,
        excerpt=line_of(place.excerpt, 500),
    )


def _named(broken: Sequence[AssertionView]) -> str:
    """What decided, in short; what is soft only where nothing else is to be said."""
    hard = [one for one in broken if one.verdict != "soft"]
    found = hard or broken
    names = ", ".join(one.name for one in found[:3])
    more = f" and {plural(len(found) - 3, 'other')}" if len(found) > 3 else ""  # noqa: PLR2004
    return f"soft: {names}{more}" if found and not hard else f"{names}{more}"


def excused_by(row: Row) -> str | None:
    """Why a run does not fail by a case that failed, if nothing of it makes it fail."""
    reasons = [one.excused for one in row.scores if one.verdict == "fail"]
    if outcome_of_row(row) != "failed" or not reasons or not all(reasons):
        return None
    return ", ".join(dict.fromkeys(line_of(one, 80) for one in reasons if one))
