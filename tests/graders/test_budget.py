"""Budgets: a limit is kept, exceeded, or nobody can say."""

from __future__ import annotations

import math
from typing import Any

import pytest
from grading import CASE, graded, problems, session
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv import Message, Source, TokenUsage, ToolCall, Transcript, Usage
from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.costs import cost_usd
from pytest_agentv.graders.figures import total_tokens, uncached_tokens


def _used(**figures: Any) -> Transcript:
    return session(token_usage=TokenUsage(**figures))


KNOWN = _used(input=1000, output=200, cached=600, output_complete=True)
PARTIAL = _used(input=1000, output=200, cached=600, output_complete=False)
OUTPUT_ONLY = _used(output=200)
INPUT_ONLY = _used(input=1000)


@pytest.mark.parametrize(
    ("transcript", "keys", "outcome"),
    [
        (KNOWN, {"max_total": 1200}, "passed"),
        (KNOWN, {"max_total": 1199}, "failed"),
        (KNOWN, {"value": 1200}, "passed"),
        (KNOWN, {"max_input": 1000}, "passed"),
        (KNOWN, {"max_input": 999.5}, "failed"),
        (KNOWN, {"max_output": 200}, "passed"),
        (KNOWN, {"max_output": 0}, "failed"),
        (KNOWN, {"max_uncached": 400}, "passed"),
        (KNOWN, {"max_uncached": 399}, "failed"),
        (KNOWN, {"max_total": 9999, "max_output": 1}, "failed"),
        (PARTIAL, {"max_total": 1200}, "skipped"),
        (PARTIAL, {"max_total": 1199}, "failed"),
        (PARTIAL, {"max_output": 10**9}, "skipped"),
        (PARTIAL, {"max_input": 1000}, "passed"),
        (PARTIAL, {"max_input": 1000, "max_total": 10**9}, "skipped"),
        (PARTIAL, {"max_input": 1, "max_total": 10**9}, "failed"),
        (OUTPUT_ONLY, {"max_total": 10**9}, "skipped"),
        (OUTPUT_ONLY, {"max_total": 100}, "failed"),
        (OUTPUT_ONLY, {"max_output": 200}, "passed"),
        (OUTPUT_ONLY, {"max_input": 10**9}, "skipped"),
        (OUTPUT_ONLY, {"max_uncached": 10**9}, "skipped"),
        (INPUT_ONLY, {"max_uncached": 1000}, "passed"),
        (INPUT_ONLY, {"max_uncached": 999}, "skipped"),
        (_used(input=10, cached=20), {"max_uncached": 10**9}, "skipped"),
        (_used(input=10, cached=10), {"max_uncached": 0}, "passed"),
        (_used(), {"max_total": 10**9}, "skipped"),
        (session(), {"max_total": 10**9}, "skipped"),
        (session(), {"max_total": 0}, "skipped"),
    ],
)
def test_tokens(transcript: Transcript, keys: dict[str, Any], outcome: str) -> None:
    grade = graded("token-usage", transcript, **keys)
    assert grade.outcome == outcome
    opposite = {"passed": "failed", "failed": "passed", "skipped": "skipped"}
    assert grade.negated().outcome == opposite[outcome]
    assert grade.reason


def test_a_lower_bound_is_called_so() -> None:
    grade = graded("token-usage", PARTIAL, max_total=1000)
    assert grade.claim == "the session kept to at most 1,000 tokens"
    assert grade.reason == "at least 1,200 tokens"
    unsure = graded("token-usage", PARTIAL, max_total=2000)
    assert unsure.reason == "the session logged a part of its output tokens only"
    assert graded("token-usage", INPUT_ONLY, max_uncached=1000).reason == (
        "at most 1,000 uncached input tokens"
    )


@pytest.mark.parametrize(
    ("duration", "keys", "outcome"),
    [
        (5000, {"max_ms": 5000}, "passed"),
        (5000, {"threshold": 4999}, "failed"),
        (5000, {"value": 5000.5}, "passed"),
        (0, {"max_ms": 0}, "passed"),
        (None, {"max_ms": 10**9}, "skipped"),
        (-5, {"max_ms": 10**9}, "skipped"),
    ],
)
def test_time(duration: int | None, keys: dict[str, Any], outcome: str) -> None:
    assert graded("latency", session(duration_ms=duration), **keys).outcome == outcome


