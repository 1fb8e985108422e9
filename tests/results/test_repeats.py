"""Rates of repeats: against scipy, and against counting every draw."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from pytest_agentv.results.model import Row
from pytest_agentv.results.repeats import (
    pass_at_k,
    pass_hat_k,
    percent,
    repeats,
    repeats_of,
    wilson,
)

if TYPE_CHECKING:
    from pytest_agentv.results.model import Outcome

_laws = settings(max_examples=200, deadline=None, derandomize=True, database=None)
_counts = st.integers(1, 400).flatmap(lambda runs: st.tuples(st.just(runs), st.integers(0, runs)))


@_laws
@given(_counts)
def test_the_wilson_interval_is_that_of_scipy(counts: tuple[int, int]) -> None:
    runs, passed = counts
    expected = binomtest(passed, runs).proportion_ci(confidence_level=0.95, method="wilson")
    low, high = wilson(runs, passed)
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)
    assert 0 <= low <= passed / runs <= high <= 1


@pytest.mark.parametrize("runs", range(1, 8))
def test_pass_at_k_and_pass_hat_k_are_what_counting_every_draw_gives(runs: int) -> None:
    for passed in range(runs + 1):
        sessions = [True] * passed + [False] * (runs - passed)
        for k in range(1, runs + 1):
            draws = list(combinations(sessions, k))
            assert pass_at_k(runs, passed, k) == pytest.approx(sum(map(any, draws)) / len(draws))
            assert pass_hat_k(runs, passed, k) == pytest.approx(sum(map(all, draws)) / len(draws))


def test_four_of_five() -> None:
    outcomes: list[Outcome] = ["passed", "passed", "failed", "passed", "passed"]
    found = repeats("a.eval.yaml", "one", "claude-cli", outcomes)
    assert (found.runs, found.passed, found.pass_rate) == (5, 4, 0.8)
    assert found.wilson_low == pytest.approx(0.3755, abs=1e-4)
    assert found.wilson_high == pytest.approx(0.9638, abs=1e-4)
    assert found.pass_at_k == pytest.approx((0.8, 1, 1, 1, 1))
    assert found.pass_hat_k == pytest.approx((0.8, 0.6, 0.4, 0.2, 0))


def test_skipped_and_broken_sessions_leave_the_rate() -> None:
    found = repeats("a.eval.yaml", "one", "claude-cli", ["passed", "failed", "error", "skipped"])
    assert (found.runs, found.passed, found.errors, found.skipped) == (2, 1, 1, 1)
    nothing = repeats("a.eval.yaml", "one", "claude-cli", ["error", "skipped"])
    assert (nothing.runs, nothing.pass_rate, nothing.wilson_low) == (0, None, None)
    assert nothing.pass_at_k == nothing.pass_hat_k == ()


def test_only_tests_that_a_provider_did_more_than_once_have_repeats() -> None:
    rows = [
        Row(test_id=test, eval_file=file, target=target, outcome=outcome)
        for test, file, target, outcome in [
            ("one", "a", "claude-cli", "passed"),
            ("one", "a", "claude-cli", "failed"),
            ("one", "a", "codex-cli", "passed"),
            ("one", "b", "claude-cli", "passed"),
            ("two", "a", None, "skipped"),
            ("two", "a", None, "skipped"),
        ]
    ]
    [found] = repeats_of(rows)
    assert (found.eval_file, found.test_id, found.target) == ("a", "one", "claude-cli")
    assert (found.runs, found.passed) == (2, 1)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0.0%"), (1, "100.0%"), (0.0001, "0.1%"), (0.9999, "99.9%"), (0.37553, "37.6%")],
)
def test_only_all_is_100_percent_and_only_none_is_0(share: float, text: str) -> None:
    assert percent(share) == text
