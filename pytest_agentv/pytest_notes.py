"""What the journal of a run says of assertions: made where they are graded, sent with reports.

Everything foreign in it is cleaned and cut, so that any process can be sent it, and it is a text,
so that anything that sends reports can send it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pytest_agentv.errors import AgentvError
from pytest_agentv.pytest_reporting import outcome_of_report
from pytest_agentv.pytest_results import RESULT
from pytest_agentv.report.kept_rows import kept_case, kept_score, kept_session
from pytest_agentv.report.kept_texts import kept_places
from pytest_agentv.results.journal import Graded
from pytest_agentv.results.judged import judged
from pytest_agentv.results.model import Row, Score
from pytest_agentv.results.verdicts import excuse_of, verdict_of
from pytest_agentv.transcript.model import Transcript

if TYPE_CHECKING:
    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.pytest_evals import Evals
    from pytest_agentv.pytest_nodes import AssertionItem
    from pytest_agentv.pytest_runs import CaseRun
    from pytest_agentv.results.journal import Noted
    from pytest_agentv.results.model import Verdict
    from pytest_agentv.results.transcripts import TranscriptKeeper

# Other outcomes are of tests that will be run again, by plugins that do that.
_FINAL = frozenset({"passed", "failed", "skipped"})

_encoder = msgspec.json.Encoder()


class Made(msgspec.Struct):
    """What a report is made of, kept until it is whole."""

    item: AssertionItem
    call: pytest.CallInfo[None]
    grade: Grade | None
    transcript: Any


class _Which(msgspec.Struct, frozen=True, gc=False):
    """Which case it is: what all lines say of it."""

    test_id: str
    eval_file: str
    case: str
    target: str | None


class _Line(msgspec.Struct, frozen=True, gc=False):
    """``Graded``, as it is written."""

    about: Row | _Which
    score: Score
    number: int
    planned: int


class ResultNotes:
    """Makes lines of the journal out of reports of assertions."""

    def __init__(self, evals: Evals, transcripts: TranscriptKeeper) -> None:
        self._evals = evals
        self._transcripts = transcripts
        # Of the last assertion, by the phase, until it is noted: plugins that repeat tests log its
        # reports later.
        self._made: dict[str, Made] = {}
        # How long it took to set the last one up.
        self.setup_seconds = 0.0
        # The case whose session was told last: all of it, and what other lines say of it.
        self._run: CaseRun | None = None
        self._about: tuple[Row, Row | _Which] = (Row(test_id=""), Row(test_id=""))
        # The last session that was redacted, and what came of it.
        self._redacted: tuple[Transcript, Transcript] | None = None

    def expect(self, item: AssertionItem, call: pytest.CallInfo[None]) -> None:
        """A report that decides is being made; others may yet change it, or make another."""
        transcript = item.funcargs.get("transcript") if item.funcargs else None
        self._made[call.when] = Made(item, call, item.grade, transcript)

    # Not when a report is made: pytest may yet make an expected failure of it, and a plugin that
    # repeats tests may say that it does not count.
    def note(self, report: pytest.TestReport) -> Noted | None:
        """What a report says that decides: of the call, or of what went wrong around it."""
        made = self._made.pop(report.when, None)
        if made is None or report.outcome not in _FINAL:
            return None
        item = made.item
        if item.location != report.location:  # as good as ids, which pytest makes when asked
            return None
        seconds = made.call.duration
        if report.when == "call":
            seconds += self.setup_seconds
        score = _score(made, report, seconds=seconds, evals=self._evals)
        about, told = self._about if item.run is self._run else self._about_run(made)
        number = len(item.run.compiled.assertions) if item.number is None else item.number
        planned = item.run.planned
        note = Graded(about=about, score=score, number=number, planned=planned)
        return note, _encoder.encode(_Line(told, score, number, planned))

    def pytest_unconfigure(self) -> None:
        """Nothing more will be graded."""
        self._transcripts.close()

    def _about_run(self, made: Made) -> tuple[Row, Row | _Which]:
        """All that is known of a case; once its session was read, one line tells it."""
        session = self._session(made)
        about = _row(made.item, session)
        if session:
            which = _Which(about.test_id, about.eval_file, about.case, about.target)
            self._run, self._about = made.item.run, (about, which)
        return about, about

    def _session(self, made: Made) -> dict[str, Any]:
        """The fields of a row that tell of its session; none if it was not read."""
        run, transcript = made.item.run, made.transcript
        session = run.session
        if session is None or not isinstance(transcript, Transcript):
            return {}
        # Else a fixture made it for this case: other cases have other ones of the same session.
        is_shared = self._evals.transcripts.holds(session, transcript)
        shown = self._shown(transcript)
        line = self._transcripts.keep(shown, key=session if is_shared else run)
        return {
            **kept_session(transcript, run.facts, shown=shown),
            "transcript_path": None if line is None else self._transcripts.name,
            "transcript_line": line,
        }

    def _shown(self, transcript: Transcript) -> Transcript:
        """The session as it may be kept; cases that follow each other often share one."""
        if self._evals.outgoing is None:
            return transcript
        if self._redacted is None or self._redacted[0] is not transcript:
            self._redacted = (transcript, self._evals.outgoing.transcript(transcript))
        return self._redacted[1]


class SentNotes:
    """In a worker of pytest-xdist: adds to reports what the journal says of them."""

    def __init__(self, notes: ResultNotes) -> None:
        self._notes = notes

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add to a report that decides."""
        if report.outcome == "passed" and report.when != "call":
            return  # it decides nothing
        noted = self._notes.note(report)
        if noted is not None:
            _, line = noted
            setattr(report, RESULT, line.decode())


