"""The one function that grades: it reads nothing, writes nothing, and keeps nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from pytest_agentv.engine.names import slug
from pytest_agentv.engine.regrading import graded_case
from pytest_agentv.graders.costs import exact_cost
from pytest_agentv.grading.contexts import context_of
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.kept_texts import (
    kept_details,
    kept_phrase,
    kept_places,
    kept_prompt,
    kept_source,
)
from pytest_agentv.results.figures import figures_of
from pytest_agentv.results.journal import completed
from pytest_agentv.results.model import Row, Score
from pytest_agentv.results.writing import now

if TYPE_CHECKING:
    from pytest_agentv.engine.compiling import CompiledCase
    from pytest_agentv.errors import AgentvError
    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.grading.suites import Suite
    from pytest_agentv.report.outgoing import Outgoing
    from pytest_agentv.transcript.model import Source, Transcript

_PROVIDER_LENGTH = 40
_SESSION_LENGTH = 8
_GATE = "gate"


def grade(
    suite: Suite,
    transcript: Transcript,
    *,
    judge: Judge | None = None,
    outgoing: Outgoing | None = None,
) -> list[Row]:
    """Grade one transcript by the tests it was recorded for, or by all if it names none.

    Returns a row for each of these tests, as results have them; none if the suite has no such
    test. What cannot be graded is an error in its row, and never raised. With ``outgoing`` rows are
    redacted; the transcript is graded as it is.
    """
    if outgoing is not None:
        outgoing.learn(transcript)
    shown = transcript if outgoing is None else outgoing.transcript(transcript)
    rows = []
    for compiled in suite.cases_for(transcript.test_id):
        facts = suite.facts(compiled.case, judge)
        if judge is not None and compiled.asks_judge and compiled.case.skip is None:
            for assertion in compiled.assertions:
                for question in assertion.questions(facts):
                    judge.begin(question, transcript)
        scores = graded_case(compiled, context_of(transcript, facts))
        if outgoing is not None:
            scores = tuple(map(outgoing.score, scores))
        about = replace(
            _about(suite, compiled, shown.source),
            input=kept_prompt(shown.input),
            **asdict(figures_of(transcript, exact_cost(transcript, facts))),
        )
        rows.append(completed(about, [_kept(one, compiled) for one in scores]))
    return rows


def refused(suite: Suite, source: Source, test_id: str | None, error: AgentvError) -> list[Row]:
    """The rows of a session that cannot be read: each of its tests is an error."""
    reason = kept_phrase(str(error))
    return [
        completed(
            _about(suite, compiled, source),
            [
                Score(name=one.name, type=one.type, verdict="error", reason=reason, line=one.line)
                for one in compiled.assertions
            ],
        )
        for compiled in suite.cases_for(test_id)
    ]


def _about(suite: Suite, compiled: CompiledCase, source: Source) -> Row:
    case = compiled.case
    provider = slug(source.provider, _PROVIDER_LENGTH) or "unknown"
    session = slug((source.session_id or "")[:_SESSION_LENGTH], _SESSION_LENGTH)
    return Row(
        timestamp=now(),
        test_id=case.id,
        suite=one_line(suite.name),
        category=None if suite.category is None else one_line(suite.category),
        tags=tuple(map(one_line, case.tags)),
        eval_file=suite.eval_file,
        line=case.at.line,
        case=f"{case.id}[{provider}-{session}]" if session else f"{case.id}[{provider}]",
        target=one_line(source.provider),
        threshold=case.threshold,
        source=kept_source(source),
    )


def _kept(score: Score, compiled: CompiledCase) -> Score:
    """A score as a row keeps it: cleaned and cut; under a gate, the gate decides."""
    excused = score.excused
    if excused is None and score.verdict == "fail" and compiled.case.gate is not None:
        excused = _GATE
    return replace(
        score,
        claim=kept_phrase(score.claim),
        reason=kept_phrase(score.reason),
        details=kept_details(score.details),
        evidence=kept_places(score.evidence),
        excused=excused,
    )
