"""A case on one session, and what tells the sessions of a case apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentv.engine.compiling import SCORE
from pytest_agentv.engine.names import slug, unique
from pytest_agentv.engine.scoring import score
from pytest_agentv.report.junit import properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.engine.assertions import Context
    from pytest_agentv.engine.compiling import CompiledCase
    from pytest_agentv.errors import PairingError
    from pytest_agentv.evalfile.model import Case
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.sources import RecordedSession

_PROVIDER_LENGTH = 40
_SESSION_LENGTH = 8


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
    _grades: dict[int, Grade] = field(default_factory=dict)
    _properties: dict[str | None, list[tuple[str, str]]] = field(default_factory=dict)

    @property
    def case(self) -> Case:
        """The case."""
        return self.compiled.case

    @property
    def names(self) -> list[str]:
        """The names of its items: of its assertions, and of its score if it has a threshold."""
        names = [one.name for one in self.compiled.assertions]
        return names if self.case.threshold is None else [*names, SCORE]

    def grade(self, number: int, context: Context) -> Grade:
        """The grade of one assertion; graded once where the score needs it again."""
        __tracebackhide__ = True
        if self.case.threshold is None:
            return self.compiled.assertions[number].grade(context)
        if number not in self._grades:
            self._grades[number] = self.compiled.assertions[number].grade(context)
        return self._grades[number]

    def properties(self, model: str | None) -> list[tuple[str, str]]:
        """What JUnit says of each of its items; the model is that of the transcript."""
        if model not in self._properties:
            session = self.session
            self._properties[model] = properties(
                provider=None if session is None else session.provider,
                model=model,
                session_id=None if session is None else session.session_id,
                test_id=self.case.id,
            )
        return self._properties[model]

    def score(self, context: Context) -> Grade:
        """How the case does as a whole."""
        __tracebackhide__ = True
        assertions = self.compiled.assertions
        grades = [self.grade(number, context) for number in range(len(assertions))]
        return score(assertions, grades, self.case.threshold or 0)


def brackets(sessions: Sequence[RecordedSession]) -> list[str]:
    """What tells the sessions of a case apart: the provider, of repeats also the session."""
    providers = [slug(one.provider, _PROVIDER_LENGTH) or "unknown" for one in sessions]
    repeated = Counter(providers)
    names: list[str] = []
    for provider, session in zip(providers, sessions, strict=True):
        name = provider
        if repeated[provider] > 1:
            part = slug((session.session_id or "")[:_SESSION_LENGTH], _SESSION_LENGTH)
            name = f"{provider}-{part}" if part else provider
        names.append(name)
    return unique(names)
