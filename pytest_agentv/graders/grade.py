"""A grade: whether one assertion holds on one transcript, why, and where one can see it.

Light on purpose: conftest.py files import it, and so it loads nothing but the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pytest_agentv.graders.scores import reaches

if TYPE_CHECKING:
    from pytest_agentv.graders.judging import JudgeUse

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a transcript: the number of the message, counted from 1, the session's line."""

    message: int | None = None
    line: int | None = None
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """The outcome of one assertion.

    ``skipped`` means that the session does not hold what would be graded. A grader that cannot
    do its work raises instead: an error is no grade.
    """

    outcome: Outcome
    # What was found, as a phrase: "not found in 1,204 characters", "812,000 tokens".
    reason: str = ""
    # From 0 to 1; without one, 1 if it holds and 0 if not.
    score: float | None = None
    # What the assertion claims, as a phrase: "the final answer contains 'JWT'".
    claim: str = ""
    evidence: tuple[Evidence, ...] = ()
    # More for a failure text, of several lines: a diff, a table of checks.
    details: str = ""
    # It does not hold because there is nothing it could hold for; so its negation is no pass.
    vacuous: bool = False
    # It holds for some of several things, not for all; so its negation, for none of them, fails.
    mixed: bool = False
    # It does not hold for something that no score makes up for.
    barred: bool = False
    # What a language model took to say it.
    judge: JudgeUse | None = None
    # What a Python assertion raised to say that it does not hold; its traceback tells more.
    cause: BaseException | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.outcome not in ("passed", "failed", "skipped"):
            raise ValueError(f"no outcome of a grade: {self.outcome!r}")
        # Written out, because there are as many as assertions.
        if not isinstance(self.reason, str):
            raise TypeError(f"the reason of a grade is a text, not {self.reason!r}")
        if not isinstance(self.claim, str):
            raise TypeError(f"the claim of a grade is a text, not {self.claim!r}")
        if not isinstance(self.details, str):
            raise TypeError(f"the details of a grade are a text, not {self.details!r}")
        for one in self.evidence:
            if not isinstance(one, Evidence):
                raise TypeError(f"the evidence of a grade is Evidence, not {self.evidence!r}")
        score = self.score
        if score is not None and not (0 <= score <= 1):  # NaN is neither
            raise ValueError(f"a score is a number from 0 to 1, not {score!r}")

    def __bool__(self) -> bool:
        return self.outcome == "passed"

    @property
    def points(self) -> float | None:
        """The score, or what the outcome amounts to; None if there is nothing to count."""
        if self.outcome == "skipped":
            return None
        if self.score is not None:
            return self.score
        return 1.0 if self.outcome == "passed" else 0.0

    def negated(self) -> Grade:
        """The grade of the opposite claim; what could not be graded is no pass either way."""
        claim = f"not: {self.claim}" if self.claim else ""
        score = None if self.score is None else 1 - self.score
        if self.outcome == "passed":
            return replace(self, outcome="failed", claim=claim, score=score)
        if self.outcome == "failed" and self.mixed:
            return replace(self, claim=claim, score=None)
        if self.outcome == "failed" and not self.vacuous:
            return replace(self, outcome="passed", claim=claim, score=score, barred=False)
        return replace(self, outcome="skipped", claim=claim, score=None)

    def against(self, threshold: float) -> Grade:
        """The same, judged by its score alone, unless something bars it."""
        points = self.points
        if points is None:
            return self
        holds = reaches(points, threshold) and not self.barred
        reason = f"score {points:.3g} of at least {threshold:.3g}"
        if self.reason:
            reason += f": {self.reason}"
        return replace(self, outcome="passed" if holds else "failed", score=points, reason=reason)


def passed(claim: str, reason: str = "", *evidence: Evidence, score: float | None = None) -> Grade:
    """A claim that holds."""
    return Grade("passed", reason, score, claim, evidence)


def failed(
    claim: str,
    reason: str,
    *evidence: Evidence,
    score: float | None = None,
    details: str = "",
    vacuous: bool = False,
) -> Grade:
    """A claim that does not hold."""
    return Grade("failed", reason, score, claim, evidence, details, vacuous)


def missing(claim: str, reason: str) -> Grade:
    """A claim on something that the session does not say."""
    return Grade("skipped", reason, None, claim)
