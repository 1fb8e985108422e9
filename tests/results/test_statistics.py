"""Means and percentiles: as the standard library has them, and honest about what is unknown."""

from __future__ import annotations

import math
import statistics
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_agentv import TokenUsage
from pytest_agentv.results.model import Row
from pytest_agentv.results.statistics import distribution, distributions, percentile

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50)


@given(NUMBERS)
def test_percentiles_are_those_of_the_standard_library(values: list[float]) -> None:
    found = distribution(values)
    cuts = statistics.quantiles(values, n=100, method="inclusive")

    assert found.p50 == pytest.approx(statistics.median(values), abs=1e-6)
    for share, actual in [(90, found.p90), (95, found.p95), (99, found.p99)]:
        assert actual == pytest.approx(cuts[share - 1], abs=1e-6)
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-6)
    assert (found.min, found.max) == (min(values), max(values))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
@example([sys.float_info.max] * 3)
def test_every_number_lies_within_the_values_however_large_they_are(values: list[float]) -> None:
    found = distribution(values)

    for one in (found.mean, found.p50, found.p90, found.p95, found.p99):
        assert one is not None
        assert min(values) <= one <= max(values)


def test_known_percentiles_of_a_hundred_and_one_values() -> None:
    values = list(range(101))

    assert [percentile(values, share) for share in (0, 0.5, 0.9, 0.99, 1)] == [0, 50, 90, 99, 100]


def test_percentiles_are_interpolated_between_neighbours() -> None:
    assert percentile([1, 2], 0.9) == pytest.approx(1.9)
    assert percentile([7], 0.99) == 7


def test_what_is_unknown_is_left_out_and_counted() -> None:
    found = distribution([None, 2, None, 4])

    assert (found.known, found.unknown, found.mean, found.min) == (2, 2, 3, 2)


@pytest.mark.parametrize("values", [[], [None], [math.nan, math.inf, None]])
def test_of_nothing_known_there_is_no_mean(values: list[float | None]) -> None:
    found = distribution(values)

    assert (found.known, found.unknown) == (0, len(values))
    assert (found.mean, found.p50, found.min, found.max) == (None, None, None, None)


def test_zero_is_known() -> None:
    assert distribution([0, 0]).mean == 0
    assert distribution([0, 0]).known == 2


def test_tokens_in_total_are_unknown_if_one_part_is() -> None:
    rows = [
        Row(test_id="a", token_usage=TokenUsage(input=10, output=2)),
        Row(test_id="b", token_usage=TokenUsage(output=5, output_complete=False)),
        Row(test_id="c"),
    ]

    found = distributions(rows)

    assert (found["input_tokens"].known, found["input_tokens"].mean) == (1, 10)
    assert (found["output_tokens"].known, found["output_tokens"].unknown) == (2, 1)
    assert (found["output_tokens"].lower_bounds, found["total_tokens"].lower_bounds) == (1, 0)
    assert (found["total_tokens"].known, found["total_tokens"].mean) == (1, 12)
