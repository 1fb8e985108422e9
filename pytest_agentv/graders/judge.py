"""Assertions that a language model judges: rubrics, goals, plain texts.

The grader knows what to ask and what an answer means. Who answers is told by the run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.fields import (
    AnyText,
    Count,
    Limit,
    Scope,
    Threshold,
    wrong,
)
from pytest_agentv.graders.grade import Grade, missing
from pytest_agentv.graders.judging import (
    Answer,
    Criterion,
    JudgeUse,
    NotJudged,
    Question,
    Verdict,
)
from pytest_agentv.graders.phrases import shown
from pytest_agentv.graders.rubrics import MOST_POINTS, criteria_of
from pytest_agentv.graders.scopes import SUBJECTS, Nothing, passages
from pytest_agentv.graders.scores import reaches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import Transcript

_MOST_SAMPLES = 25


def _samples(value: int) -> int:
    if not 1 <= value <= _MOST_SAMPLES:
        raise wrong(f"must be a whole number from 1 to {_MOST_SAMPLES}")
    return value


class LlmRubric(Grader):
    """The session does what a rubric says, by the word of a language model."""

    types: ClassVar[tuple[str, ...]] = ("llm-rubric", "llm-grader", "rubrics", "agent-rubric")
    asks_judge: ClassVar[bool] = True
    # AgentV 4 has other names for it.
    value: str | list[Any] | dict[str, Any] | None = Field(
        None, validation_alias=AliasChoices("value", "criteria", "rubrics")
    )
    prompt: AnyText | None = Field(
        None, validation_alias=AliasChoices("prompt", "rubric_prompt", "rubricPrompt")
    )
    # Who is to judge, and how.
    provider: str | dict[str, Any] | None = None
    target: AnyText | None = None
    model: AnyText | None = None
    temperature: Limit | None = None
    samples: Annotated[Count, AfterValidator(_samples)] = 1
    in_: Scope | None = Field(None, validation_alias="in")
    threshold: Threshold | None = None
    # Of AgentV's judges that use tools; this one has none.
    max_steps: Count | None = None

    @model_validator(mode="after")
    def _readable(self) -> LlmRubric:
        _ = self.criteria
        return self

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """What has to hold; none if the prompt alone says it, or the case."""
        return () if self.value is None else criteria_of(self.value)

    @property
    def scope(self) -> Any:
        """What the judge gets to see."""
        return self.in_ or "final"

    def question(self, case: CaseFacts, *, among: tuple[str, ...] | None = None) -> Question:
        """What is asked; of a text among others, all of them are asked at once."""
        criteria = self.criteria or _of_case(case)
        if among is not None:
            criteria = tuple(Criterion(text=text) for text in among)
        return Question(
            criteria=criteria,
            scope=self.scope,
            task=case.input,
            expected=case.expected_output,
            prompt=self.prompt,
            model=_model_of(self.model) or _model_of(self.provider) or case.judge_model,
            temperature=self.temperature,
            samples=self.samples,
        )

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Ask the judge about all criteria."""
        question = self.question(case)
        return self._graded(question, range(len(question.criteria)), transcript, case)

    def grade_among(
        self, number: int, texts: tuple[str, ...], transcript: Transcript, case: CaseFacts
    ) -> Grade:
        """Ask the judge about all texts of a case, and grade one of them."""
        return self._graded(self.question(case, among=texts), [number], transcript, case)

    def _graded(
        self,
        question: Question,
        numbers: Sequence[int],
        transcript: Transcript,
        case: CaseFacts,
    ) -> Grade:
        asked = [question.criteria[number] for number in numbers]
        claim = _claim(question, asked)
        found = passages(transcript, question.scope)
        if isinstance(found, Nothing):
            return missing(claim, found.reason)
        if case.judge is None:
            return missing(claim, "no judge is set up: a language model would have to read this")
        verdict = case.judge.answer(question, transcript)
        if isinstance(verdict, NotJudged):
            grade = missing(claim, verdict.reason)
            if not verdict.missed:
                return grade
            return replace(grade, judge=JudgeUse(model="", cached=False, missed=True))
        answers = [verdict.answers[number] for number in numbers]
        return _grade(claim, asked, answers, verdict, threshold=self.threshold)


