"""The one function that grades: it reads nothing, writes nothing, and keeps nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pytest_agentv.engine.names import session_name
from pytest_agentv.engine.regrading import graded_case, ungraded_case
from pytest_agentv.grading.contexts import context_of
from pytest_agentv.report.kept_rows import kept_case, kept_score, kept_session
from pytest_agentv.report.kept_texts import kept_source
from pytest_agentv.results.journal import completed
from pytest_agentv.results.outcomes import GATE

if TYPE_CHECKING:
    from pytest_agentv.errors import AgentvError
    from pytest_agentv.evalfile.model import Case
    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.grading.suites import Suite
    from pytest_agentv.report.outgoing import Outgoing
    from pytest_agentv.results.model import Row, Score
    from pytest_agentv.transcript.model import Source, Transcript


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
        session = kept_session(transcript, facts, shown=shown)
        about = _about(suite, compiled.case, shown.source, **session)
        rows.append(completed(about, [_kept(one, compiled.case) for one in scores]))
    return rows


def refused(suite: Suite, source: Source, test_id: str | None, error: AgentvError) -> list[Row]:
    """The rows of a session that cannot be read: an error of each test that is not skipped."""
    return [
        completed(
            _about(suite, compiled.case, source, source=kept_source(source)),
            list(map(kept_score, ungraded_case(compiled, error))),
        )
        for compiled in suite.cases_for(test_id)
    ]


def _about(suite: Suite, case: Case, of: Source, **session: Any) -> Row:
    return kept_case(
        case,
        name=f"{case.id}[{session_name(of.provider, of.session_id)}]",
        suite=suite.name,
        category=suite.category,
        eval_file=suite.eval_file,
        target=of.provider,
        **session,
    )


def _kept(score: Score, case: Case) -> Score:
    """A score as a row keeps it; under a gate the gate decides, unless it has to hold anyway.

    What holds though it is known to fail, and must not, is a failure that nothing excuses.
    """
    is_gated = case.gate is not None and not score.required
    is_pass = case.xfail is not None and score.excused is None
    if is_gated and score.verdict == "fail" and not is_pass:
        score = replace(score, excused=GATE)
    return kept_score(score)
