"""OTLP/JSON: what OpenTelemetry's own messages make of it."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timezone
from typing import Any

from google.protobuf import json_format
from hypothesis import given, settings
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData
from sample_transcripts import patient, transcripts
from shown_sessions import SHOWN

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.views.otlp import otlp


def spans_of(transcript: Transcript) -> list[Span]:
    """The spans as protobuf: its JSON has ids as base64, where OTLP has them as hexadecimals."""
    document = json.loads(b"".join(otlp(transcript)))
    for span in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    data = json_format.ParseDict(document, TracesData())
    return list(data.resource_spans[0].scope_spans[0].spans)


def attributes(span: Span) -> dict[str, Any]:
    return {
        one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in span.attributes
    }


@settings(patient, max_examples=25)
@given(transcripts)
def test_every_transcript_is_read_by_opentelemetry(transcript: Transcript) -> None:
    for span in spans_of(transcript):
        assert (len(span.trace_id), len(span.span_id)) == (16, 8)
        assert attributes(span)["gen_ai.operation.name"] in span.name


def test_a_session_is_an_agent_with_responses_and_tools_below_it() -> None:
    spans = spans_of(SHOWN)

    names = [span.name for span in spans]
    assert names == [
        "invoke_agent claude-cli",
        "chat claude-opus-4-6",
        "execute_tool Bash",
        "execute_tool apply_patch",
        "chat claude-opus-4-6",
        "execute_tool mcp__db__query",
        "execute_tool Bash",
        "chat claude-opus-4-6",
        "chat claude-opus-4-6",
        "invoke_agent a-1",
        "chat claude-haiku-4-5",
    ]
    root, chat, shell, *_, agent, last = spans
    assert (chat.parent_span_id, shell.parent_span_id) == (root.span_id, root.span_id)
    assert (agent.parent_span_id, last.parent_span_id) == (root.span_id, agent.span_id)
    assert len({span.trace_id for span in spans}) == 1


def test_a_failed_tool_is_an_error_with_its_times() -> None:
    shell = spans_of(SHOWN)[2]

    began = datetime(2026, 3, 29, 21, 10, 6, tzinfo=timezone.utc).timestamp()
    assert shell.start_time_unix_nano == int(began) * 10**9
    assert shell.end_time_unix_nano - shell.start_time_unix_nano == 1500 * 10**6
    assert shell.status.code == 2
    found = attributes(shell)
    assert found["error.type"] == "error"
    assert json.loads(found["gen_ai.tool.call.arguments"]) == {"command": "npm test"}
    assert found["gen_ai.tool.call.result"] == "1 failed\n~~~\n```"


def test_a_response_has_its_tokens_and_what_came_since_the_one_before() -> None:
    _, first, _, _, second, *_ = spans_of(SHOWN)

    found = attributes(first)
    assert found["gen_ai.usage.input_tokens"] == 1500
    assert found["gen_ai.usage.cache_read.input_tokens"] == 800
    assert found["gen_ai.usage.reasoning.output_tokens"] == 7
    (said,) = json.loads(found["gen_ai.output.messages"])
    assert [part["type"] for part in said["parts"]] == [
        "reasoning", "text", "tool_call", "tool_call",
    ]  # fmt: skip
    given_then = json.loads(attributes(second)["gen_ai.input.messages"])
    assert [one["role"] for one in given_then] == ["tool", "tool"]
    assert "gen_ai.usage.input_tokens" not in attributes(second)


def test_times_that_a_session_does_not_say_are_those_before() -> None:
    messages = (
        Message(role="user", content="x", timestamp="2026-03-29T21:10:00Z"),
        Message(role="assistant", content="y", tool_calls=(ToolCall(tool="Bash"),)),
        Message(role="assistant", content="z", timestamp="tomorrow"),
    )
    spans = spans_of(Transcript(source=Source(provider="x"), output=messages))

    assert len({span.start_time_unix_nano for span in spans}) == 1
    assert spans[0].start_time_unix_nano > 0