@pytest.mark.parametrize(
    ("cost", "outcome"),
    [
        (0.5, "passed"),
        (0.51, "failed"),
        (0, "passed"),
        (None, "skipped"),
        (math.nan, "skipped"),
        (math.inf, "skipped"),
        (-1.0, "skipped"),
        (True, "skipped"),
        ("0.1", "skipped"),
    ],
)
@pytest.mark.parametrize("key", ["max_usd", "budget", "threshold", "value"])
def test_the_cost_that_a_session_states(cost: float | None, outcome: str, key: str) -> None:
    keys: dict[str, Any] = {key: 0.5}
    grade = graded("cost", session(cost_usd=cost), **keys)
    assert grade.outcome == outcome
    if outcome == "skipped":
        assert grade.negated().outcome == "skipped"


def test_the_case_may_say_what_a_session_cost() -> None:
    case = CaseFacts(id="x", cost_usd=0.25)
    assert graded("cost", session(), case=case, max_usd=0.25)
    assert not graded("cost", session(), case=case, max_usd=0.2)
    assert not graded("cost", session(cost_usd=1.0), case=case, max_usd=0.25)
    with pytest.raises(NotGradable, match="no amount: nan"):
        graded("cost", session(), case=CaseFacts(id="x", cost_usd=math.nan), max_usd=1)


PRICES = {
    "big-1": {"input": 10.0, "output": 50.0, "cached": 1.0, "cache_write": 12.5},
    "big-*": {"input": 1000.0, "output": 1000.0},
    "small-*": {"input": 1.0, "output": 2.0},
}
PRICED = CaseFacts(id="x", prices=PRICES)


def _response(model: str | None, **usage: Any) -> Message:
    return Message(role="assistant", model=model, usage=Usage(**usage) if usage else None)


FULL_USAGE = {"input": 1_000_000, "output": 100_000, "cached": 500_000, "cache_write": 100_000}
BIG = _response("big-1", **FULL_USAGE)
PARTIAL_USAGE = TokenUsage(**FULL_USAGE, output_complete=False)


@pytest.mark.parametrize(
    ("transcript", "low", "high"),
    [
        # 400,000 at 10, 500,000 at 1, 100,000 at 12.5, 100,000 at 50
        (session(_response("big-1", **FULL_USAGE)), 10.75, 10.75),
        (session(_response("small-x", **FULL_USAGE)), 1.2, 1.2),
        (session(BIG, _response("small-x", **FULL_USAGE)), 11.95, 11.95),
        (session(_response("big-1", **FULL_USAGE), _response("small-x")), 10.75, None),
        (session(_response("big-1", **FULL_USAGE), _response("tiny")), 10.75, None),
        (
            session(_response("big-1"), token_usage=TokenUsage(**FULL_USAGE, output_complete=True)),
            10.75,
            10.75,
        ),
        (
            session(_response("big-1"), token_usage=PARTIAL_USAGE),
            10.75,
            None,
        ),
        (
            session(
                _response("big-1", **FULL_USAGE),
                _response("small-x", **FULL_USAGE),
                token_usage=TokenUsage(input=9_000_000, output=200_000),
            ),
            11.95,
            None,
        ),
        (
            session(BIG, _response("small-x", **FULL_USAGE), token_usage=PARTIAL_USAGE),
            11.95,
            None,
        ),
        (
            session(
                BIG,
                _response("small-x", **FULL_USAGE),
                token_usage=TokenUsage(input=2_000_000, output=200_000),
            ),
            11.95,
            11.95,
        ),
        # Whether tokens were cached is not said: all at 1, or all at 12.5.
        (session(_response("big-1", input=1_000_000, output=0)), 1.0, 12.5),
        (session(_response("small-x", input=1_000_000, output=0)), 1.0, 1.0),
        (session(_response("small-x", output=500_000)), 1.0, None),
        (session(_response("big-1", input=5, output=0, cached=10)), 0, None),
        (session(_response("unheard-of", **FULL_USAGE)), 0, None),
        (session(_response(None, **FULL_USAGE)), 0, None),
        (session(), 0, None),
    ],
)  # fmt: skip
def test_a_cost_by_the_users_prices(transcript: Transcript, low: float, high: float | None) -> None:
    figure = cost_usd(transcript, PRICED)
    assert figure.low == pytest.approx(low)
    assert figure.high == (None if high is None else pytest.approx(high))
    assert figure.why or high == low


def test_the_model_of_the_session_serves_messages_without_one() -> None:
    transcript = Transcript(
        source=Source(provider="x", model="small-1"),
        output=(_response(None, input=1_000_000, output=1_000_000),),
    )
    assert cost_usd(transcript, PRICED).exact == 3.0


