"""What the journal of a run says of assertions: made where they are graded, sent with reports.

Everything foreign in it is cleaned and cut, so that any process can be sent it, and it is a text,
so that anything that sends reports can send it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from pytest_agentv.errors import AgentvError, NotGradable
from pytest_agentv.graders.costs import cost_usd
from pytest_agentv.pytest_reporting import outcome_of_report
from pytest_agentv.pytest_results import RESULT
from pytest_agentv.report.clean import clean, one_line
from pytest_agentv.results.figures import figures_of
from pytest_agentv.results.journal import CaseNote, SessionNote
from pytest_agentv.results.judged import judged
from pytest_agentv.results.model import Place, Score
from pytest_agentv.results.places import transcript_path
from pytest_agentv.results.verdicts import excuse_of, verdict_of
from pytest_agentv.results.writing import keep_transcript, now
from pytest_agentv.transcript.model import Source, Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.graders.grade import Evidence, Grade
    from pytest_agentv.pytest_evals import Evals
    from pytest_agentv.pytest_nodes import AssertionItem
    from pytest_agentv.pytest_runs import CaseRun
    from pytest_agentv.results.model import Verdict

_PHRASE_LENGTH = 2_000
_DETAILS_LENGTH = 16_000
_EXCERPT_LENGTH = 1_000
_PROMPT_LENGTH = 300
_MOST_PLACES = 10
_SOURCE_FIELDS = Source.__struct_fields__
_LARGEST = 1 << 62
# Other outcomes are of tests that will be run again, by plugins that do that.
_FINAL = frozenset({"passed", "failed", "skipped"})

_encoder = msgspec.json.Encoder()


class Made(NamedTuple):
    """What a report is made of, kept until it is whole."""

    item: AssertionItem
    call: pytest.CallInfo[None]
    grade: Grade | None
    transcript: Any


class ResultNotes:
    """Adds to reports of assertions what the journal says of them."""

    def __init__(self, evals: Evals, folder: Path) -> None:
        self._evals = evals
        self._folder = folder
        # Of the last assertion, by the phase: plugins that repeat tests log its reports later.
        self._made: dict[str, Made] = {}
        # The case whose session was told last, and what other lines of it begin with.
        self._run: CaseRun | None = None
        self._about = ""
        # The last session that was redacted, and what came of it.
        self._redacted: tuple[Transcript, Transcript] | None = None

    def expect(self, item: AssertionItem, call: pytest.CallInfo[None]) -> None:
        """A report of an assertion is being made; others may yet change it, or make another."""
        if call.when == "setup":
            self._made.clear()
        transcript = (item.funcargs or {}).get("transcript")
        self._made[call.when] = Made(item, call, item.grade, transcript)

    # Not when a report is made: pytest may yet make an expected failure of it, and a plugin that
    # repeats tests may say that it does not count.
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add to the report that decides: of the call, or of what went wrong before or after."""
        decides = report.when == "call" or report.outcome != "passed"
        if decides and report.outcome in _FINAL:
            made = self._made.get(report.when)
            if made is not None and made.item.nodeid == report.nodeid:
                setattr(report, RESULT, self._line(made, report))
        if report.when == "teardown":
            self._made.clear()

    def _line(self, made: Made, report: pytest.TestReport) -> str:
        item = made.item
        seconds = made.call.duration
        if report.when == "call" and "setup" in self._made:
            seconds += self._made["setup"].call.duration
        score = _score(made, report, seconds=seconds, evals=self._evals)
        about = self._about_run(made) if item.run is not self._run else self._about
        number = len(item.run.compiled.assertions) if item.number is None else item.number
        scored = _encoder.encode(score).decode()
        return f'{{{about},"score":{scored},"number":{number}}}'

    def _about_run(self, made: Made) -> str:
        """What lines say of the case; the first one after its session was read tells of that."""
        session = self._session_note(made)
        about = f'"timestamp":"{now()}","case":{_encoder.encode(_case_note(made.item)).decode()}'
        if session is None:
            return about
        self._run, self._about = made.item.run, about
        return f'{about},"session":{_encoder.encode(session).decode()}'

    def _session_note(self, made: Made) -> SessionNote | None:
        item, transcript = made.item, made.transcript
        session = item.run.session
        if session is None or not isinstance(transcript, Transcript):
            return None
        at = session.at
        if not self._evals.transcripts.holds(session, transcript):
            # A fixture made it for this case: other cases have other ones of the same session.
            at = at._replace(path=f"{at.path}::{item.path}::{item.run.name}")
        name = transcript_path(session.provider, session.session_id, at)
        figures = figures_of(transcript, _cost(transcript, item.run))
        shown = self._shown(transcript)
        kept = keep_transcript(self._folder, name, shown)
        prompt = shown.input
        return SessionNote(
            source=_cleaned(shown.source),
            input=None if prompt is None else one_line(prompt, limit=_PROMPT_LENGTH),
            transcript_path=name if kept else None,
            figures=figures,
        )

    def _shown(self, transcript: Transcript) -> Transcript:
        """The session as it may be kept; cases that follow each other often share one."""
        if self._evals.outgoing is None:
            return transcript
        if self._redacted is None or self._redacted[0] is not transcript:
            self._redacted = (transcript, self._evals.outgoing.transcript(transcript))
        return self._redacted[1]


