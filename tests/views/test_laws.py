"""What holds for every transcript in every form, however odd its texts and numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hostile_texts import FOREIGN_TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sample_transcripts import FULL, SAMPLE, patient, transcripts
from shown_sessions import SHOWN

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.views.entries import is_answered
from pytest_agentv.views.events import events_schema
from pytest_agentv.views.formats import FORMATS, ViewOptions

JSON_FORMATS = sorted(set(FORMATS) - {"markdown"})
EVENTS = Draft202012Validator(events_schema())


def lines(name: str, transcript: Transcript, **options: Any) -> list[dict[str, Any]]:
    """What a form makes of a transcript, as plain JSON."""
    pieces = FORMATS[name].pieces(transcript, ViewOptions(**options))
    return [json.loads(line) for line in b"".join(pieces).decode().split("\n") if line]


@settings(patient, max_examples=25)
@given(transcripts, st.sampled_from(JSON_FORMATS))
def test_every_line_is_an_object(transcript: Transcript, name: str) -> None:
    if not transcript.output and name == "atif":
        return  # has a test of its own: that form cannot hold it
    written = b"".join(FORMATS[name].pieces(transcript, ViewOptions()))

    assert not written or written.endswith(b"}\n")
    assert all(isinstance(one, dict) for one in lines(name, transcript))


@settings(patient, max_examples=25)
@given(transcripts)
def test_events_keep_their_schema_and_their_counts(transcript: Transcript) -> None:
    (document,) = lines("events", transcript)

    assert [error.message for error in EVENTS.iter_errors(document)] == []
    found = document["events"]
    assert [event["seq"] for event in found] == list(range(1, len(found) + 1))
    assert document["metrics"]["eventCount"] == len(found)
    calls = transcript.tool_calls()
    types = [event["type"] for event in found]
    assert types.count("tool_call") == len(calls)
    assert types.count("tool_result") == sum(map(is_answered, calls))
    assert types.count("reasoning") == sum(bool(one.thinking) for one in transcript.output)
    assert types.count("meta") == sum(len(one.attachments) for one in transcript.output)
    called = [event["tool"]["callId"] for event in found if event["type"] == "tool_call"]
    assert len(set(called)) == len(called)


@settings(patient, max_examples=25)
@given(transcripts)
def test_there_is_a_state_for_each_turn_that_did_something(transcript: Transcript) -> None:
    found = lines("states", transcript)

    turns = [
        one
        for one in transcript.output
        if one.role == "assistant" and (one.content or one.tool_calls)
    ]
    assert len(found) == len(turns)
    assert len({state["state_id"] for state in found}) == len(found)
    assert all(set(one) == {"state_id", "messages", "student_action"} for one in found)


@settings(patient, max_examples=25)
@given(transcripts)
def test_rows_of_chat_messages_hold_every_message_and_result(transcript: Transcript) -> None:
    rows = lines("openai", transcript)

    results = sum(call.output is not None for call in transcript.tool_calls())
    assert sum(len(row["messages"]) for row in rows) == len(transcript.output) + results
    for row in rows:
        asked = {call["id"] for one in row["messages"] for call in one.get("tool_calls", ())}
        answered = [one["tool_call_id"] for one in row["messages"] if "tool_call_id" in one]
        assert set(answered) <= asked
        assert len(set(answered)) == len(answered)


@settings(patient, max_examples=25)
@given(transcripts)
def test_every_span_has_a_parent_in_its_trace(transcript: Transcript) -> None:
    (document,) = lines("otlp", transcript)
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]

    ids = [span["spanId"] for span in spans]
    assert len(set(ids)) == len(ids)
    assert {span["parentSpanId"] for span in spans if "parentSpanId" in span} <= set(ids)
    assert all(
        int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) < 2**64 for span in spans
    )
    threads = len({one.agent_id for one in transcript.output})
    responses = sum(one.role == "assistant" for one in transcript.output)
    assert len(spans) == threads + responses + len(transcript.tool_calls())


@settings(patient, max_examples=100)
@given(FOREIGN_TEXTS, st.sampled_from(JSON_FORMATS))
def test_lone_surrogates_and_control_characters_survive_as_json(text: str, name: str) -> None:
    call = ToolCall(tool="Bash", input={text: text}, output=text, status="ok")
    transcript = Transcript(
        source=Source(provider="x", session_id="s"),
        output=(Message(role="assistant", content=text, tool_calls=(call,)),
                Message(role="assistant", content="end")),
    )  # fmt: skip

    found = lines(name, transcript)

    # Where texts must be UTF-8, or are JSON in JSON, this is no longer to be seen at a glance.
    if text and name in ("entries", "events", "openai", "atif"):
        assert json.dumps(text)[1:-1] in json.dumps(found)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("transcript", [SAMPLE, FULL, SHOWN], ids=["sample", "full", "shown"])
def test_the_same_transcript_gives_the_same_bytes(name: str, transcript: Transcript) -> None:
    first, second = (b"".join(FORMATS[name].pieces(transcript, ViewOptions())) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", FORMATS)
def test_a_form_is_written_in_pieces(name: str) -> None:
    size = 1_000_000
    call = ToolCall(tool="Bash", kind="shell", input={"command": "x"}, output="y" * size)
    message = Message(role="assistant", content="x", tool_calls=(call,))
    transcript = Transcript(source=Source(provider="x"), output=(message,) * 5)

    pieces = FORMATS[name].pieces(transcript, ViewOptions())

    assert max(map(len, pieces)) < 3 * size
