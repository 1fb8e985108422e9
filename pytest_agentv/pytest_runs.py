"""A case on one session, and what tells the sessions of a case apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_agentv.engine.names import provider_name, session_name, unique
from pytest_agentv.engine.scoring import score
from pytest_agentv.report.junit import properties
from pytest_agentv.results.outcomes import GATE, SCORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.engine.assertions import Context
    from pytest_agentv.engine.compiling import CompiledCase
    from pytest_agentv.errors import PairingError
    from pytest_agentv.evalfile.model import Case
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.sources import RecordedSession


@dataclass(eq=False, slots=True)
class CaseRun:
    """One case on one session."""

    name: str
    compiled: CompiledCase
    facts: CaseFacts
    # Of the eval file.
    suite: str
    category: str | None
    session: RecordedSession | None = None
    # Why there is no session, if that is a mistake.
    error: PairingError | None = None
    # The runs that its gate judges: of one session this one; of several, which are runs of their
    # own, all of them, and then this run holds nothing but the gate.
    gated: Sequence[CaseRun] = ()
    # How many of its items are to be run, the gate not counted; known once all are collected.
    planned: int = 0
    _grades: dict[int, Grade] = field(default_factory=dict)
    _properties: dict[str | None, list[tuple[str, str]]] = field(default_factory=dict)

    @property
    def case(self) -> Case:
        """The case."""
        return self.compiled.case

    @property
    def names(self) -> list[str]:
        """The names of its items."""
        return [*self.own_names, GATE] if self.gated else self.own_names

    @property
    def own_names(self) -> list[str]:
        """Those of its assertions, and of its score if it has a threshold."""
        if self.is_group:
            return []
        names = [one.name for one in self.compiled.assertions]
        return names if self.case.threshold is None else [*names, SCORE]

    @property
    def is_group(self) -> bool:
        """Whether it stands for several sessions."""
        return len(self.gated) > 1

    @property
    def provider(self) -> str | None:
        """Whose sessions it grades."""
        session = self.gated[0].session if self.is_group else self.session
        return None if session is None else session.provider

    def grade(self, number: int, context: Context) -> Grade:
        """The grade of one assertion; graded once where a score or a gate needs it again."""
        __tracebackhide__ = True
        if self.case.threshold is None and self.case.gate is None:
            return self.compiled.assertions[number].grade(context)
        known = self._grades.get(number)
        if known is not None:
            return known
        grade = self.compiled.assertions[number].grade(context)
        # Without what was raised: its traceback would keep the transcript.
        self._grades[number] = replace(grade, cause=None)
        return grade

    def forget(self, number: int | None) -> None:
        """Grade one assertion anew when somebody needs it; without a number, all of them."""
        if number is None:
            self._grades.clear()
        else:
            self._grades.pop(number, None)

    def properties(self, model: str | None) -> list[tuple[str, str]]:
        """What JUnit says of each of its items; the model is that of the transcript."""
        if model not in self._properties:
            session = self.session
            self._properties[model] = properties(
                provider=self.provider,
                model=model,
                session_id=None if session is None else session.session_id,
                test_id=self.case.id,
            )
        return self._properties[model]

    def score(self, context: Context) -> Grade:
        """How the case does as a whole."""
        __tracebackhide__ = True
        numbers = range(len(self.compiled.assertions))
        return self.score_of([self.grade(number, context) for number in numbers])

    def score_of(self, grades: Sequence[Grade]) -> Grade:
        """The same, given the grades of its assertions."""
        return score(self.compiled.assertions, grades, self.case.threshold or 0)

    def is_soft(self, number: int) -> bool:
        """Whether an assertion need not hold, because the score of the case counts."""
        if self.case.threshold is None:
            return False
        return not self.compiled.assertions[number].required

    def known_grades(self) -> list[Grade] | None:
        """The grades of its assertions, if all of them were graded already."""
        numbers = range(len(self.compiled.assertions))
        if len(self._grades) < len(numbers):
            return None
        return [self._grades[number] for number in numbers]


def case_runs(
    compiled: CompiledCase,
    facts: CaseFacts,
    of_file: tuple[str, str | None],
    sessions: Sequence[RecordedSession],
) -> list[CaseRun]:
    """A run for each session, and one for each gate that judges several of them."""
    case = compiled.case
    groups: dict[str, list[CaseRun]] = {}
    repeated = Counter(one.provider for one in sessions if case.gate is not None)
    shared = [provider for provider, times in repeated.items() if times > 1]
    names = unique(map(provider_name, shared))
    runs = [
        CaseRun(f"{case.id}[{bracket}]", compiled, facts, *of_file, session)
        for bracket, session in zip(brackets(sessions, reserved=names), sessions, strict=True)
    ]
    if case.gate is None:
        return runs
    for run, session in zip(runs, sessions, strict=True):
        groups.setdefault(session.provider, []).append(run)
    for several in groups.values():
        if len(several) == 1:
            several[0].gated = several
    gates = [
        CaseRun(f"{case.id}[{name}]", compiled, facts, *of_file, gated=groups[provider])
        for name, provider in zip(names, shared, strict=True)
    ]
    return [*runs, *gates]


def brackets(sessions: Sequence[RecordedSession], *, reserved: Sequence[str] = ()) -> list[str]:
    """What tells the sessions of a case apart: the provider, of repeats also the session."""
    providers = [provider_name(one.provider) for one in sessions]
    repeated = Counter(providers)
    names = (
        session_name(one.provider, one.session_id) if repeated[provider] > 1 else provider
        for provider, one in zip(providers, sessions, strict=True)
    )
    return unique(names, reserved=reserved)
