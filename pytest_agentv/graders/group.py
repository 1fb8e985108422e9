"""Assertions taken together: one grade out of the grades of a set's members."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.fields import Limit, Threshold, wrong
from pytest_agentv.graders.grade import Grade, missing
from pytest_agentv.graders.judging import used_together
from pytest_agentv.graders.phrases import counted
from pytest_agentv.graders.scores import reaches, weighted_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Mode = Literal["all", "any", "threshold", "weighted"]

GROUP_TYPES = ("assert-set", "composite")


class Member(NamedTuple):
    """One assertion of a set, graded."""

    name: str
    grade: Grade
    weight: float = 1.0
    required: bool = False


_CONFIG = ConfigDict(
    frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, defer_build=True
)
_MODES = "`mode` (all, any) and the aggregators `weighted_average` and `threshold` are known"
_REFUSED = {
    "code_grader": f"cannot be a program: code in eval files is not run; {_MODES}",
    "llm_grader": f"cannot be a language model; {_MODES}",
}


class Aggregator(BaseModel):
    """How AgentV 4 says how a set is graded."""

    model_config = _CONFIG

    type: Literal["weighted_average", "threshold"] = "weighted_average"
    # By the names of the set's assertions.
    weights: dict[str, Limit] = Field(default_factory=dict)
    threshold: Threshold | None = None

    @model_validator(mode="after")
    def _has_what_counts(self) -> Aggregator:
        if self.type == "threshold" and self.weights:
            raise wrong("of type `threshold` has no `weights`: it counts assertions")
        if (self.type == "threshold") != (self.threshold is not None):
            raise wrong("has a `threshold` if it is of type `threshold`, and only then")
        return self


def _known_aggregator(value: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return value
    kind = value["type"].replace("-", "_")
    if kind in _REFUSED:
        raise wrong(_REFUSED[kind])
    return {**value, "type": kind}


class GroupOptions(BaseModel):
    """Several assertions, which stand under ``assert``, are graded as one."""

    model_config = _CONFIG

    mode: Mode = "all"
    threshold: Threshold | None = None
    aggregator: Annotated[Aggregator, BeforeValidator(_known_aggregator)] | None = None

    @property
    def rule(self) -> tuple[Mode, float | None]:
        """The mode and the threshold by which the set is graded."""
        if self.aggregator is not None and self.aggregator.type == "threshold":
            return "threshold", self.aggregator.threshold
        return self.mode, self.threshold

    @property
    def weights(self) -> Mapping[str, float]:
        """What the set's assertions weigh, by their names."""
        return {} if self.aggregator is None else self.aggregator.weights

    @model_validator(mode="before")
    @classmethod
    def _threshold_means_weighted(cls, keys: Any) -> Any:
        if isinstance(keys, dict) and "mode" not in keys and keys.get("threshold") is not None:
            return {**keys, "mode": "weighted"}
        return keys

    @model_validator(mode="after")
    def _threshold_where_it_counts(self) -> GroupOptions:
        if self.aggregator is not None and self.aggregator.type == "threshold":
            if {"mode", "threshold"} & self.model_fields_set:
                raise wrong("has an `aggregator` that says all; leave out `mode` and `threshold`")
            return self
        if self.mode in ("threshold", "weighted") and self.threshold is None:
            raise wrong(f"mode {self.mode!r} needs a `threshold` from 0 to 1")
        if self.mode in ("all", "any") and self.threshold is not None:
            raise wrong(f"mode {self.mode!r} has no `threshold`; 'weighted' and 'threshold' have")
        return self


def combine(
    members: Sequence[Member], *, mode: Mode = "all", threshold: float | None = None
) -> Grade:
    """The grade of a set. Members that were skipped leave every mean."""
    claim = _claim(mode, threshold)
    graded = [one for one in members if one.grade.outcome != "skipped"]
    if not graded:
        return _detailed(missing(claim, "none of its assertions could be graded"), members)
    if any(one.required and one.grade.outcome == "failed" for one in graded):
        grade = _lacking(claim, graded)
    elif mode == "all":
        grade = _all(claim, members, graded)
    elif mode == "any":
        grade = _any(claim, members, graded)
    else:
        grade = _mean(
            claim, members, graded, weighted=mode == "weighted", threshold=threshold or 0.0
        )
    return _detailed(grade, members)