def _row(item: AssertionItem, session: dict[str, Any]) -> Row:
    """All but the scores."""
    run = item.run
    return kept_case(
        run.case,
        name=run.name,
        suite=run.suite,
        category=run.category,
        eval_file=item.nodeid.partition("::")[0],
        target=item.facts["provider"],
        **session,
    )


def _score(made: Made, report: Any, *, seconds: float, evals: Evals) -> Score:
    item, grade = made.item, made.grade
    outcome = outcome_of_report(report) or "passed"
    verdict: Verdict
    if outcome == "passed" and grade is not None:  # as most are
        verdict, reason, details = "pass", grade.reason, grade.details
    else:
        facts = getattr(report, "agentv", None) or item.facts
        verdict = verdict_of(outcome, if_xfailed=facts["if_xfailed"])
        reason, details = _words(made, report, verdict=verdict, evals=evals)
    if evals.outgoing is not None:
        reason, details = evals.outgoing.text(reason), evals.outgoing.text(details)
    number = item.number
    assertion = None if number is None else item.run.compiled.assertions[number]
    points = None if grade is None or verdict == "error" else grade.points
    score = Score(
        name=item.name,
        type=item.type if assertion is None else assertion.type,
        verdict=verdict,
        score=None if points is None else float(points),
        weight=1.0 if assertion is None else assertion.weight,
        required=assertion is not None and assertion.required,
        negated=assertion is not None and assertion.negated,
        claim="" if grade is None else grade.claim,
        reason=reason,
        details=details,
        evidence=() if grade is None else kept_places(grade.evidence),
        excused=excuse_of(verdict, _xfail_reason(report)) if outcome == "xfailed" else None,
        line=item.run.case.at.line if assertion is None else assertion.line,
        duration_ms=round(seconds * 1_000_000) / 1000,
        judge=None if grade is None or grade.judge is None else judged(grade.judge),
    )
    return kept_score(score)


def _xfail_reason(report: Any) -> str:
    return str(getattr(report, "wasxfail", "")).removeprefix("reason: ")  # as pytest 8.0 writes it


def _words(made: Made, report: Any, *, verdict: Verdict, evals: Evals) -> tuple[str, str]:
    """Why it came out so, in short and at length."""
    grade, call = made.grade, made.call
    if grade is not None and verdict == "pass":
        return grade.reason, grade.details
    if verdict == "error" and call.excinfo is not None:
        error = call.excinfo.value
        if isinstance(error, AgentvError):
            return evals.shown_error(error), ""
        return call.excinfo.exconly(tryshort=True), report.longreprtext
    if isinstance(report.longrepr, tuple) and grade is None:  # a skip that is no grader's
        return report.longrepr[2].removeprefix("Skipped: "), ""
    if grade is None or (verdict == "fail" and grade.outcome != "failed"):
        return _xfail_reason(report) or report.longreprtext, ""
    return grade.reason, grade.details
