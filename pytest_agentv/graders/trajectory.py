"""The grader of whole trajectories: the calls of a session beside those that were expected.

Every mode finds the best assignment there is. The claim holds if nothing is missing or too much;
the score beside it says how near it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from pytest_agentv.graders.alignment import any_order, in_order, outside
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_index import CallIndex
from pytest_agentv.graders.calls import Matcher, steps, value_at
from pytest_agentv.graders.expected_calls import (
    ArgsMatch,
    ExpectedCall,
    items,
    sightings,
)
from pytest_agentv.graders.fields import Count, wrong
from pytest_agentv.graders.grade import Grade, failed, missing, passed
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.side_by_side import cut
from pytest_agentv.graders.trajectory_failure import Failure, Least, why_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.alignment import Pair
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import Transcript

_SHOWN_ITEMS = 4
_SHOWN_LENGTH = 60
_SHOWN_EVIDENCE = 5


def _minimums(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise wrong(f"must be a mapping of tools to numbers of calls, not {shown(value)}")
    if 0 in value.values():
        raise wrong("must be at least 1: every session has 0 calls of everything")
    return value


def listed_calls(expected: Sequence[ExpectedCall]) -> str:
    """Expected calls for a phrase, those after the first few only counted."""
    some = ", ".join(cut(str(one), _SHOWN_LENGTH) for one in expected[:_SHOWN_ITEMS])
    more = len(expected) - _SHOWN_ITEMS
    return f"{some} and {more} more" if more > 0 else some


class Assigned(NamedTuple):
    """Expected calls with the calls that were assigned to them, and what that amounts to."""

    pairs: list[Pair]
    # Calls that should not be there.
    outside: list[int]
    complete: bool
    score: float


class ToolTrajectory(Grader):
    """The session called the expected tools."""

    types: ClassVar[tuple[str, ...]] = ("tool-trajectory",)
    mode: Literal["in_order", "any_order", "exact", "superset", "subset"] = "in_order"
    expected: Annotated[tuple[ExpectedCall, ...], BeforeValidator(items)] | None = Field(
        None, validation_alias=AliasChoices("expected", "value")
    )
    minimums: Annotated[dict[str, Count], BeforeValidator(_minimums)] | None = None
    args_match: ArgsMatch = Field(
        "superset", validation_alias=AliasChoices("args_match", "argsMatch")
    )

    @model_validator(mode="after")
    def _expects_something(self) -> ToolTrajectory:
        if self.minimums is not None and self.mode != "any_order":
            raise wrong(f"`minimums` need mode any_order, not {self.mode}")
        if self.expected is None and self.minimums is None:
            raise wrong("needs `expected`, a list of calls")
        empty = not self.expected and not self.minimums
        if empty and self.mode not in ("exact", "subset"):
            raise wrong(f"`expected` must not be empty: every session does nothing {self.mode}")
        if isinstance(self.args_match, tuple):
            said = [one.arguments for one in self.expected or ()]
            for name in self.args_match:
                if not any(value_at(args, name) for args in said):
                    raise wrong(f"`args_match` lists {shown(name)}, of which no `args` say a thing")
        return self

    def claim(self) -> str:
        """What is claimed."""
        expected = self.expected or ()
        if not expected and not self.minimums:
            return "the session called no tool"
        said = listed_calls(expected)
        if self.mode == "in_order":
            return f"the session called, in this order, {said}"
        if self.mode == "exact":
            return f"the session called exactly {said}"
        if self.mode == "subset":
            return f"the session called nothing but {said}"
        least = [
            f"{name} at least {counted(n, 'time')}" for name, n in (self.minimums or {}).items()
        ]
        more = [f"{len(least) - _SHOWN_ITEMS} more"] if len(least) > _SHOWN_ITEMS else []
        named = [cut(one, _SHOWN_LENGTH) for one in least[:_SHOWN_ITEMS]]
        every = ", ".join([*([said] if said else []), *named, *more])
        return f"the session called, in any order, {every}"

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Assign calls to what is expected, first by what is sure and then by what may be."""
        made = steps(transcript)
        matcher = Matcher(transcript)
        expected = self.expected or ()
        found = sightings(expected, made, matcher, self.args_match)
        least = self._least(made, matcher)
        scarce = sum(one.lacks for one in least)
        sure = self._assigned(found.sure, len(made), scarce)
        if sure.complete:
            evidence = (made[call].evidence for _, call in sure.pairs[:_SHOWN_EVIDENCE])
            return passed(self.claim(), self._success(made), *evidence, score=1.0)
        possible = self._assigned(found.possible, len(made), scarce)
        if possible.complete:
            return missing(self.claim(), why_unknown(expected, made, found, possible.pairs))
        failure = Failure(
            mode=self.mode,
            expected=expected,
            args_match=self.args_match,
            made=made,
            matcher=matcher,
            found=found,
            assigned=possible,
            least=least,
        )
        return failed(
            self.claim(),
            "; ".join(failure.reasons()),
            *failure.evidence(),
            # Of what is not known in full there is no share: it would be better than the whole.
            score=possible.score if found.sure == found.possible else None,
            details=failure.details(),
            vacuous=self._may_be_a_wait(made, matcher, scarce),
        )

    def _assigned(self, rows: list[int], count: int, scarce: int) -> Assigned:
        if self.mode == "subset":
            strangers = outside(rows, count)
            score = 1 - len(strangers) / count if count else 1.0
            return Assigned([], strangers, not strangers, score)
        if self.mode in ("in_order", "exact"):
            pairs = in_order(rows, count)
            whole = max(len(rows), count) if self.mode == "exact" else len(rows)
            return Assigned(pairs, [], len(pairs) == whole, len(pairs) / whole if whole else 1.0)
        pairs = any_order(rows)
        least = len(self.minimums or ())
        held, whole = len(pairs) + least - scarce, len(rows) + least
        return Assigned(pairs, [], held == whole, held / whole)

    def _least(self, made: Sequence[Step], matcher: Matcher) -> list[Least]:
        index = CallIndex(made, matcher)
        return [Least(name, n, index.named(name)) for name, n in (self.minimums or {}).items()]

    def _success(self, made: Sequence[Step]) -> str:
        if self.mode == "subset":
            return f"none of {counted(len(made), 'call')} is outside the set"
        return f"all there, in {counted(len(made), 'call')}"

    def _may_be_a_wait(self, made: Sequence[Step], matcher: Matcher, scarce: int) -> bool:
        """Whether nothing is wrong but times that may include a wait for a permission."""
        expected = self.expected or ()
        if all(one.max_duration_ms is None for one in expected):
            return False
        found = sightings(expected, made, matcher, self.args_match, trusts_timestamps=False)
        return self._assigned(found.possible, len(made), scarce).complete
