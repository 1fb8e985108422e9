"""Graders of tools as such: which of them were used, and which came first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from pytest_agentv.graders.alignment import lowest
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.calls import Matcher, steps
from pytest_agentv.graders.expected_calls import ExpectedCall, items, sightings
from pytest_agentv.graders.fields import Globs, Threshold, wrong
from pytest_agentv.graders.grade import Grade, failed, missing, passed
from pytest_agentv.graders.phrases import listed
from pytest_agentv.graders.scores import reaches
from pytest_agentv.graders.trajectory import listed_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.graders.expected_calls import Sightings
    from pytest_agentv.transcript.model import Transcript

_AT_LEAST = 2
_SHOWN = 3


def _names(value: Any) -> Any:
    return [one.strip() for one in value.split(",")] if isinstance(value, str) else value


class ToolCallF1(Grader):
    """The tools that a session used are those that were expected; how often does not count.

    Precision is the share of the used tools that were expected, recall the share of the expected
    tools that were used, and the score is their harmonic mean.
    """

    types: ClassVar[tuple[str, ...]] = ("tool-call-f1",)
    expected: Annotated[str | Globs, BeforeValidator(_names)] = Field(
        validation_alias=AliasChoices("expected", "value")
    )
    threshold: Threshold = 1.0

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Compare the sets."""
        expected = tuple(dict.fromkeys(self.expected))
        claim = f"the session used {listed(expected)}, by an F1 of at least {self.threshold:g}"
        matcher = Matcher(transcript)
        used: dict[tuple[str, str], Step] = {}
        for step in steps(transcript):
            used.setdefault((step.call.tool, step.call.kind), step)
        right = {
            tool
            for tool, step in used.items()
            if any(matcher.is_tool(step.call, name) for name in expected)
        }
        absent = tuple(
            name
            for name in expected
            if not any(matcher.is_tool(used[tool].call, name) for tool in right)
        )
        others = [step for tool, step in used.items() if tool not in right]
        strange = tuple(step.call.tool for step in others)
        precision = len(right) / len(used) if used else 0.0
        recall = 1 - len(absent) / len(expected)
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        reason = f"an F1 of {f1:.3g}: precision {precision:.3g}, recall {recall:.3g}"
        if absent:
            reason += f"; not used: {listed(absent, most=3)}"
        if strange:
            reason += f"; not expected: {listed(strange, most=3)}"
        if reaches(f1, self.threshold):
            return passed(claim, reason, score=f1)
        return failed(claim, reason, *(step.evidence for step in others[:_SHOWN]), score=f1)


class BeforeAndAfter(BaseModel):
    """Two calls, by what comes first."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    before: ExpectedCall
    after: ExpectedCall


def _calls(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    if not isinstance(value, (list, tuple)) or len(value) < _AT_LEAST:
        raise wrong("must be a list of at least two calls, or a mapping with `before` and `after`")
    return items(value)


class ToolOrder(Grader):
    """No call of a tool comes before the first call of the one that is listed before it.

    All of them have to be called: of what did not happen nobody can say when it did.
    """

    types: ClassVar[tuple[str, ...]] = ("tool-order",)
    value: Annotated[BeforeAndAfter | tuple[ExpectedCall, ...], BeforeValidator(_calls)]

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Compare each two calls that follow each other in the list."""
        value = self.value
        expected = value if isinstance(value, tuple) else (value.before, value.after)
        claim = f"the session called, each only after the one before, {listed_calls(expected)}"
        made = steps(transcript)
        found = sightings(expected, made, Matcher(transcript))
        places = range(1, len(expected))
        wrong_place = next((one for one in places if _is_wrong(found, one)), None)
        if wrong_place is not None:
            early = made[lowest(found.sure[wrong_place])]
            reason = f"{expected[wrong_place]} came before any {expected[wrong_place - 1]}"
            return failed(claim, reason, early.evidence)
        absent = [one for one, row in zip(expected, found.possible, strict=True) if not row]
        if absent:
            return failed(claim, f"not called: {listed_calls(absent)}", vacuous=True)
        if not all(_is_right(found, one) for one in places):
            return missing(claim, _why_unknown(found, made))
        firsts = (made[lowest(row)].evidence for row in found.sure[:5])
        return passed(claim, "in this order", *firsts)


def _is_wrong(found: Sightings, place: int) -> bool:
    """Whether a call comes for sure before anything that may be the one it has to come after."""
    after, before = found.sure[place], found.possible[place - 1]
    return bool(after) and (not before or lowest(after) <= lowest(before))


def _is_right(found: Sightings, place: int) -> bool:
    """Whether everything that may be the call comes after what is the other one for sure."""
    after, before = found.possible[place], found.sure[place - 1]
    called = bool(found.sure[place]) and bool(before)
    return called and lowest(before) < lowest(after)


def _why_unknown(found: Sightings, made: Sequence[Step]) -> str:
    unsure = next(
        possible & ~sure
        for sure, possible in zip(found.sure, found.possible, strict=True)
        if sure != possible
    )
    tool = made[lowest(unsure)].evidence.excerpt
    return f"the session does not say enough of the call {tool}"
