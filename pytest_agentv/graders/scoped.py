"""Graders of texts: what they share is the scope they look at, and how they say what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.fields import Scope  # noqa: TC001 (pydantic looks it up)
from pytest_agentv.graders.grade import Evidence, Grade, failed, missing
from pytest_agentv.graders.phrases import excerpt
from pytest_agentv.graders.scopes import SUBJECTS, Nothing, Passage, is_complete, passages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import Transcript


class Finding(NamedTuple):
    """What one text amounts to: whether the claim holds for it, why, and where in it."""

    holds: bool
    reason: str
    start: int = 0
    end: int = 0
    score: float | None = None
    details: str = ""
    # There is nothing that the claim could hold for.
    vacuous: bool = False


if TYPE_CHECKING:
    Look: TypeAlias = Callable[[str], Finding]


class Verdict(NamedTuple):
    """The finding that decides over a whole scope, and its text if a single one decides."""

    finding: Finding
    passage: Passage | None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The place of the text, and what stands there."""
        if self.passage is None:
            return ()
        text, message, line = self.passage
        return (Evidence(message, line, excerpt(text, self.finding.start, self.finding.end)),)


class ScopedGrader(Grader, defer_build=True):
    """A grader that looks at one text after the other.

    The claim holds in a scope if it holds for some text of it; with ``all``, for every one.
    """

    in_: Scope = Field(default="final", alias="in")

    def statement(self) -> str:
        """What is claimed of a text: "contains 'JWT'"."""
        raise NotImplementedError

    def look(self) -> Look:
        """How to look at each text; made anew for every grading."""
        raise NotImplementedError

    def claim(self) -> str:
        """What is claimed of the scope."""
        return f"{SUBJECTS[self.in_]} {self.statement()}"

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Look at the texts of the scope."""
        return self.grade_by(self.look(), transcript)

    def grade_by(self, look: Look, transcript: Transcript) -> Grade:
        """Grade what the scope holds."""
        found = self.texts(transcript)
        if isinstance(found, Grade):
            return found
        finding, _ = verdict = self.decide(look, found)
        return Grade(
            "passed" if finding.holds else "failed",
            finding.reason,
            finding.score,
            self.claim(),
            verdict.evidence,
            finding.details,
            finding.vacuous or (not finding.holds and not is_complete(transcript, self.in_)),
        )

    def not_found(self, reason: str, transcript: Transcript) -> Grade:
        """The grade of a claim that holds for no text there is; others may not have been kept."""
        vacuous = not is_complete(transcript, self.in_)
        return failed(self.claim(), reason, vacuous=vacuous)

    def texts(self, transcript: Transcript) -> Sequence[Passage] | Grade:
        """What the scope holds, or the grade that follows from its holding nothing."""
        found = passages(transcript, self.in_)
        if not isinstance(found, Nothing):
            return found
        if found.unknown:
            return missing(self.claim(), found.reason)
        return failed(self.claim(), found.reason, vacuous=True)

    def decide(self, look: Look, found: Sequence[Passage]) -> Verdict:
        """Whether it holds for some of the texts, or for every one, as the scope wants it."""
        if len(found) == 1:
            return Verdict(look(found[0].text), found[0])
        verdicts = (Verdict(look(passage.text), passage) for passage in found)
        return _for_every(verdicts) if self.in_ == "all" else _for_some(verdicts, len(found))


def _for_every(verdicts: Iterable[Verdict]) -> Verdict:
    """The first that does not hold, else the weakest."""
    weakest = None
    for verdict in verdicts:
        if not verdict.finding.holds:
            return verdict
        if weakest is None or _points(verdict) < _points(weakest):
            weakest = verdict
    assert weakest is not None
    return weakest


def _for_some(verdicts: Iterable[Verdict], count: int) -> Verdict:
    """The first that holds, else the one that comes closest, if any comes closer than others."""
    closest = None
    for verdict in verdicts:
        if verdict.finding.holds:
            return verdict
        if closest is None or _points(verdict) > _points(closest):
            closest = verdict
    assert closest is not None
    if closest.finding.score is not None:
        reason = f"the closest of {count:,} texts: {closest.finding.reason}"
        return Verdict(closest.finding._replace(reason=reason), closest.passage)
    return Verdict(Finding(holds=False, reason=f"in none of {count:,} texts"), None)


def _points(verdict: Verdict) -> float:
    score = verdict.finding.score
    return float(verdict.finding.holds) if score is None else score
