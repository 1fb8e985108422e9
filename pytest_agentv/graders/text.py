"""Graders of what a text says: literally, by the number of its words, or by likeness."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from pydantic import AliasChoices, Field, model_validator

from pytest_agentv.graders.fields import Count, Text, Texts, Threshold, Word, check_range, wrong
from pytest_agentv.graders.grade import Grade, missing, passed
from pytest_agentv.graders.judging import JudgeUse, NotJudged, used_together
from pytest_agentv.graders.phrases import counted, listed, shown
from pytest_agentv.graders.scoped import Finding, ScopedGrader
from pytest_agentv.graders.scores import reaches
from pytest_agentv.graders.similarity import similarity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.graders.scoped import Look, Verdict
    from pytest_agentv.graders.scopes import Passage
    from pytest_agentv.transcript.model import Transcript

# Hits that a grade of several texts shows, and characters of an end.
_SHOWN_HITS = 5
_SHOWN_END = 50


def _search(value: str, *, fold: bool) -> Look:
    return partial(_find_folded if fold else _find, value)


def _find(value: str, text: str) -> Finding:
    start = text.find(value)
    if start < 0:
        return _absent(text)
    return Finding(holds=True, reason="found", start=start, end=start + len(value))


def _find_folded(value: str, text: str) -> Finding:
    folded = text.casefold()
    start = folded.find(value.casefold())
    if start < 0:
        return _absent(text)
    if len(folded) != len(text):
        # Folding made some characters longer: back to where it stands in the text itself.
        start = bisect_right(list(accumulate(len(one.casefold()) for one in text)), start)
    return Finding(holds=True, reason="found", start=start, end=start + len(value))


def _absent(text: str) -> Finding:
    return Finding(holds=False, reason=f"not found in {counted(len(text), 'character')}")


class Contains(ScopedGrader):
    """The text holds another one."""

    types: ClassVar[tuple[str, ...]] = ("contains",)
    fold: ClassVar[bool] = False
    value: Text

    def statement(self) -> str:
        """What is claimed."""
        return f"contains {shown(self.value)}"

    def look(self) -> Look:
        """Search it."""
        return _search(self.value, fold=self.fold)


class IContains(Contains):
    """The text holds another one, upper and lower case aside."""

    types: ClassVar[tuple[str, ...]] = ("icontains",)
    fold: ClassVar[bool] = True

    def statement(self) -> str:
        """What is claimed."""
        return f"contains {shown(self.value)} in any case"


class _Several(ScopedGrader):
    """A grader that searches several texts."""

    fold: ClassVar[bool] = False
    value: Texts

    def verdicts(self, found: Sequence[Passage]) -> Iterator[tuple[str, Verdict]]:
        """Each of the texts, and whether it is in the scope."""
        for value in self.value:
            yield value, self.decide(_search(value, fold=self.fold), found)


class ContainsAny(_Several):
    """The text holds one of several."""

    types: ClassVar[tuple[str, ...]] = ("contains-any",)

    def statement(self) -> str:
        """What is claimed."""
        return f"contains one of {listed(self.value)}"

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Search until one is found."""
        found = self.texts(transcript)
        if isinstance(found, Grade):
            return found
        for value, verdict in self.verdicts(found):
            if verdict.finding.holds:
                return passed(self.claim(), f"{shown(value)} found", *verdict.evidence)
        return self.not_found(f"none of {counted(len(self.value), 'text')} found", transcript)