def _claim(mode: Mode, threshold: float | None) -> str:
    return {
        "all": "all assertions of the set hold",
        "any": "some assertion of the set holds",
        "threshold": f"a share of at least {threshold or 0:g} of the set's assertions holds",
        "weighted": f"the set's weighted mean is at least {threshold or 0:g}",
    }[mode]


def _lacking(claim: str, graded: Sequence[Member]) -> Grade:
    """The grade of a set of which something fails that must hold whatever the rest does."""
    failures = [one for one in graded if one.required and not one.grade]
    reason = f"required, and failed: {', '.join(one.name for one in failures)}"
    return Grade("failed", reason, 0.0, claim, vacuous=all(one.grade.vacuous for one in failures))


def _all(claim: str, members: Sequence[Member], graded: Sequence[Member]) -> Grade:
    failures = [one.grade for one in graded if not one.grade]
    score = weighted_mean((_points(one), one.weight) for one in graded)
    if failures:
        # Its opposite holds if a single member is truly false.
        vacuous = all(grade.vacuous for grade in failures)
        reason = f"{len(failures)} of {counted(len(graded), 'assertion')} failed"
        is_whole = len(graded) == len(members)
        # If each is of several things of which some hold, so is the set.
        mixed = is_whole and all(grade.mixed for grade in failures)
        known = score if is_whole else None
        return Grade("failed", reason, known, claim, vacuous=vacuous, mixed=mixed)
    if len(graded) < len(members):
        reason = f"{len(members) - len(graded)} of {len(members)} could not be graded"
        return missing(claim, reason)
    return Grade("passed", f"all {len(graded)} hold", score, claim)


def _any(claim: str, members: Sequence[Member], graded: Sequence[Member]) -> Grade:
    score = max(_points(one) for one in graded)
    held = next((one for one in graded if one.grade), None)
    if held is not None:
        return Grade("passed", f"{held.name} holds", score, claim)
    if len(graded) < len(members):
        reason = f"none of {len(graded)} holds, and {len(members) - len(graded)} were not graded"
        return missing(claim, reason)
    reason = f"none of {len(graded)} holds"
    # Who forbids all of them forbids what holds in part.
    mixed = any(one.grade.mixed for one in graded)
    return Grade("failed", reason, score, claim, vacuous=_unsure(graded), mixed=mixed)


def _mean(
    claim: str,
    members: Sequence[Member],
    graded: Sequence[Member],
    *,
    weighted: bool,
    threshold: float,
) -> Grade:
    if weighted:
        score = weighted_mean((_points(one), one.weight) for one in graded)
        if score is None:
            raise NotGradable("the weights of the set's assertions add up to 0: there is no mean")
    else:
        score = sum(bool(one.grade) for one in graded) / len(graded)
    holds = reaches(score, threshold)
    reason = f"{score:.3g} over {counted(len(graded), 'assertion')}"
    return Grade(
        "passed" if holds else "failed",
        reason,
        score,
        claim,
        # What was left out might have made it hold.
        vacuous=not holds and (len(graded) < len(members) or _unsure(graded)),
    )


def _unsure(graded: Sequence[Member]) -> bool:
    """Whether a member failed for want of anything to hold for, so that the opposite is open."""
    return any(one.grade.vacuous for one in graded)


def _points(member: Member) -> float:
    return member.grade.points or 0.0


def _detailed(grade: Grade, members: Sequence[Member]) -> Grade:
    return replace(
        grade,
        details="\n".join(_line(one) for one in members),
        judge=used_together(one.grade.judge for one in members),
    )


def _line(member: Member) -> str:
    grade = member.grade
    return f"{member.name}: {grade.outcome}" + (f": {grade.reason}" if grade.reason else "")
