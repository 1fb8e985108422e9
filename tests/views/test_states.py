"""States: what stood before a turn, what the turn did, and how much history there is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from shown_sessions import SHOWN

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.views.states import HistoryLimits, StateStatistics, states


def long_session(turns: int, *, size: int = 1) -> Transcript:
    """A prompt and a call in each turn."""
    output: list[Message] = []
    for number in range(turns):
        call = ToolCall(tool="Bash", input={"n": number}, output="y" * size, status="ok")
        output.append(Message(role="user", origin="human", content=f"prompt {number}"))
        output.append(Message(id=f"m{number}", role="assistant", tool_calls=(call,)))
    return Transcript(source=Source(provider="x", session_id="s"), output=tuple(output))


def made(transcript: Transcript, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in states(transcript, **options)]


def test_a_state_is_named_by_session_and_record() -> None:
    assert [one["state_id"] for one in made(long_session(2))] == ["s:m0", "s:m1"]


def test_a_record_without_an_id_is_named_by_its_line_or_its_number() -> None:
    messages = (
        Message(role="assistant", content="a", line=7),
        Message(role="assistant", content="b"),
        Message(role="assistant", content="c", id="x"),
        Message(role="assistant", content="d", id="x"),
    )
    transcript = Transcript(source=Source(provider="p"), output=messages)

    assert [one["state_id"] for one in made(transcript)] == ["p:7", "p:2", "p:x", "p:x:4"]


def test_the_messages_are_those_before_the_turn() -> None:
    first, second = made(long_session(2))

    assert first["messages"] == [{"role": "user", "content": "prompt 0"}]
    assert [one["role"] for one in second["messages"]] == ["user", "assistant", "tool", "user"]


def test_an_action_is_calls_with_sorted_keys_or_the_text() -> None:
    calls = (
        ToolCall(tool="Bash", input={"z": 1, "a": {"d": 2, "c": 3}}),
        ToolCall(tool="Read", input=None),
    )
    messages = (
        Message(role="assistant", content="I run it", tool_calls=calls),
        Message(role="assistant", content="Done"),
    )

    first, second = made(Transcript(source=Source(provider="p"), output=messages))

    assert first["student_action"] == (
        '[{"input": {"a": {"c": 3, "d": 2}, "z": 1}, "name": "Bash"}, '
        '{"input": null, "name": "Read"}]'
    )
    assert second["student_action"] == "Done"


def test_a_sub_agent_has_a_history_of_its_own() -> None:
    by_id = {one["state_id"].split(":")[-1]: one for one in made(SHOWN)}

    assert [one["content"] for one in by_id["sub_2"]["messages"]] == ["Find the tests"]
    assert "Find the tests" not in json.dumps(by_id["msg_4"])


@pytest.mark.parametrize(
    ("most", "roles"),
    [
        (1, ["user"]),
        (2, ["user"]),
        (3, ["assistant", "tool", "user"]),
        (4, ["user", "assistant", "tool", "user"]),
        (5, ["user", "assistant", "tool", "user"]),
    ],
)
def test_a_history_never_begins_with_a_result_that_has_no_call(most: int, roles: list[str]) -> None:
    *_, last = made(long_session(5), limits=HistoryLimits(messages=most))

    assert [one["role"] for one in last["messages"]] == roles


def test_a_history_is_limited_in_tokens_unless_more_is_asked_for() -> None:
    session = long_session(30, size=100_000)

    limited = made(session)
    whole = made(session, limits=HistoryLimits(tokens=10_000_000))

    assert max(len(json.dumps(one)) for one in limited) < 450_000
    assert len(whole[-1]["messages"]) == 29 * 3 + 1
    assert [one["student_action"] for one in limited] == [one["student_action"] for one in whole]


def test_statistics_say_what_became_of_the_messages() -> None:
    statistics = StateStatistics()

    list(states(SHOWN, limits=HistoryLimits(messages=2), statistics=statistics))

    assert statistics == StateStatistics(
        sessions=1,
        messages=10,
        states=4,
        tool_actions=2,
        text_actions=2,
        histories_cut=2,
        skipped={"response without text and calls": 1},
    )
