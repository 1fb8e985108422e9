"""What a grader asks of a judge, and what a judge answers.

Values and a protocol, and no model: who judges, and how, is decided where a run is set up.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.graders.scopes import ScopeName
    from pytest_agentv.transcript.model import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing that a session has to do."""

    text: str
    # The name that the eval file gives it.
    id: str | None = None
    weight: float = 1.0
    # Whether nothing else can make up for it.
    required: bool = False
    # It holds if the session contradicts the text, as AgentV's operator of that name has it.
    contradiction: bool = False
    # What points from 0 to 10 mean: the lowest of each range, with its text; none: yes or no.
    ranges: tuple[tuple[int, str], ...] = ()
    # The least share of its points, of one with ranges.
    min_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a judge is asked about one session."""

    criteria: tuple[Criterion, ...]
    # What the judge gets to see.
    scope: ScopeName = "final"
    # What the session was to do, and what a good answer is like, by the eval file's word.
    task: Any = None
    expected: Any = None
    # A prompt of the eval file's own, with places for what is judged.
    prompt: str | None = None
    # Who is to judge, as ``provider:model``; None: whom the run names.
    model: str | None = None
    temperature: float | None = None
    # How often the question is put; the majority counts.
    samples: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a judge says of one criterion."""

    met: bool
    # From 0 to 1.
    score: float
    reason: str = ""
    # As many samples said that it is met as that it is not.
    tied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUse:
    """What it took to get an answer; None where nobody said it."""

    model: str
    # Whether every answer came from the cache.
    cached: bool
    # Names what was asked: criteria that were judged together have it in common.
    question: str = ""
    # There was no answer: the cache has none, and only the cache was asked.
    missed: bool = False
    # Of the answers, also where they were got earlier.
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    # How many of how many samples say the same.
    agreement: float | None = None
    samples: int = 1
    # Why answers of this run could not be kept, so that the next run asks again.
    unkept: str = ""
    # Of a set, that of its members.
    parts: tuple[JudgeUse, ...] = ()


def used_together(uses: Iterable[JudgeUse | None]) -> JudgeUse | None:
    """What it took to get several answers; those that have one question in common took it once."""
    known: dict[Any, JudgeUse] = {}
    for use in uses:
        for one in () if use is None else use.parts or (use,):
            known[len(known) if one.missed else one.question] = one
    parts = tuple(known.values())
    answered = [one for one in parts if not one.missed]
    if len(parts) < 2:  # noqa: PLR2004 (several)
        return parts[0] if parts else None
    if not answered:
        return JudgeUse(model="", cached=False, missed=True, parts=parts)
    questions = "+".join(one.question for one in answered)
    return JudgeUse(
        model=", ".join(dict.fromkeys(one.model for one in answered)),
        cached=all(one.cached for one in answered),
        question=hashlib.sha256(questions.encode()).hexdigest()[:40],
        input_tokens=total([one.input_tokens for one in answered]),
        output_tokens=total([one.output_tokens for one in answered]),
        cost_usd=total([one.cost_usd for one in answered]),
        agreement=min((x for one in answered if (x := one.agreement) is not None), default=None),
        samples=max(one.samples for one in answered),
        parts=parts,
    )


def total(values: Sequence[Any]) -> Any:
    """The sum of figures; None if nobody said one of them."""
    return None if None in values else sum(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge says of a session: an answer for each criterion, in order."""

    answers: tuple[Answer, ...]
    use: JudgeUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike two texts are by what they mean, from 0 to 1."""

    score: float
    use: JudgeUse


@dataclass(frozen=True, slots=True)
class NotJudged:
    """Why nobody judged, though nothing went wrong: the run does not ask, or has no answer."""

    reason: str
    # Whether a model could have told.
    missed: bool = False


class Judge(Protocol):
    """Who answers."""

    def begin(self, question: Question, transcript: Transcript) -> None:
        """Put a question that will be asked soon, so that several are answered at once."""

    def answer(self, question: Question, transcript: Transcript) -> Verdict | NotJudged:
        """Answer a question; what goes wrong is raised as ``NotGradable``."""

    def alike(self, model: str, one: str, other: str) -> Likeness | NotJudged:
        """How alike two texts are by what they mean, by a model of embeddings."""
