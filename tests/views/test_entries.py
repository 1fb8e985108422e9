"""Flat entries: what becomes one, and what the filters leave of them."""

from __future__ import annotations

from datetime import datetime, timezone

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_transcripts import SAMPLE, patient, transcripts

from pytest_agentv import Message, ToolCall, Transcript, Usage
from pytest_agentv.views.entries import ENTRY_ROLES, Entry, entries, filtered, is_answered


def at(minute: int) -> str:
    return f"2026-03-29T21:{minute:02}:00.000Z"


def moment(minute: int) -> datetime:
    return datetime(2026, 3, 29, 21, minute, tzinfo=timezone.utc)


def test_the_sample_becomes_a_prompt_an_answer_a_call_and_its_result() -> None:
    found = list(entries(SAMPLE.output, provider="claude-cli"))

    assert [entry.role for entry in found] == ["user", "assistant", "tool_call", "tool_result"]
    _, said, called, answered = found
    assert (said.text, said.thinking) == ("I'll add JWT auth...", "First the routes.")
    assert called.tool_call is not None
    assert called.tool_call.input == {"file_path": "/src/index.ts"}
    assert (called.text, called.line, called.model) == ("/src/index.ts", 8, "claude-opus-4-6")
    assert answered.tool_result is not None
    assert (answered.text, answered.tool_result.status) == ("import express", "ok")
    assert {entry.provider for entry in found} == {"claude-cli"}


def test_an_entry_has_the_names_of_the_form() -> None:
    *_, called, answered = msgspec.to_builtins(list(entries(SAMPLE.output)))

    assert called["toolCall"] == {
        "id": "toolu_1",
        "name": "Read",
        "input": {"file_path": "/src/index.ts"},
    }
    assert answered["toolResult"] == {
        "id": "toolu_1",
        "name": "Read",
        "status": "ok",
        "exitCode": None,
        "durationMs": 45,
    }
    assert answered["timestamp"] is None


@pytest.mark.parametrize(
    ("content", "roles"), [("", ["tool_call"]), ("x", ["assistant", "tool_call"])]
)
def test_tokens_stand_on_the_first_entry_of_a_response(content: str, roles: list[str]) -> None:
    message = Message(
        role="assistant",
        content=content,
        usage=Usage(input=5),
        tool_calls=(ToolCall(tool="Bash"), ToolCall(tool="Bash")),
    )

    found = list(entries([message]))

    assert [entry.role for entry in found] == [*roles, "tool_call"]
    assert [entry.usage for entry in found] == [Usage(input=5)] + [None] * len(roles)


def test_a_result_has_a_time_only_where_the_log_says_it() -> None:
    def answered(source: str, duration: int | None, *, began: str = at(1)) -> str | None:
        call = ToolCall(
            tool="Bash",
            output="x",
            timestamp=began,
            duration_ms=duration,
            duration_source=source,
        )
        *_, result = entries([Message(role="assistant", tool_calls=(call,))])
        return result.timestamp

    assert answered("timestamps", 60_500) == "2026-03-29T21:02:00.500Z"
    assert answered("timestamps", 60_500, began="2026-03-29T23:01:00+02:00") == (
        "2026-03-29T21:02:00.500Z"
    )
    assert answered("timestamps", 5, began="0001-01-01T00:00:00+02:00") is None
    assert answered("tool", 60_500) is None
    assert answered("timestamps", None) is None
    assert answered("timestamps", 2**62) is None


def test_filters_are_applied_since_then_roles_then_last() -> None:
    found = [
        Entry(role=role, timestamp=at(minute), text=f"{role} {minute}")
        for minute in range(6)
        for role in ("user", "assistant")
    ]

    left = filtered(found, since=moment(2), roles=["assistant"], last=2)

    assert [entry.text for entry in left] == ["assistant 4", "assistant 5"]
    assert len(list(filtered(found, since=moment(2)))) == 8
    assert list(filtered(found, last=0)) == []
    assert list(filtered(found, roles=[])) == []
    assert list(filtered(found)) == found


def test_an_entry_without_a_time_is_as_old_as_the_one_before() -> None:
    found = [
        Entry(role="user", timestamp=timestamp, text=str(number))
        for number, timestamp in enumerate([None, at(1), None, at(3), "soon", None])
    ]

    assert [entry.text for entry in filtered(found, since=moment(2))] == ["3", "4", "5"]
    assert [entry.text for entry in filtered(found, since=moment(1))] == ["1", "2", "3", "4", "5"]


@settings(patient, max_examples=40)
@given(transcripts)
def test_the_number_of_entries_follows_from_the_transcript(transcript: Transcript) -> None:
    found = list(entries(transcript.output))

    calls = transcript.tool_calls()
    silent = sum(
        bool(one.tool_calls) and not one.content and not one.thinking for one in transcript.output
    )
    answered = sum(map(is_answered, calls))
    assert len(found) == len(transcript.output) - silent + len(calls) + answered
    usages = [one.usage for one in transcript.output if one.usage is not None]
    assert [entry.usage for entry in found if entry.usage is not None] == usages


@settings(patient, max_examples=40)
@given(transcripts, st.sets(st.sampled_from(ENTRY_ROLES)), st.integers(0, 5))
def test_the_last_are_the_end_of_what_the_roles_leave(
    transcript: Transcript, roles: set[str], last: int
) -> None:
    found = list(entries(transcript.output))

    left = list(filtered(found, roles=roles, last=last))

    of_roles = [entry for entry in found if entry.role in roles]
    assert left == of_roles[len(of_roles) - min(last, len(of_roles)) :]