class GoalSuccess(LlmRubric):
    """The session reaches a goal, by the word of a language model that sees its steps."""

    types: ClassVar[tuple[str, ...]] = ("trajectory:goal-success",)

    @property
    def scope(self) -> Any:
        """All of it: whether a goal was reached shows in what was done."""
        return self.in_ or "transcript"


def _of_case(case: CaseFacts) -> tuple[Criterion, ...]:
    if case.criteria:
        return (Criterion(text=case.criteria),)
    return (Criterion(text="The task is done as it was asked for."),)


def _model_of(provider: str | dict[str, Any] | None) -> str | None:
    """The model that a provider names; other names are of AgentV's own settings."""
    name = provider.get("id") if isinstance(provider, dict) else provider
    return name if isinstance(name, str) and ":" in name.strip(":") else None


def _claim(question: Question, asked: Sequence[Criterion]) -> str:
    whose = "the session" if question.scope == "transcript" else SUBJECTS[question.scope]
    if len(asked) == 1:
        verb = "contradicts" if asked[0].contradiction else "satisfies"
        return f"{whose} {verb} {shown(asked[0].text)}"
    return f"{whose} satisfies the rubric of {len(asked)} criteria"


def _grade(
    claim: str,
    asked: Sequence[Criterion],
    answers: Sequence[Answer],
    verdict: Verdict,
    *,
    threshold: float | None,
) -> Grade:
    weights = [one.weight for one in asked]
    score = sum(w * one.score for w, one in zip(weights, answers, strict=True)) / sum(weights)
    met = [_is_met(*both) for both in zip(asked, answers, strict=True)]
    kept = all(met[i] for i, one in enumerate(asked) if one.required)
    holds = kept and (all(met) if threshold is None else reaches(score, threshold))
    unmet = [i for i, one in enumerate(met) if not one]
    if len(asked) == 1:
        reason = answers[0].reason or ("met" if met[0] else "not met")
    else:
        reason = f"{len(asked) - len(unmet)} of {len(asked)} criteria are met"
        if unmet:
            first = unmet[0]
            reason += f"; not {shown(asked[first].text)}: {answers[first].reason}"
    if threshold is not None:
        reason = f"score {score:.3g} of at least {threshold:.3g}: {reason}"
    return Grade(
        "passed" if holds else "failed",
        reason,
        score,
        claim,
        details=_details(asked, answers, met, verdict),
        # Without a majority, neither this nor its opposite holds.
        vacuous=not holds and threshold is None and all(answers[i].tied for i in unmet),
        barred=not kept,
        judge=verdict.use,
    )


def _is_met(criterion: Criterion, answer: Answer) -> bool:
    if criterion.min_score is not None:
        return reaches(answer.score, criterion.min_score)
    # Points are no yes or no: without a least score, nothing less than all of them will do.
    return reaches(answer.score, 1.0) if criterion.ranges else answer.met


def _details(
    asked: Sequence[Criterion], answers: Sequence[Answer], met: Sequence[bool], verdict: Verdict
) -> str:
    lines = [
        f"{'met' if holds else 'not met':<8} {_points(criterion, answer)}"
        f"{f'{criterion.id}: ' if criterion.id else ''}{criterion.text}"
        + (f"\n         {answer.reason}" if answer.reason else "")
        for criterion, answer, holds in zip(asked, answers, met, strict=True)
    ]
    use = verdict.use
    whence = " (from the cache)" if use.cached else ""
    said = f"judged by {use.model}{whence}"
    if use.agreement is not None:
        said += f", {use.samples} samples, {use.agreement:.0%} agree"
    if use.input_tokens is not None and use.output_tokens is not None:
        said += f", {use.input_tokens:,} + {use.output_tokens:,} tokens"
    if use.cost_usd is not None:
        said += f", {use.cost_usd:.4f} USD"
    return "\n".join([*lines, said])


def _points(criterion: Criterion, answer: Answer) -> str:
    return f"{answer.score * MOST_POINTS:.3g}/{MOST_POINTS} " if criterion.ranges else ""
