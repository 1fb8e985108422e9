"""What a session tells of itself, whichever client wrote it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.told import Told


def test_costs_of_responses_are_added_up() -> None:
    told = Told(Drift())
    for cost in (0, 0.25, None, 1):
        told.costs(cost)
    assert told.cost_usd == 1.25
    assert told.drift.counts == {}


@pytest.mark.parametrize("cost", [True, -0.01, 1e300, 10**400, math.nan, "1.5", [1]])
def test_what_can_be_no_cost_is_counted_and_not_added(cost: Any) -> None:
    told = Told(Drift())
    told.costs(cost, 7)
    assert told.cost_usd is None
    assert (told.drift.counts, told.drift.first_line) == (
        {"impossible cost": 1},
        {"impossible cost": 7},
    )
