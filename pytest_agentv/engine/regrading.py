"""Grading without pytest: assertions on a transcript, each with what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pytest_agentv.engine.gating import verdict_of_grade
from pytest_agentv.engine.scoring import score
from pytest_agentv.errors import AgentvError, NotGradable
from pytest_agentv.results.judged import judged
from pytest_agentv.results.model import Place, Score
from pytest_agentv.results.outcomes import SCORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_agentv.engine.assertions import Assertion, Context
    from pytest_agentv.engine.compiling import CompiledCase
    from pytest_agentv.evalfile.model import Xfail
    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.results.model import Verdict


def graded_case(compiled: CompiledCase, context: Context) -> tuple[Score, ...]:
    """What became of every assertion of a case, and of its score if it has a threshold."""
    return _scores(compiled, lambda assertion: _grade(assertion, context))


def ungraded_case(compiled: CompiledCase, error: AgentvError) -> tuple[Score, ...]:
    """The same where the session cannot be read: an error of each, if it is not skipped anyway."""
    return _scores(compiled, lambda _: error)


def skipped_case(compiled: CompiledCase, reason: str) -> tuple[Score, ...]:
    """The same where nothing is to be graded."""
    scores = [_told(one, "skip", reason) for one in compiled.assertions]
    if compiled.case.threshold is not None:
        scores.append(replace(_about_score(compiled), verdict="skip", reason=reason))
    return tuple(scores)


def _about_score(compiled: CompiledCase) -> Score:
    return Score(name=SCORE, type=SCORE, line=compiled.case.at.line)


def _scores(
    compiled: CompiledCase, grade: Callable[[Assertion], Grade | BaseException]
) -> tuple[Score, ...]:
    """The same by whatever grades; what cannot be graded is an error, and never a grade."""
    case = compiled.case
    if case.skip is not None:
        return skipped_case(compiled, case.skip)
    grades = [grade(one) for one in compiled.assertions]
    soft = case.threshold is not None
    scores = [_score(*both, soft=soft) for both in zip(compiled.assertions, grades, strict=True)]
    if case.threshold is not None:
        scores.append(_whole(compiled, grades, case.threshold))
    if case.xfail is None:
        return tuple(scores)
    return tuple(_expected_to_fail(one, case.xfail) for one in scores)


def _expected_to_fail(score: Score, xfail: Xfail) -> Score:
    """A score of a case that is known to fail; where that is strict, it has to."""
    if score.verdict == "fail":
        return replace(score, excused="xfail")
    if score.verdict == "pass" and xfail.strict:
        return replace(score, verdict="fail", reason=f"[XPASS(strict)] {xfail.reason}")
    return score


def _grade(assertion: Assertion, context: Context) -> Grade | BaseException:
    unknown = [name for name in assertion.fixtures if name not in context.fixtures]
    if unknown:
        return NotGradable(f"it takes the fixture {unknown[0]!r}, which only pytest has")
    try:
        return assertion.grade(context)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as exc:  # noqa: BLE001 (code of others runs here, and may do anything)
        return exc


def _score(assertion: Assertion, grade: Grade | BaseException, *, soft: bool) -> Score:
    if isinstance(grade, BaseException):
        return _told(assertion, "error", _said(grade))
    verdict = verdict_of_grade(grade, soft=soft and not assertion.required)
    return replace(_told(assertion, verdict, grade.reason), **_of(grade))


def _whole(
    compiled: CompiledCase, grades: Sequence[Grade | BaseException], threshold: float
) -> Score:
    """The score of a case. An error of a member is its error, too."""
    about = _about_score(compiled)
    known = [one for one in grades if not isinstance(one, BaseException)]
    if len(known) < len(grades):
        return replace(about, verdict="error", reason="some assertions could not be graded")
    try:
        grade = score(compiled.assertions, known, threshold)
    except AgentvError as exc:
        return replace(about, verdict="error", reason=_said(exc))
    return replace(
        about, verdict=verdict_of_grade(grade, soft=False), reason=grade.reason, **_of(grade)
    )


def _told(assertion: Assertion, verdict: Verdict, reason: str) -> Score:
    return Score(
        name=assertion.name,
        type=assertion.type,
        verdict=verdict,
        weight=assertion.weight,
        required=assertion.required,
        negated=assertion.negated,
        reason=reason,
        line=assertion.line,
    )


def _of(grade: Grade) -> dict[str, object]:
    return {
        "score": grade.points,
        "claim": grade.claim,
        "details": grade.details,
        "judge": None if grade.judge is None else judged(grade.judge),
        "evidence": tuple(
            Place(message=one.message, line=one.line, excerpt=one.excerpt) for one in grade.evidence
        ),
    }


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, AgentvError) else f"{type(error).__name__}: {error}"