class ContainsAll(_Several):
    """The text holds each of several."""

    types: ClassVar[tuple[str, ...]] = ("contains-all",)

    def statement(self) -> str:
        """What is claimed."""
        return f"contains all of {listed(self.value)}"

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Search all of them."""
        found = self.texts(transcript)
        if isinstance(found, Grade):
            return found
        verdicts = list(self.verdicts(found))
        absent = tuple(value for value, verdict in verdicts if not verdict.finding.holds)
        if absent:
            return self.not_found(f"not found: {listed(absent)}", transcript)
        evidence = (one for _, verdict in verdicts[:_SHOWN_HITS] for one in verdict.evidence)
        return passed(self.claim(), "all found", *evidence)


class IContainsAny(ContainsAny):
    """The text holds one of several, upper and lower case aside."""

    types: ClassVar[tuple[str, ...]] = ("icontains-any",)
    fold: ClassVar[bool] = True


class IContainsAll(ContainsAll):
    """The text holds each of several, upper and lower case aside."""

    types: ClassVar[tuple[str, ...]] = ("icontains-all",)
    fold: ClassVar[bool] = True


class StartsWith(ScopedGrader):
    """The text, blanks around it aside, begins with another one."""

    types: ClassVar[tuple[str, ...]] = ("starts-with",)
    value: Word

    def statement(self) -> str:
        """What is claimed."""
        return f"starts with {shown(self.value)}"

    def look(self) -> Look:
        """Compare the beginning."""
        return self._compare

    def _compare(self, text: str) -> Finding:
        trimmed = text.strip()
        holds = trimmed.startswith(self.value.strip())
        return Finding(holds=holds, reason=f"starts with {shown(trimmed)}")


class EndsWith(ScopedGrader):
    """The text, blanks around it aside, ends with another one."""

    types: ClassVar[tuple[str, ...]] = ("ends-with",)
    value: Word

    def statement(self) -> str:
        """What is claimed."""
        return f"ends with {shown(self.value)}"

    def look(self) -> Look:
        """Compare the end."""
        return self._compare

    def _compare(self, text: str) -> Finding:
        trimmed = text.strip()
        holds = trimmed.endswith(self.value.strip())
        reason = f"ends with {shown(trimmed[-_SHOWN_END:])}"
        return Finding(holds=holds, reason=reason, start=len(text))


class WordCount(ScopedGrader):
    """The text has so many words: what stands between blanks."""

    types: ClassVar[tuple[str, ...]] = ("word-count",)
    value: Count | None = None
    min: Count | None = None
    max: Count | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> WordCount:
        limits = (self.min, self.max)
        if (self.value is None) == (limits == (None, None)):
            raise wrong("needs either `value`, the exact number of words, or `min` and `max`")
        check_range(self.min, self.max)
        return self

    def statement(self) -> str:
        """What is claimed."""
        if self.value is not None:
            return f"has {counted(self.value, 'word')}"
        least = [] if self.min is None else [f"at least {self.min:,}"]
        most = [] if self.max is None else [f"at most {self.max:,}"]
        return f"has {' and '.join(least + most)} words"

    def look(self) -> Look:
        """Count."""
        least = self.value if self.value is not None else self.min or 0
        most = self.value if self.value is not None else self.max

        def count(text: str) -> Finding:
            words = len(text.split())
            holds = least <= words and (most is None or words <= most)
            return Finding(holds=holds, reason=counted(words, "word"))

        return count


class _NotCompared(Exception):
    """Nobody compared two texts."""


class Similar(ScopedGrader):
    """The text is like another one, letter by letter, or by meaning if a model is named."""

    types: ClassVar[tuple[str, ...]] = ("similar",)
    value: Text
    threshold: Threshold = 0.75
    # A model of embeddings, as ``provider:model``: then meanings are compared, not letters.
    model: str | None = Field(None, validation_alias=AliasChoices("model", "provider"))

    def statement(self) -> str:
        """What is claimed."""
        return f"is like {shown(self.value)} by at least {self.threshold:g}"

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Compare letters, or let a model compare meanings."""
        if self.model is None or ":" not in self.model:
            return self.grade_by(self._compare, transcript)
        if case.judge is None:
            return missing(self.claim(), "no judge is set up: a model would have to compare this")
        uses: list[JudgeUse] = []
        compare = partial(self._compare_meanings, case.judge, self.model, uses)
        try:
            grade = self.grade_by(compare, transcript)
        except _NotCompared as exc:
            grade = missing(self.claim(), str(exc))
        return replace(grade, judge=used_together(uses))

    def _compare_meanings(
        self, judge: Judge, model: str, uses: list[JudgeUse], text: str
    ) -> Finding:
        alike = judge.alike(model, self.value, text)
        if isinstance(alike, NotJudged):
            if alike.missed:
                uses.append(JudgeUse(model="", cached=False, missed=True))
            raise _NotCompared(alike.reason)
        uses.append(alike.use)
        reason = f"means the same by {alike.score:.3g}, by {model}"
        holds = reaches(alike.score, self.threshold)
        return Finding(holds=holds, reason=reason, score=alike.score)

    def look(self) -> Look:
        """Compare."""
        return self._compare

    def _compare(self, text: str) -> Finding:
        alike = similarity(self.value, text)
        reason = f"is like it by {alike:.3g}"
        return Finding(holds=reaches(alike, self.threshold), reason=reason, score=alike)