def test_a_session_that_counts_its_tokens_needs_no_answer_to_have_a_cost() -> None:
    transcript = Transcript(
        source=Source(provider="x", model="small-1"),
        output=(Message(role="user", content="Do it"),),
        token_usage=TokenUsage(input=1_000_000, output=1_000_000),
    )
    assert cost_usd(transcript, PRICED).exact == 3.0


def test_only_answers_cost_anything() -> None:
    prompt = Message(role="user", content="Do it")
    transcript = session(prompt, BIG, prompt, _response("small-x", **FULL_USAGE))
    assert cost_usd(transcript, PRICED).exact == pytest.approx(11.95)


@pytest.mark.parametrize("usage", [TokenUsage(), TokenUsage(input=2_000_000)])
def test_a_session_that_counts_less_than_its_answers_leaves_nothing_out(usage: TokenUsage) -> None:
    transcript = session(BIG, _response("small-x", **FULL_USAGE), token_usage=usage)
    assert cost_usd(transcript, PRICED).exact == pytest.approx(11.95)


def test_a_session_all_of_whose_input_was_cached_has_a_cost() -> None:
    cached = _response("big-1", input=1_000_000, output=0, cached=1_000_000, cache_write=0)
    assert cost_usd(session(cached), PRICED).exact == 1.0


def test_why_a_cost_is_not_known() -> None:
    partial = cost_usd(session(BIG, token_usage=PARTIAL_USAGE), PRICED)
    assert partial.why == "the session logged a part of its tokens only"
    new = cost_usd(session(_response("new"), token_usage=PARTIAL_USAGE), PRICED)
    assert new.why == "there is no price for the model 'new'"
    unpriced = session(_response("unheard-of", **FULL_USAGE))
    grade = graded("cost", unpriced, case=PRICED, max_usd=1000)
    assert grade.outcome == "skipped"
    assert grade.reason == "there is no price for the model 'unheard-of'"
    grade = graded("cost", session(), max_usd=1000)
    assert grade.reason == "the session does not say what it cost, and no prices are set up"


@pytest.mark.parametrize(
    ("price", "problem"),
    [
        ({"input": 1.0}, "the prices of 'm' lack `output`"),
        ({"input": -1.0, "output": 1.0}, "the price `input` of 'm' is no amount: -1.0"),
        ({"input": 1.0, "output": math.nan}, "the price `output` of 'm' is no amount: nan"),
    ],
)
def test_a_bad_price_is_an_error(price: dict[str, float], problem: str) -> None:
    case = CaseFacts(id="x", prices={"m": price})
    with pytest.raises(NotGradable, match=problem):
        graded("cost", session(_response("m", **FULL_USAGE)), case=case, max_usd=1)


WORK = session(
    Message(
        role="assistant",
        tool_calls=(
            ToolCall(tool="Read", kind="read"),
            ToolCall(tool="Grep", kind="search"),
            ToolCall(tool="Edit", kind="edit"),
            ToolCall(tool="Bash", kind="shell"),
        ),
    ),
    Message(role="assistant", content="Done."),
    token_usage=TokenUsage(input=100, output=20),
    duration_ms=900,
)


@pytest.mark.parametrize(
    ("keys", "outcome", "score"),
    [
        ({"max_tool_calls": 4}, "passed", None),
        ({"max_tool_calls": 3}, "failed", None),
        ({"max_llm_calls": 2}, "passed", None),
        ({"max_llm_calls": 1}, "failed", None),
        ({"max_tokens": 120}, "passed", None),
        ({"max_tokens": 119}, "failed", None),
        ({"max_duration_ms": 900}, "passed", None),
        ({"max_cost_usd": 5}, "skipped", None),
        ({"target_exploration_ratio": 0.5}, "passed", None),
        ({"target_exploration_ratio": 0.7}, "passed", None),
        ({"target_exploration_ratio": 0.71}, "failed", None),
        ({"target_exploration_ratio": 0.3, "exploration_tolerance": 0.1}, "failed", None),
        ({"max_tool_calls": 4, "max_tokens": 1, "max_llm_calls": 9}, "failed", 2 / 3),
        ({"max_tool_calls": 4, "max_tokens": 1, "max_cost_usd": 9}, "failed", None),
        ({"max_tool_calls": 4, "max_cost_usd": 9}, "skipped", None),
        ({"max_tool_calls": 4, "max_tokens": 1000}, "passed", 1.0),
    ],
)
def test_several_limits(keys: dict[str, Any], outcome: str, score: float | None) -> None:
    grade = graded("execution-metrics", WORK, **keys)
    assert (grade.outcome, grade.score) == (outcome, score)


