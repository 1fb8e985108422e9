"""Tokens of a session, from counters that repeat, restart and are inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from codex_sessions import SESSION_ID, Session, tokens
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_agentv import TokenUsage
from pytest_agentv.adapters.codex.records import TokenInfo, Tokens
from pytest_agentv.adapters.codex.tokens import Totals

if TYPE_CHECKING:
    from codex_sessions import Read


@pytest.fixture
def session() -> Session:
    session = Session()
    session.ask("Add a cart")
    session.answer("Done.")
    return session


def used(session: Session, read: Read) -> tuple[int | None, int | None]:
    usage = read(session).token_usage
    assert usage is not None
    return usage.input, usage.output


def test_the_last_total_counts_and_a_repeated_one_does_not(session: Session, read: Read) -> None:
    session.used(tokens(100, 10, cached=50, reasoning=4))
    session.count(session.total)
    session.used(tokens(200, 20, cached=150, reasoning=6))
    session.count(session.total)
    assert read(session).token_usage == TokenUsage(
        input=300, output=30, cached=200, reasoning=10, output_complete=True
    )


def test_a_counter_that_starts_over_goes_on_from_where_it_was(session: Session, read: Read) -> None:
    session.count(tokens(1000, 100), tokens(400, 40))
    session.count(tokens(200, 20))
    session.count(tokens(300, 30), tokens(100, 10))
    assert used(session, read) == (1300, 130)


def test_a_counter_that_starts_over_with_more_is_seen_by_its_last_response(
    session: Session, read: Read
) -> None:
    session.count(tokens(100, 10))
    session.count(tokens(500, 50))
    assert used(session, read) == (600, 60)


def test_a_context_that_overflows_does_not_lose_what_was_counted(
    session: Session, read: Read
) -> None:
    session.count(tokens(1000, 100), tokens(400, 40))
    session.count({**tokens(0, 0), "total_tokens": 258_400}, tokens(0, 0))
    session.count({**tokens(50, 5), "total_tokens": 258_455}, tokens(50, 5))
    assert used(session, read) == (1050, 105)


def test_an_estimate_after_a_compaction_is_nobodys_usage(session: Session, read: Read) -> None:
    session.used(tokens(100, 10))
    session.count(session.total, {**tokens(0, 0), "total_tokens": 9000})
    session.answer("More.")
    responses = read(session).messages(role="assistant")
    assert [message.usage is not None for message in responses] == [True, False]


def test_a_session_that_counts_nothing_has_no_usage(session: Session, read: Read) -> None:
    session.event("token_count", info=None, rate_limits={"primary": None})
    assert read(session).token_usage is None


def test_newly_cached_tokens_are_known_only_where_they_are_stated(
    session: Session, read: Read
) -> None:
    session.count(tokens(100, 10, cache_write_input_tokens=0))
    usage = read(session).token_usage
    assert usage is not None
    assert usage.cache_write == 0


def test_records_of_responses_count_once_each_and_before_any_total(
    session: Session, read: Read
) -> None:
    for response in ("resp_1", "resp_1", "resp_2"):
        session.record("token_usage_record", response_id=response, usage=tokens(100, 10))
    session.count(tokens(999, 99))
    assert used(session, read) == (200, 20)


def test_tokens_of_another_thread_are_not_the_sessions(session: Session, read: Read) -> None:
    for response, thread in (("resp_1", SESSION_ID), ("resp_2", "review"), ("resp_3", None)):
        session.record(
            "token_usage_record", response_id=response, thread_id=thread, usage=tokens(100, 10)
        )
    assert used(session, read) == (200, 20)
    assert read(session).left_out == {"tokens of another thread": 1}


def test_without_a_head_tokens_are_those_of_the_only_thread_there_is(
    session: Session, read: Read
) -> None:
    del session.records[0]
    session.record("token_usage_record", thread_id="any", usage=tokens(100, 10))
    assert used(session, read) == (100, 10)


def test_an_old_session_that_a_newer_version_goes_on_with_counts_both_parts(
    session: Session, read: Read
) -> None:
    session.count(tokens(100, 10))
    session.record("token_usage_record", response_id="resp_1", usage=tokens(300, 30))
    session.count(tokens(400, 40), tokens(300, 30))
    session.count(tokens(400, 40), {**tokens(0, 0), "total_tokens": 9000})
    assert used(session, read) == (400, 40)


def test_a_response_that_no_total_includes_is_counted_by_its_record(
    session: Session, read: Read
) -> None:
    session.record("token_usage_record", response_id="resp_1", usage=tokens(5000, 100))
    session.count(tokens(5000, 100))
    session.record("token_usage_record", response_id="resp_2", usage=tokens(90_000, 2500))
    session.count(tokens(5000, 100), {**tokens(0, 0), "total_tokens": 12_345})
    assert used(session, read) == (95_000, 2600)


@pytest.mark.parametrize("count", [-1, 1 << 60, "many", 1.5, None])
def test_a_figure_that_counts_nothing_is_unknown(
    session: Session, read: Read, count: object
) -> None:
    session.count({**tokens(100, 10), "reasoning_output_tokens": count})
    usage = read(session).token_usage
    assert usage is not None
    assert (usage.input, usage.reasoning) == (100, None)


def test_what_one_part_of_a_session_does_not_state_is_unknown_of_it_all(
    session: Session, read: Read
) -> None:
    session.count(tokens(100, 10))
    session.answer("More.")
    # A newer version goes on, and starts the counter over.
    session.count(tokens(30, 3, cache_write_input_tokens=0))
    usage = read(session).token_usage
    assert usage is not None
    assert (usage.input, usage.cached, usage.cache_write) == (130, 0, None)


@pytest.mark.parametrize("name", ["input_tokens", "output_tokens"])
def test_a_response_whose_tokens_cannot_be_read_leaves_no_total(
    session: Session, read: Read, name: str
) -> None:
    session.record("token_usage_record", response_id="resp_1", usage=tokens(100, 10))
    session.record(
        "token_usage_record", response_id="resp_2", usage={**tokens(100, 10), name: "many"}
    )
    usage = read(session).token_usage
    assert usage is not None
    expected = (None, 20, True) if name == "input_tokens" else (200, None, None)
    assert (usage.input, usage.output, usage.output_complete) == expected


@given(st.lists(st.lists(st.integers(1, 10_000), min_size=1, max_size=8), max_size=5))
def test_the_sum_of_all_responses_is_counted_however_often_the_counter_starts_over(
    epochs: list[list[int]],
) -> None:
    totals = Totals()
    so_far = 0
    for epoch in epochs:
        # A counter that starts over with the very total it had is one that repeats itself.
        assume(epoch[0] != so_far)
        so_far = 0
        for count in epoch:
            so_far += count
            info = TokenInfo(
                Tokens(input_tokens=so_far, output_tokens=so_far),
                Tokens(input_tokens=count, output_tokens=count),
            )
            totals.count(info)
            totals.count(info)
    usage = totals.finish()
    counted = sum(map(sum, epochs))
    assert (usage.input if usage else 0) == counted
