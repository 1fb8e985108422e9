"""Graders of single steps, by the names that promptfoo and AgentV 5 have for them."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pytest_agentv.graders.alignment import bits_of, in_order, lowest
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_fields import Times
from pytest_agentv.graders.expected_calls import NamedModel, items
from pytest_agentv.graders.fields import Count, Glob, check_range, wrong
from pytest_agentv.graders.grade import Evidence, Grade, failed, missing, passed
from pytest_agentv.graders.phrases import counted, excerpt, shown
from pytest_agentv.graders.side_by_side import cut, in_order_rows, table
from pytest_agentv.graders.step_names import Names, is_of_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import Transcript

_SHOWN = 3
_SHOWN_ITEMS = 5

CallType = Literal["tool", "command", "search"]
StepType = Literal["tool", "command", "search", "message", "reasoning"]


def range_of(least: int | None, most: int | None, noun: str) -> str:
    """A range in words."""
    if least is not None and least == most:
        return counted(least, noun)
    parts = [] if least is None else [f"at least {counted(least, noun)}"]
    return " and ".join(parts if most is None else [*parts, f"at most {counted(most, noun)}"])


def _several(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if not value:
        raise wrong("must not be empty: list at least one name")
    return items(value)


class Use(NamedModel):
    """A tool, and how often it is used."""

    name: Glob = Field(validation_alias=AliasChoices("name", "pattern"))
    min: Count | None = None
    max: Count | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Use:
        check_range(self.min, self.max)
        return self

    @property
    def least(self) -> int:
        """The least number of calls: one, unless the entry says that there may be none."""
        return self.min if self.min is not None else int(self.max != 0)

    def __str__(self) -> str:
        name = shown(self.name)
        if self.least == 1 and self.max is None:
            return name
        return f"{name} {range_of(self.least, self.max, 'time')}"


class ToolUsed(Grader):
    """The session used a tool, or each of several, so often."""

    types: ClassVar[tuple[str, ...]] = ("trajectory:tool-used",)
    value: Annotated[Use | tuple[Use, ...], BeforeValidator(_several)]

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Count the calls of each tool."""
        uses = self.value if isinstance(self.value, tuple) else (self.value,)
        claim = f"the session used {_listed(map(str, uses))}"
        names = Names(transcript)
        found = [names.found(one.name) for one in uses]
        outcomes = [
            Times(use.least, use.max).outcome(len(at), len(names.unsure(use.name)))
            for use, at in zip(uses, found, strict=True)
        ]
        if "skipped" in outcomes and "failed" not in outcomes:
            return missing(claim, names.why_unsure())
        wrong_ones = [
            (use, at)
            for use, at, outcome in zip(uses, found, outcomes, strict=True)
            if outcome == "failed"
        ]
        # Some but not all: each that was used is against the opposite, which forbids them all.
        mixed = bool(wrong_ones) and "passed" in outcomes
        told = list(zip(uses, found, strict=True)) if mixed or not wrong_ones else wrong_ones
        evidence = (names.made[at].evidence for _, some in told[:_SHOWN] for at in some[:_SHOWN])
        reason = _listed(
            f"{shown(use.name)} was used {counted(len(at), 'time')}" for use, at in told
        )
        grade = failed if wrong_ones else passed
        vacuous = mixed or "skipped" in outcomes
        return replace(grade(claim, reason, *evidence), vacuous=vacuous, mixed=mixed)


class StepName(NamedModel):
    """A step of a sequence."""

    name: Glob = Field(validation_alias=AliasChoices("name", "pattern"))
    type: CallType | None = None

    def __str__(self) -> str:
        return cut(self.name, 60) if self.type is None else f"{self.type} {cut(self.name, 60)}"


class StepSequence(BaseModel):
    """Steps, and how they follow each other."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    steps: Annotated[tuple[StepName, ...], BeforeValidator(_several)]
    mode: Literal["in_order", "exact"] = "in_order"


class ToolSequence(Grader):
    """The session used some tools one after the other; with ``exact`` no others."""

    types: ClassVar[tuple[str, ...]] = ("trajectory:tool-sequence",)
    value: Annotated[StepSequence | tuple[StepName, ...], BeforeValidator(_several)]

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Align the calls with the steps."""
        value = self.value
        whole = StepSequence(steps=value) if isinstance(value, tuple) else value
        texts = [str(one) for one in whole.steps]
        how = " exactly" if whole.mode == "exact" else ", in this order,"
        claim = f"the session used{how} {_listed(texts)}"
        names = Names(transcript)
        made = names.made
        rows = [bits_of(names.found(one.name, one.type), len(made)) for one in whole.steps]
        pairs = in_order(rows, len(made))
        needed = max(len(rows), len(made)) if whole.mode == "exact" else len(rows)
        if len(pairs) == needed:
            evidence = (made[call].evidence for _, call in pairs[:_SHOWN_ITEMS])
            return passed(claim, f"all there, in {counted(len(made), 'call')}", *evidence)
        possible = [
            row | bits_of(names.unsure(one.name, one.type), len(made))
            for row, one in zip(rows, whole.steps, strict=True)
        ]
        if possible != rows and len(in_order(possible, len(made))) == needed:
            return missing(claim, names.why_unsure())
        return failed(
            claim,
            _sequence_reason(texts, rows, dict(pairs), made, exact=whole.mode == "exact"),
            *_out_of_place(rows, dict(pairs), made, exact=whole.mode == "exact"),
            details=table(in_order_rows(texts, made, pairs, {})),
        )