def _case_note(item: AssertionItem) -> CaseNote:
    run = item.run
    return CaseNote(
        test_id=run.case.id,
        suite=one_line(run.suite),
        category=None if run.category is None else one_line(run.category),
        tags=tuple(map(one_line, run.case.tags)),
        eval_file=item.nodeid.partition("::")[0],
        line=run.case.at.line,
        case=run.name,
        target=item.facts["provider"],
        threshold=run.case.threshold,
    )


def _cost(transcript: Transcript, run: CaseRun) -> float | None:
    """What the session cost, if that is known exactly."""
    try:
        return cost_usd(transcript, run.facts).exact
    except NotGradable:
        return None


def _cleaned(source: Source) -> Source:
    texts = ((name, getattr(source, name)) for name in _SOURCE_FIELDS)
    return replace(source, **{name: one_line(one) for name, one in texts if one is not None})


def _score(made: Made, report: Any, *, seconds: float, evals: Evals) -> Score:
    item, grade = made.item, made.grade
    outcome = outcome_of_report(report) or "passed"
    facts = getattr(report, "agentv", item.facts)
    verdict = verdict_of(outcome, if_xfailed=facts["if_xfailed"])
    reason, details = _words(made, report, verdict=verdict, evals=evals)
    if evals.outgoing is not None:
        reason, details = evals.outgoing.text(reason), evals.outgoing.text(details)
    number = item.number
    assertion = None if number is None else item.run.compiled.assertions[number]
    points = None if grade is None or verdict == "error" else grade.points
    return Score(
        name=item.name,
        type=item.type,
        verdict=verdict,
        score=None if points is None else float(points),
        weight=1.0 if assertion is None else assertion.weight,
        required=assertion is not None and assertion.required,
        negated=assertion is not None and assertion.negated,
        claim="" if grade is None else _cut(grade.claim, _PHRASE_LENGTH),
        reason=_cut(reason, _PHRASE_LENGTH),
        details=_cut(details, _DETAILS_LENGTH),
        evidence=() if grade is None else tuple(map(_place, grade.evidence[:_MOST_PLACES])),
        excused=excuse_of(verdict, _xfail_reason(report)) if outcome == "xfailed" else None,
        line=item.run.case.at.line if assertion is None else assertion.line,
        duration_ms=round(seconds * 1000, 3),
        judge=None if grade is None else judged(grade),
    )


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


def _place(evidence: Evidence) -> Place:
    return Place(
        message=_number(evidence.message),
        line=_number(evidence.line),
        excerpt=_cut(str(evidence.excerpt), _EXCERPT_LENGTH),
    )


def _cut(text: str, limit: int) -> str:
    return clean(text, limit=limit) if text else ""


def _number(value: Any) -> int | None:
    """A place that can be written; graders of others may say anything."""
    return value if type(value) is int and abs(value) < _LARGEST else None
