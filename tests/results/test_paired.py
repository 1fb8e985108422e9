"""Statistics of pairs, against those of scipy."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_agentv.results.paired import mean_interval, sign_test, t_quantile

_DIFFERENCES = st.lists(st.floats(-1, 1).map(lambda one: round(one, 6)), min_size=2, max_size=60)


@given(differences=_DIFFERENCES)
def test_the_interval_of_a_mean_is_that_of_a_paired_t_test(differences: list[float]) -> None:
    found = mean_interval(differences)
    if len(set(differences)) == 1:
        assert found is None
        return
    expected = stats.ttest_rel(differences, [0.0] * len(differences)).confidence_interval()
    assert found == pytest.approx((expected.low, expected.high), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("differences", [[], [0.5], [-1.0, -1.0], [0.9 - 0.8, 0.8 - 0.7, 0.1]])
def test_differences_without_any_spread_have_no_interval(differences: list[float]) -> None:
    assert mean_interval(differences) is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 30, 400, 20_000])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.975, 0.9995])
def test_quantiles_of_t_are_those_of_scipy(share: float, freedom: int) -> None:
    assert t_quantile(share, freedom) == pytest.approx(
        stats.t.ppf(share, freedom), rel=1e-7, abs=1e-9
    )


def test_the_sign_test_is_the_exact_binomial_test() -> None:
    for better, worse in product(range(25), range(25)):
        if better + worse:
            expected = stats.binomtest(better, better + worse, 0.5).pvalue
            assert sign_test(better, worse) == pytest.approx(expected, rel=1e-9)


def test_the_sign_test_of_many_thousands_neither_overflows_nor_loses_digits() -> None:
    expected = stats.binomtest(4_900, 10_000, 0.5).pvalue
    assert sign_test(4_900, 5_100) == pytest.approx(expected, rel=1e-9)
    assert math.isfinite(sign_test(0, 10_000) or 0.0)


def test_where_nothing_differs_there_is_no_probability() -> None:
    assert sign_test(0, 0) is None