def _sequence_reason(
    texts: list[str], rows: list[int], held: dict[int, int], made: Sequence[Step], *, exact: bool
) -> str:
    reasons = []
    lacking = [item for item in range(len(texts)) if item not in held]
    if lacking:
        reasons.append(f"{len(held):,} of {counted(len(texts), 'step')} found in this order")
        how = "was used, but not in its place" if rows[lacking[0]] else "was not used"
        reasons.append(f"{texts[lacking[0]]} {how}")
    if exact and len(made) != len(texts):
        reasons.append(f"{counted(len(made), 'call')} instead of {len(texts):,}")
    return "; ".join(reasons)


def _out_of_place(
    rows: list[int], held: dict[int, int], made: Sequence[Step], *, exact: bool
) -> Iterator[Evidence]:
    """The call that decides: of a step in another place or, if no other may be, the first other."""
    elsewhere = next((row for item, row in enumerate(rows) if row and item not in held), None)
    if elsewhere is not None:
        yield made[lowest(elsewhere)].evidence
    elif exact:
        used = set(held.values())
        # There is none if all that was called is in its place, and more is expected.
        yield from islice((step.evidence for at, step in enumerate(made) if at not in used), 1)


class Steps(BaseModel):
    """Some steps of a session, and how many there may be."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    type: StepType | None = None
    name: Glob | None = Field(None, validation_alias=AliasChoices("name", "pattern"))
    min: Count | None = None
    max: Count | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Steps:
        if self.min is None and self.max is None:
            raise wrong("needs `min` or `max`")
        check_range(self.min, self.max)
        if self.name is not None and self.type in ("message", "reasoning"):
            raise wrong(f"steps of type {self.type!r} have no name")
        return self

    def __str__(self) -> str:
        kind = "step" if self.type is None else f"step of type {self.type}"
        return kind if self.name is None else f"{kind} like {shown(self.name)}"


class Said(NamedTuple):
    """A step that is no call: something that the assistant said or thought."""

    message: int
    line: int | None
    text: str

    @property
    def evidence(self) -> Evidence:
        """Where one can see it."""
        return Evidence(self.message, self.line, excerpt(self.text))


class StepCount(Grader):
    """The session has so many steps: calls and messages of the assistant."""

    types: ClassVar[tuple[str, ...]] = ("trajectory:step-count",)
    value: Steps

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Count them."""
        limits = self.value
        words = range_of(limits.min, limits.max, "step")
        which = str(limits).removeprefix("step").strip()
        claim = f"the session has {words} {which}".rstrip()
        names = Names(transcript)
        found = _found(transcript, limits, names)
        count = len(found)
        if limits.type == "reasoning" and not found:
            # No client says that it thought nothing.
            return missing(claim, "the session keeps no thinking")
        unsure = [] if limits.name is None else names.unsure(limits.name, limits.type)
        outcome = Times(limits.min or 0, limits.max).outcome(count, len(unsure))
        if outcome == "passed":
            return passed(claim, counted(count, "step"))
        if outcome == "skipped":
            return missing(claim, names.why_unsure())
        most = count if limits.max is None else limits.max
        # What is one too many decides.
        return failed(claim, counted(count, "step"), *map(_evidence, found[most : most + 1]))


def _found(transcript: Transcript, which: Steps, names: Names) -> list[Step | Said]:
    if which.name is not None:
        return [names.made[at] for at in names.found(which.name, which.type)]
    found: list[Step | Said] = []
    if which.type in ("message", "reasoning", None):
        found += _said(transcript, thought=which.type == "reasoning")
    if which.type not in ("message", "reasoning"):
        found += (one for one in names.made if is_of_type(one.call, which.type))
    return sorted(found, key=_number)


def _said(transcript: Transcript, *, thought: bool) -> Iterator[Said]:
    for number, one in enumerate(transcript.output, 1):
        text = one.thinking if thought else one.content if one.role == "assistant" else None
        if text:
            yield Said(number, one.line, text)


def _number(step: Step | Said) -> int:
    return step.message


def _evidence(step: Step | Said) -> Evidence:
    return step.evidence


def _listed(texts: Iterable[str]) -> str:
    every = list(texts)
    some = ", ".join(cut(one, 60) for one in every[:_SHOWN_ITEMS])
    more = len(every) - _SHOWN_ITEMS
    return f"{some} and {more} more" if more > 0 else some
