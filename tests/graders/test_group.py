"""Sets of assertions: one grade out of many."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.grade import Grade, Outcome
from pytest_agentv.graders.group import GroupOptions, Member, Mode, combine

P, F, S = Grade("passed", "yes"), Grade("failed", "no"), Grade("skipped", "who knows")
V = Grade("failed", "nothing there", vacuous=True)
M = Grade("failed", "one of two", vacuous=True, mixed=True)


def _members(*grades: Grade, weights: tuple[float, ...] = ()) -> list[Member]:
    some = weights or (1.0,) * len(grades)
    return [
        Member(f"m{n}", grade, weight)
        for n, (grade, weight) in enumerate(zip(grades, some, strict=True), 1)
    ]


@pytest.mark.parametrize(
    ("mode", "threshold", "grades", "outcome", "score"),
    [
        ("all", None, (P, P), "passed", 1.0),
        ("all", None, (P, F), "failed", 0.5),
        ("all", None, (P, S), "skipped", None),
        ("all", None, (F, S), "failed", None),
        ("all", None, (S, S), "skipped", None),
        ("all", None, (), "skipped", None),
        ("any", None, (P, F), "passed", 1.0),
        ("any", None, (P, S), "passed", 1.0),
        ("any", None, (F, F), "failed", 0.0),
        ("any", None, (F, S), "skipped", None),
        ("threshold", 0.5, (P, F), "passed", 0.5),
        ("threshold", 0.6, (P, F), "failed", 0.5),
        ("threshold", 0.6, (P, P, F, S), "passed", 2 / 3),
        ("threshold", 2 / 3, (P, P, F), "passed", 2 / 3),
        ("threshold", 0.0, (S,), "skipped", None),
        ("weighted", 0.5, (P, F), "passed", 0.5),
        ("weighted", 0.7, (Grade("failed", score=0.7), S), "passed", 0.7),
        ("weighted", 0.1, (S, S), "skipped", None),
    ],
)
def test_the_grade_of_a_set(
    mode: Mode,
    threshold: float | None,
    grades: tuple[Grade, ...],
    outcome: Outcome,
    score: float | None,
) -> None:
    grade = combine(_members(*grades), mode=mode, threshold=threshold)
    assert grade.outcome == outcome
    assert grade.score == (None if score is None else pytest.approx(score))


def test_weights_count_in_a_weighted_mean() -> None:
    members = _members(P, F, weights=(3.0, 1.0))
    assert combine(members, mode="weighted", threshold=0.75).outcome == "passed"
    assert combine(members, mode="weighted", threshold=0.76).outcome == "failed"
    assert combine(members, mode="threshold", threshold=0.75).outcome == "failed"


def test_without_any_weight_there_is_no_mean() -> None:
    members = _members(P, P, weights=(0.0, 0.0))
    with pytest.raises(NotGradable, match="add up to 0"):
        combine(members, mode="weighted", threshold=0.5)
    assert combine(members).outcome == "passed"
    # The one with a weight was not graded.
    with pytest.raises(NotGradable, match="add up to 0"):
        combine(_members(P, S, weights=(0.0, 1.0)), mode="weighted", threshold=0.5)


@pytest.mark.parametrize(
    ("mode", "threshold", "grades", "negated"),
    [
        ("all", None, (P, F), "passed"),
        ("all", None, (P, V), "skipped"),
        ("all", None, (F, V), "passed"),
        ("any", None, (F, F), "passed"),
        ("any", None, (F, V), "skipped"),
        ("any", None, (P, V), "failed"),
        ("threshold", 0.5, (F, V), "skipped"),
        ("weighted", 0.5, (F, V), "skipped"),
        ("weighted", 0.5, (F, F), "passed"),
        # The opposite of each fails, too.
        ("all", None, (P, M), "failed"),
        ("all", None, (M, M), "failed"),
        ("all", None, (M, F), "passed"),
        ("all", None, (M, V), "skipped"),
        ("all", None, (M, S), "skipped"),
        ("any", None, (M, F), "failed"),
        ("any", None, (M, V), "failed"),
        ("any", None, (M, S), "skipped"),
    ],
)
def test_a_set_that_fails_for_want_of_anything_does_not_pass_negated(
    mode: Mode, threshold: float | None, grades: tuple[Grade, ...], negated: Outcome
) -> None:
    grade = combine(_members(*grades), mode=mode, threshold=threshold)
    assert grade.negated().outcome == negated


def _required(*grades: Grade) -> list[Member]:
    return [Member(f"r{n}", grade, required=True) for n, grade in enumerate(grades, 1)]


@pytest.mark.parametrize(
    ("required", "outcome", "score", "negated", "reason"),
    [
        ((P,), "passed", 2 / 3, "failed", "0.667 over 3 assertions"),
        ((F,), "failed", 0.0, "passed", "required, and failed: r1"),
        ((P, F), "failed", 0.0, "passed", "required, and failed: r2"),
        ((F, V), "failed", 0.0, "passed", "required, and failed: r1, r2"),
        ((V,), "failed", 0.0, "skipped", "required, and failed: r1"),
        ((S,), "passed", 0.5, "failed", "0.5 over 2 assertions"),
    ],
)
def test_what_is_required_fails_a_set_whatever_the_mean(
    required: tuple[Grade, ...], outcome: Outcome, score: float, negated: Outcome, reason: str
) -> None:
    members = [*_required(*required), *_members(P, F)]
    grade = combine(members, mode="weighted", threshold=0.1)
    assert (grade.outcome, grade.reason) == (outcome, reason)
    assert grade.score == pytest.approx(score)
    assert grade.negated().outcome == negated


def test_a_set_that_holds_holds_for_something_whatever_one_member_lacks() -> None:
    grade = combine(_members(P, V), mode="weighted", threshold=0.5)
    assert (grade.outcome, grade.vacuous) == ("passed", False)
    assert grade.against(0.6).negated().outcome == "passed"


def test_weights_may_be_as_large_and_as_small_as_numbers_are() -> None:
    members = _members(P, F, F, weights=(1e308, 1e308, 1e-300))
    assert combine(members, mode="weighted", threshold=0.5).score == 0.5


def test_every_member_has_a_line() -> None:
    grade = combine(_members(P, F, S))
    assert grade.claim == "all assertions of the set hold"
    assert grade.reason == "1 of 2 assertions failed"
    assert grade.details == "m1: passed: yes\nm2: failed: no\nm3: skipped: who knows"


@pytest.mark.parametrize(
    ("keys", "mode", "threshold"),
    [
        ({}, "all", None),
        ({"mode": "any"}, "any", None),
        ({"threshold": 0.5}, "weighted", 0.5),
        ({"threshold": 1}, "weighted", 1.0),
        ({"mode": "threshold", "threshold": 0.5}, "threshold", 0.5),
    ],
)
def test_the_options_of_a_set(keys: dict[str, Any], mode: Mode, threshold: float | None) -> None:
    options = GroupOptions.model_validate(keys)
    assert (options.mode, options.threshold) == (mode, threshold)
    assert (options.rule, options.weights) == ((mode, threshold), {})


@pytest.mark.parametrize(
    ("keys", "rule", "weights"),
    [
        ({"aggregator": {}}, ("all", None), {}),
        ({"aggregator": {"type": "threshold", "threshold": 0.5}}, ("threshold", 0.5), {}),
        (
            {"aggregator": {"type": "weighted-average", "weights": {"a": 2}}, "threshold": 0.5},
            ("weighted", 0.5),
            {"a": 2},
        ),
        ({"aggregator": {"weights": {"a": 0}}, "mode": "any"}, ("any", None), {"a": 0}),
    ],
)
def test_an_aggregator_says_how_a_set_is_graded_and_what_its_members_weigh(
    keys: dict[str, Any], rule: tuple[Mode, float | None], weights: dict[str, float]
) -> None:
    options = GroupOptions.model_validate(keys)
    assert (options.rule, options.weights) == (rule, weights)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"mode": "weighted"}, "mode 'weighted' needs a `threshold` from 0 to 1"),
        ({"mode": "threshold"}, "mode 'threshold' needs a `threshold` from 0 to 1"),
        (
            {"mode": "all", "threshold": 0.5},
            "mode 'all' has no `threshold`; 'weighted' and 'threshold' have",
        ),
        ({"threshold": 1.5}, "must be a number from 0 to 1, not 1.5"),
        ({"mode": "most"}, "Input should be 'all', 'any', 'threshold' or 'weighted'"),
        ({"agregator": "x"}, "Extra inputs are not permitted"),
    ],
)
def test_bad_options_are_refused(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        GroupOptions.model_validate(keys)
    assert [one["msg"] for one in caught.value.errors()] == [problem]


grades = st.builds(
    lambda outcome, score, *, vacuous, mixed: Grade(
        outcome,
        score=score,
        vacuous=vacuous and outcome == "failed",
        mixed=mixed and outcome == "failed",
    ),
    st.sampled_from(["passed", "failed", "skipped"]),
    st.none() | st.floats(0, 1),
    vacuous=st.booleans(),
    mixed=st.booleans(),
)
weighed = st.lists(st.builds(Member, st.just("m"), grades, st.floats(1e-300, 1e308)), min_size=1)


@given(weighed, st.sampled_from(["all", "any", "threshold", "weighted"]), st.floats(0, 1))
def test_a_set_never_raises_nor_passes_both_ways(
    members: list[Member], mode: Mode, threshold: float
) -> None:
    grade = combine(members, mode=mode, threshold=threshold)
    assert grade.score is None or 0 <= grade.score <= 1
    assert not (grade and grade.negated())
    if all(one.grade.outcome == "skipped" for one in members):
        assert grade.outcome == "skipped"


@given(grades, st.sampled_from(["all", "any"]))
def test_a_set_of_one_is_that_one_negated_or_not(one: Grade, mode: Mode) -> None:
    grade = combine(_members(one), mode=mode)
    assert grade.outcome == one.outcome
    assert grade.negated().outcome == one.negated().outcome
