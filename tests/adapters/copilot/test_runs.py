"""Tokens and duration: a session is several runs, each with totals of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copilot_sessions import Session, plain, tokens

from pytest_agentv import TokenUsage

if TYPE_CHECKING:
    from copilot_sessions import Read


def test_the_tokens_of_a_run_are_those_of_its_shutdown(read: Read) -> None:
    session = plain()
    session.events.pop()
    metrics = {
        "claude-sonnet-4.6": tokens(9000, 70, cached=8000, written=500, reasoningTokens=30),
        "gpt-5-mini": tokens(100, 5, cached=0),
    }
    session.shutdown(metrics)
    assert read(session).token_usage == TokenUsage(
        input=9100, output=75, cached=8000, cache_write=500, reasoning=30, output_complete=True
    )


def test_the_runs_of_a_session_are_added_up(read: Read) -> None:
    session = plain()
    session.wait(86_400)
    session.resume()
    session.user("Go on")
    session.assistant("Done.")
    session.shutdown({session.model: tokens(1000, 8, cached=500)})
    transcript = read(session)
    usage = transcript.token_usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cached) == (6000, 58, 4500)
    assert usage.output_complete
    # Two runs of three seconds each, and not the day between them.
    assert transcript.duration_ms == 6000


def test_what_follows_the_last_shutdown_makes_the_input_unknown(read: Read) -> None:
    session = plain()
    session.resume()
    session.user("Go on")
    session.assistant("Hm.", outputTokens=7)
    assert read(session).token_usage == TokenUsage(output=57, output_complete=False)


def test_without_a_shutdown_the_output_of_the_responses_is_known(read: Read) -> None:
    session = plain()
    session.events.pop()
    transcript = read(session)
    assert transcript.token_usage == TokenUsage(output=50, output_complete=False)
    assert transcript.duration_ms == 2000


def test_a_run_that_was_killed_ends_with_the_last_thing_heard_of_it(read: Read) -> None:
    session = plain()
    session.events.pop()
    session.hook()
    session.wait(1000)
    session.resume()
    session.user("Go on")
    assert read(session).duration_ms == 5000 + 1000


def test_a_run_without_a_response_spends_nothing(read: Read) -> None:
    session = plain()
    session.resume()
    session.shutdown({})
    session.resume()
    usage = read(session).token_usage
    assert usage is not None
    assert (usage.input, usage.output, usage.output_complete) == (5000, 50, True)


def test_a_shutdown_that_states_no_tokens_is_as_good_as_none(read: Read) -> None:
    session = plain()
    session.events.pop()
    session.shutdown({session.model: {"requests": {"count": 1}}})
    assert read(session).token_usage == TokenUsage(output=50, output_complete=False)


def test_a_shutdown_that_states_the_tokens_of_some_models_only_has_no_total(read: Read) -> None:
    session = plain()
    session.events.pop()
    session.shutdown({session.model: tokens(), "gpt-5-mini": {"requests": {"count": 3}}})
    assert read(session).token_usage == TokenUsage(output=50, output_complete=False)


def test_details_of_tokens_do_where_metrics_are_missing(read: Read) -> None:
    session = plain()
    session.events.pop()
    counts = {"input": 100, "output": 50, "cache_read": 900, "cache_write": 7}
    details = {name: {"tokenCount": count} for name, count in counts.items()}
    session.shutdown({}, tokenDetails=details)
    assert read(session).token_usage == TokenUsage(
        input=1007, output=50, cached=900, cache_write=7, output_complete=True
    )


def test_a_figure_that_one_run_does_not_state_is_unknown(read: Read) -> None:
    session = plain()
    session.resume()
    session.user("Go on")
    session.assistant("Done.")
    session.shutdown({session.model: {"usage": {"inputTokens": 10, "outputTokens": 5}}})
    usage = read(session).token_usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cached, usage.reasoning) == (5010, 55, None, None)


def test_a_session_that_states_no_tokens_has_none(read: Read) -> None:
    session = Session()
    session.start()
    session.user("Go")
    session.assistant("Done.", outputTokens=None)
    assert read(session).token_usage is None


def test_a_session_whose_beginning_is_lost_runs_from_its_first_event(read: Read) -> None:
    session = plain()
    del session.events[0]
    assert read(session).duration_ms == 2000


def test_what_is_said_after_a_shutdown_is_a_run_though_nothing_says_so(read: Read) -> None:
    session = plain()
    session.wait(1000)
    session.user("Go on")
    session.assistant("Done.")
    assert read(session).duration_ms == 3000 + 1000


def test_a_clock_that_goes_backwards_gives_no_negative_time(read: Read) -> None:
    session = plain()
    session.events.pop()
    session.wait(-1000)
    session.shutdown()
    assert read(session).duration_ms is None