def test_calls_that_look_explore_and_those_that_change_do_not() -> None:
    kinds = ("read", "search", "fetch", "shell")
    calls = tuple(ToolCall(tool=kind, kind=kind) for kind in kinds)
    looks = session(Message(role="assistant", tool_calls=calls))
    exactly: dict[str, Any] = {"exploration_tolerance": 0}
    assert graded("execution-metrics", looks, target_exploration_ratio=0.75, **exactly)
    assert not graded("execution-metrics", looks, target_exploration_ratio=0.25, **exactly)


def test_every_check_is_listed() -> None:
    grade = graded("execution-metrics", WORK, max_tool_calls=3, max_tokens=500, max_cost_usd=1)
    assert grade.reason == "4 tool calls"
    assert grade.details.splitlines() == [
        "failed: at most 3 tool calls: 4 tool calls",
        "passed: at most 500 tokens: 120 tokens",
        "skipped: at most 1 USD: the session does not say what it cost, and no prices are set up",
    ]


def test_the_opposite_of_several_limits_holds_if_one_of_them_is_truly_exceeded() -> None:
    quiet = session(token_usage=TokenUsage(input=100, output=20))
    explored: dict[str, Any] = {"target_exploration_ratio": 0.5}
    assert graded("execution-metrics", quiet, max_tokens=1, **explored).negated()
    alone = graded("execution-metrics", quiet, max_tokens=120, **explored)
    assert (alone.outcome, alone.negated().outcome) == ("failed", "skipped")


def test_without_calls_there_is_nothing_to_explore() -> None:
    grade = graded("execution-metrics", session(), target_exploration_ratio=0.5)
    assert (grade.outcome, grade.vacuous) == ("failed", True)
    grade = graded("execution-metrics", session(), target_exploration_ratio=0, max_llm_calls=0)
    assert grade.negated().outcome == "skipped"


@pytest.mark.parametrize(
    ("type_", "keys", "problem"),
    [
        ("latency", {"max_ms": True}, "must be a number, not true"),
        ("latency", {"max_ms": "5"}, "must be a number, not '5'"),
        ("latency", {"max_ms": -1}, "must be a finite number of at least 0, not -1"),
        ("cost", {"max_usd": math.nan}, "must be a finite number of at least 0, not NaN"),
        ("cost", {"max_usd": math.inf}, "must be a finite number of at least 0, not Infinity"),
        (
            "token-usage",
            {"max_total": 10**400},
            f"must be a finite number of at least 0, not 1{'0' * 58}…",
        ),
        ("token-usage", {}, "needs max_total, max_input, max_output or max_uncached"),
        (
            "execution-metrics",
            {"exploration_tolerance": 0.1},
            (
                "needs one of max_tool_calls, max_llm_calls, max_tokens, max_cost_usd, "
                "max_duration_ms, target_exploration_ratio"
            ),
        ),
        (
            "execution-metrics",
            {"target_exploration_ratio": 1.5},
            "must be a number from 0 to 1, not 1.5",
        ),
    ],
)
def test_a_limit_is_a_finite_number(type_: str, keys: dict[str, Any], problem: str) -> None:
    ((_, message),) = problems(type_, **keys)
    assert message == problem


def test_a_limit_is_given_once() -> None:
    found = problems("latency", max_ms=5, threshold=7)
    assert found == [(("threshold",), "Extra inputs are not permitted")]


counts = st.none() | st.integers(-5, 2**64)
usages = st.builds(
    TokenUsage, input=counts, output=counts, cached=counts, cache_write=counts,
    output_complete=st.none() | st.booleans(),
)  # fmt: skip


@given(st.none() | usages, st.floats(0, 1e20))
def test_a_budget_is_never_passed_on_what_is_not_known(
    usage: TokenUsage | None, limit: float
) -> None:
    transcript = session(token_usage=usage)
    grade = graded("token-usage", transcript, max_total=limit)
    exact = total_tokens(transcript).exact
    if exact is None:
        assert grade.outcome in ("failed", "skipped")
    else:
        assert grade.outcome == ("passed" if exact <= limit else "failed")
    uncached = uncached_tokens(transcript)
    assert uncached.high is None or uncached.low <= uncached.high
    cost = cost_usd(session(_response("big-1"), token_usage=usage), PRICED)
    assert cost.high is None or 0 <= cost.low <= cost.high
    assert graded("cost", transcript, case=CASE, max_usd=limit).outcome == "skipped"
