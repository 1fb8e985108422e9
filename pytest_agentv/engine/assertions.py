"""Assertions ready to be graded: entries of an eval file joined with their graders.

Structs of msgspec, because there may be many thousands, and each is graded in a context.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeGuard

from msgspec import Struct, field

from pytest_agentv.errors import Location, PluginError
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.functions import Outcomes
from pytest_agentv.graders.grade import Grade
from pytest_agentv.graders.group import Member, combine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.functions import BoundFunction
    from pytest_agentv.graders.group import GroupOptions
    from pytest_agentv.graders.judge import LlmRubric
    from pytest_agentv.graders.judging import Question
    from pytest_agentv.transcript.model import Transcript

OnMissing = Literal["skip", "fail"]


class Context(Struct, frozen=True):
    """What one grading has to go by."""

    transcript: Transcript
    case: CaseFacts
    # Values of the fixtures that Python assertions take.
    fixtures: Mapping[str, Any]
    outcomes: Outcomes = field(default_factory=Outcomes)
    on_missing: OnMissing = "skip"


class Check(Protocol):
    """The judge of an assertion that is more than one grader."""

    @property
    def fixtures(self) -> tuple[str, ...]:
        """Names of the pytest fixtures that it takes."""

    def grade(self, context: Context) -> Grade:
        """Grade; what goes wrong is raised."""


class ByFunction(Struct, frozen=True):
    """A check by a Python function."""

    function: BoundFunction

    @property
    def fixtures(self) -> tuple[str, ...]:
        """The fixtures that the function takes."""
        return self.function.fixtures

    def grade(self, context: Context) -> Grade:
        """What the function says."""
        __tracebackhide__ = True
        return self.function.grade(context.transcript, context.fixtures, context.outcomes)


class ByMembers(Struct, frozen=True):
    """A check by other assertions."""

    options: GroupOptions
    members: tuple[Assertion, ...]

    @property
    def fixtures(self) -> tuple[str, ...]:
        """What any member takes."""
        return fixtures_of(self.members)

    def grade(self, context: Context) -> Grade:
        """The members' grades combined; one that cannot be graded makes the set so."""
        __tracebackhide__ = True
        graded = [
            Member(one.name, one.grade(context), one.weight, one.required) for one in self.members
        ]
        mode, threshold = self.options.rule
        return combine(graded, mode=mode, threshold=threshold)


class ByRubric(Struct, frozen=True):
    """One text among others that a judge is asked about at once."""

    grader: LlmRubric
    number: int
    texts: tuple[str, ...]

    @property
    def fixtures(self) -> tuple[str, ...]:
        """None."""
        return ()

    def grade(self, context: Context) -> Grade:
        """What the judge says of this text."""
        return self.grader.grade_among(self.number, self.texts, context.transcript, context.case)


class Assertion(Struct, frozen=True, kw_only=True):
    """One assertion of a case; of its entry it keeps no more than grading takes."""

    name: str
    type: str
    check: Grader | Check
    path: Path | str
    line: int | None
    negated: bool = False
    weight: float = 1.0
    required: bool = False
    # The score from which it holds, where the grader has no threshold of its own.
    threshold: float | None = None
    # The same, after a negation.
    min_score: float | None = None
    on_missing: OnMissing | None = None

    @property
    def at(self) -> Location:
        """Where it stands in its eval file."""
        return Location(self.path, self.line)

    @property
    def fixtures(self) -> tuple[str, ...]:
        """Names of the pytest fixtures that it takes."""
        return () if isinstance(self.check, Grader) else self.check.fixtures

    @property
    def has_members(self) -> bool:
        """Whether it is a set of others."""
        return isinstance(self.check, ByMembers)

    @property
    def asks_judge(self) -> bool:
        """Whether a judge has to answer."""
        check = self.check
        if isinstance(check, ByMembers):
            return any(one.asks_judge for one in check.members)
        return isinstance(check, ByRubric) or is_rubric(check)

    def questions(self, case: CaseFacts) -> Iterator[Question]:
        """What a judge will be asked, if one has to be."""
        check = self.check
        if is_rubric(check):
            yield check.question(case)
        elif isinstance(check, ByRubric):
            yield check.grader.question(case, among=check.texts)
        elif isinstance(check, ByMembers):
            for member in check.members:
                yield from member.questions(case)

    def grade(self, context: Context) -> Grade:
        """Grade, by all that the entry says: threshold, negation, least score, missing data."""
        __tracebackhide__ = True
        try:
            grade = self._checked(context)
        except context.outcomes.skips as exc:  # of a grader, or a fixture of a member
            grade = Grade("skipped", str(exc), cause=exc)
        if self.threshold is not None:
            grade = grade.against(self.threshold)
        if self.negated:
            grade = grade.negated()
        if self.min_score is not None:
            grade = grade.against(self.min_score)
        on_missing = self.on_missing or context.on_missing
        # A function that skips has its reasons; they are not about data that is missing.
        if grade.outcome == "skipped" and grade.cause is None and on_missing == "fail":
            # Nothing was found to be false, and so no negation around it may make it true.
            reason = f"not evaluable: {grade.reason}"
            grade = replace(grade, outcome="failed", reason=reason, vacuous=True)
        return grade

    def _checked(self, context: Context) -> Grade:
        """What its grader says."""
        __tracebackhide__ = True
        check = self.check
        if not isinstance(check, Grader):
            return check.grade(context)
        grade = check.grade(context.transcript, context.case)
        if not isinstance(grade, Grade):
            raise PluginError(f"the grader of {self.type!r} returned {grade!r}, no Grade")
        return grade


def is_rubric(check: Grader | Check) -> TypeGuard[LlmRubric]:
    """Whether a judge has to answer; to ask for the class itself would load it in every run."""
    return isinstance(check, Grader) and check.asks_judge


def fixtures_of(assertions: Sequence[Assertion]) -> tuple[str, ...]:
    """Names of all fixtures that assertions take, each once."""
    return tuple(dict.fromkeys(name for one in assertions for name in one.fixtures))
