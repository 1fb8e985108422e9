"""Graders of what a session may take at most: time, money, tokens, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import AliasChoices, Field, model_validator

from pytest_agentv.graders import figures
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.costs import cost_usd
from pytest_agentv.graders.fields import Limit, Share, wrong
from pytest_agentv.graders.grade import Grade, Outcome
from pytest_agentv.graders.phrases import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.figures import Figure
    from pytest_agentv.transcript.model import Transcript


class Check(NamedTuple):
    """One limit and what came of it."""

    claim: str
    outcome: Outcome
    reason: str
    vacuous: bool = False


def at_most(figure: Figure, limit: float, unit: str) -> Check:
    """Whether a figure keeps a limit; what is not known well enough to say so is skipped."""
    claim = f"at most {number(limit)} {unit}"
    if figure.high is not None and figure.high <= limit:
        some = "" if figure.exact is not None else "at most "
        return Check(claim, "passed", f"{some}{number(figure.high)} {unit}")
    if figure.low > limit:
        some = "" if figure.exact is not None else "at least "
        return Check(claim, "failed", f"{some}{number(figure.low)} {unit}")
    return Check(claim, "skipped", figure.why)


def _graded(checks: Sequence[Check]) -> Grade:
    """One grade of several checks: a failure counts most, then what could not be said."""
    if len(checks) == 1:
        (one,) = checks
        claim = f"the session kept to {one.claim}"
        return Grade(one.outcome, one.reason, None, claim, vacuous=one.vacuous)
    of = {name: [one for one in checks if one.outcome == name] for name in _WORST_FIRST}
    outcome: Outcome = next(name for name in _WORST_FIRST if of[name])
    return Grade(
        outcome,
        "; ".join(one.reason for one in of[outcome]),
        # Of what is not known in full there is no share: it would be better than the whole.
        None if of["skipped"] else len(of["passed"]) / len(checks),
        f"the session kept to {', '.join(one.claim for one in checks)}",
        details="\n".join(f"{one.outcome}: {one.claim}: {one.reason}" for one in checks),
        vacuous=outcome == "failed" and all(one.vacuous for one in of["failed"]),
    )


_WORST_FIRST: tuple[Outcome, ...] = ("failed", "skipped", "passed")


class Latency(Grader):
    """The session took at most so many milliseconds."""

    types: ClassVar[tuple[str, ...]] = ("latency",)
    max_ms: Limit = Field(validation_alias=AliasChoices("max_ms", "threshold", "value"))

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Compare the duration."""
        return _graded([at_most(figures.duration_ms(transcript), self.max_ms, "ms")])


class Cost(Grader):
    """The session cost at most so many US dollars."""

    types: ClassVar[tuple[str, ...]] = ("cost",)
    max_usd: Limit = Field(validation_alias=AliasChoices("max_usd", "budget", "threshold", "value"))

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Compare the cost."""
        return _graded([at_most(cost_usd(transcript, case), self.max_usd, "USD")])


class TokenBudget(Grader):
    """The session took at most so many tokens."""

    types: ClassVar[tuple[str, ...]] = ("token-usage",)
    max_total: Limit | None = Field(
        None, validation_alias=AliasChoices("max_total", "value", "max_total_tokens", "maxTotal")
    )
    max_input: Limit | None = Field(
        None, validation_alias=AliasChoices("max_input", "max_input_tokens", "maxInput")
    )
    max_output: Limit | None = Field(
        None, validation_alias=AliasChoices("max_output", "max_output_tokens", "maxOutput")
    )
    max_uncached: Limit | None = None

    @model_validator(mode="after")
    def _has_a_limit(self) -> TokenBudget:
        if (self.max_total, self.max_input, self.max_output, self.max_uncached) == (None,) * 4:
            raise wrong("needs max_total, max_input, max_output or max_uncached")
        return self

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Compare every figure that has a limit."""
        limits = (
            (self.max_total, figures.total_tokens, "tokens"),
            (self.max_input, figures.input_tokens, "input tokens"),
            (self.max_output, figures.output_tokens, "output tokens"),
            (self.max_uncached, figures.uncached_tokens, "uncached input tokens"),
        )
        return _graded(
            [
                at_most(figure(transcript), limit, unit)
                for limit, figure, unit in limits
                if limit is not None
            ]
        )


class ExecutionMetrics(Grader):
    """The session kept several limits, and explored as much as it should."""

    types: ClassVar[tuple[str, ...]] = ("execution-metrics",)
    max_tool_calls: Limit | None = None
    max_llm_calls: Limit | None = None
    max_tokens: Limit | None = None
    max_cost_usd: Limit | None = None
    max_duration_ms: Limit | None = None
    target_exploration_ratio: Share | None = None
    exploration_tolerance: Share = 0.2

    @model_validator(mode="after")
    def _has_a_limit(self) -> ExecutionMetrics:
        limits = {name: getattr(self, name) for name in type(self).model_fields}
        del limits["exploration_tolerance"]
        if all(limit is None for limit in limits.values()):
            raise wrong(f"needs one of {', '.join(limits)}")
        return self

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Check everything that has a limit; the score is the share of checks that hold."""
        limits = (
            (self.max_tool_calls, figures.tool_calls, "tool calls"),
            (self.max_llm_calls, figures.llm_calls, "LLM calls"),
            (self.max_tokens, figures.total_tokens, "tokens"),
            (self.max_duration_ms, figures.duration_ms, "ms"),
        )
        checks = [
            at_most(figure(transcript), limit, unit)
            for limit, figure, unit in limits
            if limit is not None
        ]
        if self.max_cost_usd is not None:
            checks.append(at_most(cost_usd(transcript, case), self.max_cost_usd, "USD"))
        if self.target_exploration_ratio is not None:
            checks.append(self._explored(self.target_exploration_ratio, transcript))
        return _graded(checks)

    def _explored(self, target: float, transcript: Transcript) -> Check:
        tolerance = self.exploration_tolerance
        claim = f"a share of {target:g} ± {tolerance:g} of exploring calls"
        ratio = figures.exploration_ratio(transcript)
        if ratio is None:
            return Check(claim, "failed", "no tool was called", vacuous=True)
        holds = abs(ratio - target) <= tolerance + _ROUNDING
        return Check(
            claim, "passed" if holds else "failed", f"a share of {ratio:.3g} of exploring calls"
        )


_ROUNDING = 1e-9
