"""Why a trajectory is not the expected one: what is missing, what came close, what is too much."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.graders.alignment import lowest, positions_of
from pytest_agentv.graders.call_outputs import is_output
from pytest_agentv.graders.calls import arguments_known
from pytest_agentv.graders.expected_calls import mode_of
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.side_by_side import (
    Row,
    any_order_rows,
    argument_difference,
    cut,
    in_order_rows,
    outside_rows,
    placed,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.graders.alignment import Pair
    from pytest_agentv.graders.calls import Matcher, Step
    from pytest_agentv.graders.expected_calls import ArgsMatch, ExpectedCall, Sightings
    from pytest_agentv.graders.grade import Evidence
    from pytest_agentv.graders.trajectory import Assigned

# Missing calls for which the nearest one is looked for, and how many are looked at each time.
_LOOKED_FOR = 10
_LOOKED_AT = 50
_SHOWN = 3
_ITEM_LENGTH = 60
_ALIGNED = ("in_order", "exact")


class Least(NamedTuple):
    """How often a tool has to be called at least, and its calls as bits."""

    name: str
    wanted: int
    calls: int

    @property
    def called(self) -> int:
        """How often it was called."""
        return self.calls.bit_count()

    @property
    def lacks(self) -> bool:
        """Whether that is not often enough."""
        return self.called < self.wanted

    def __str__(self) -> str:
        return f"{cut(self.name, _ITEM_LENGTH)} at least {counted(self.wanted, 'time')}"


class Near(NamedTuple):
    """A call of the right tool that is not the expected one, and what is wrong with it."""

    call: int
    arguments: list[str]
    other_output: bool
    too_slow: bool


def _lacks(least: Least) -> bool:
    return least.lacks


def _least_row(least: Least) -> Row:
    return Row("-" if least.lacks else "=", str(least), counted(least.called, "time"))


def why_unknown(
    expected: Sequence[ExpectedCall], made: Sequence[Step], found: Sightings, pairs: Sequence[Pair]
) -> str:
    """What the session does not say, so that nobody knows whether a call is the expected one."""
    # Without pairs each call has to be allowed by something that is expected.
    unsure = [(item, call) for item, call in pairs if not found.sure[item] >> call & 1]
    if not unsure:
        sure = 0
        for row in found.sure:
            sure |= row
        candidates = enumerate(row & ~sure for row in found.possible)
        unsure = [(item, lowest(row)) for item, row in candidates if row]
    item, call = unsure[0]
    step = made[call]
    if not arguments_known(step.call) and expected[item].args is not None:
        return f"the session does not say with which arguments {step.text} was called"
    if step.call.output is None and expected[item].output is not None:
        return f"the session does not say what {step.text} gave back"
    return f"the session does not say how long {step.text} took"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What is wrong with a trajectory, in words."""

    mode: str
    expected: Sequence[ExpectedCall]
    args_match: ArgsMatch
    made: Sequence[Step]
    matcher: Matcher
    found: Sightings
    assigned: Assigned
    least: Sequence[Least] = ()

    @cached_property
    def missing(self) -> list[int]:
        """The expected calls that nothing was assigned to."""
        if self.mode == "subset":
            return []
        held = {item for item, _ in self.assigned.pairs}
        return [item for item in range(len(self.expected)) if item not in held]

    @cached_property
    def near(self) -> dict[int, Near]:
        """What came closest to missing calls."""
        nearest = ((item, self._nearest(item)) for item in self.missing[:_LOOKED_FOR])
        return {item: near for item, near in nearest if near is not None}

    def reasons(self) -> Iterator[str]:
        """What is wrong, in a few phrases."""
        yield from (
            f"{shown(one.name)} was called {counted(one.called, 'time')} instead of {one.wanted:,}"
            for one in islice(filter(_lacks, self.least), _SHOWN)
        )
        strangers = self.assigned.outside
        if strangers:
            some = ", ".join(self.made[one].text for one in strangers[:_SHOWN])
            more = f" and {len(strangers) - _SHOWN:,} more" if len(strangers) > _SHOWN else ""
            made = counted(len(self.made), "call")
            yield f"{len(strangers):,} of {made} outside the set: {some}{more}"
        if self.missing:
            count = len(self.expected)
            held = count - len(self.missing)
            where = " in this order" if self.mode in _ALIGNED else ""
            yield f"{held:,} of {counted(count, 'expected call')} found{where}"
            yield from map(self._why, self.missing[:_SHOWN])
        if self.mode == "exact" and len(self.made) != len(self.expected):
            yield f"{counted(len(self.made), 'call')} instead of {len(self.expected):,}"

    def evidence(self) -> Iterator[Evidence]:
        """The calls that decide."""
        if self.assigned.outside:
            yield from (self.made[one].evidence for one in self.assigned.outside[:_SHOWN])
            return
        if self.near:
            yield from (self.made[one.call].evidence for one in islice(self.near.values(), 1))
        elif self.mode == "exact":
            used = {call for _, call in self.assigned.pairs}
            extra = (one for one in range(len(self.made)) if one not in used)
            yield from (self.made[one].evidence for one in islice(extra, 1))
        for one in islice((one for one in self.least if one.lacks and one.calls), 1):
            yield self.made[lowest(one.calls)].evidence

    def details(self) -> str:
        """The table, how arguments differ, and the figures."""
        texts = [str(one) for one in self.expected]
        near = {item: one.call for item, one in self.near.items()}
        pairs = self.assigned.pairs
        if self.mode == "subset":
            parts = [table(outside_rows(self.made, self.assigned.outside))]
        else:
            aligned = self.mode in _ALIGNED
            rows = in_order_rows if aligned else any_order_rows
            every = [*rows(texts, self.made, pairs, near), *map(_least_row, self.least)]
            parts = [table(every), *self._differences()]
            if texts:
                parts.append(self._figures())
        return "\n\n".join(parts)

    def _differences(self) -> Iterator[str]:
        told = ((item, one) for item, one in self.near.items() if one.arguments)
        for item, near in islice(told, _SHOWN):
            step = self.made[near.call]
            expected = self.expected[item]
            exact = mode_of(expected, self.args_match) == "exact"
            lines = argument_difference(
                step, expected.arguments, near.arguments, self.matcher, exact=exact
            )
            if lines:
                yield f"{expected} is not {placed(step)}:\n{lines}"

    def _figures(self) -> str:
        held, expected, made = len(self.assigned.pairs), len(self.expected), len(self.made)
        precision = held / made if made else 0.0
        recall = held / expected if expected else 0.0
        f1 = 2 * held / (expected + made) if held else 0.0
        return (
            f"{held:,} of {expected:,} expected, {counted(made, 'call')} made: "
            f"precision {precision:.3g}, recall {recall:.3g}, F1 {f1:.3g}"
        )

    def _why(self, item: int) -> str:
        text = cut(str(self.expected[item]), _ITEM_LENGTH)
        near = self.near.get(item)
        if self.found.possible[item]:
            where = "in its place" if self.mode in _ALIGNED else "often enough"
            return f"{text} was called, but not {where}"
        if near is not None and near.other_output and not near.arguments:
            return f"{text} was called, but gave back something else"
        if near is not None and near.too_slow and not near.arguments:
            call = self.made[near.call].call
            waits = ", waits included" if call.duration_source == "timestamps" else ""
            return f"{text} was called, but took {call.duration_ms:,} ms{waits}"
        if near is not None and near.arguments:
            return f"{text} was called with another {', '.join(near.arguments[:_SHOWN])}"
        return f"{text} was not called" if self.made else "no tool was called"

    def _nearest(self, item: int) -> Near | None:
        """The call that comes closest, first among those that could stand in its place."""
        used = 0
        low, high = 0, len(self.made)
        for other, call in self.assigned.pairs:
            used |= 1 << call
            if other < item:
                low = max(low, call + 1)
            else:
                high = min(high, call)
        free = self.found.named[item] & ~used
        if self.mode in _ALIGNED:
            place = ((1 << high) - 1) >> low << low if high > low else 0
            free = free & place or free
        candidates = islice(positions_of(free), _LOOKED_AT)
        return min(
            (self._compared(item, call) for call in candidates),
            key=lambda one: (len(one.arguments), one.other_output, one.too_slow),
            default=None,
        )

    def _compared(self, item: int, call: int) -> Near:
        expected, made = self.expected[item], self.made[call].call
        mode = mode_of(expected, self.args_match)
        asked = expected.asks_for_arguments(mode)
        wrong = self.matcher.different(made, expected.arguments, mode) if asked else []
        wanted, given = expected.output, made.output
        other = wanted is not None and given is not None
        limit, took = expected.max_duration_ms, made.duration_ms
        return Near(
            call,
            wrong,
            other_output=other and not is_output(given or "", wanted, self.matcher),
            too_slow=limit is not None and took is not None and took > limit,
        )
