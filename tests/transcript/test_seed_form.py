"""Lines without ``schema_version``: the form that AgentV's proposal described."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from sample_transcripts import FULL, SAMPLE, patient, transcripts

from pytest_agentv import (
    Message,
    Source,
    TokenUsage,
    ToolCall,
    Transcript,
    Usage,
    dumps,
)

if TYPE_CHECKING:
    from sample_transcripts import Read

SEED: dict[str, Any] = {
    "input": "Add JWT authentication to the Express API",
    "output": [
        {"role": "user", "content": "Add JWT authentication to the Express API"},
        {
            "role": "assistant",
            "content": "I'll add JWT auth...",
            "tool_calls": [
                {
                    "tool": "Read",
                    "input": {"file_path": "/src/index.ts"},
                    "output": "...",
                    "duration_ms": 45,
                },
                {
                    "tool": "Edit",
                    "input": {"file_path": "/src/auth.ts", "old_string": "a", "new_string": "b"},
                    "duration_ms": 120,
                },
            ],
        },
    ],
    "token_usage": {"input": 15000, "output": 3200, "cached": 8000},
    "duration_ms": 45000,
    "cost_usd": 0.12,
    "source": {
        "provider": "claude-cli",
        "session_id": "0763061e-9c91-4dee-9373-3bd69c817fd4",
        "model": "claude-opus-4-6",
        "version": "2.1.62",
        "timestamp": "2026-03-29T21:10:11.969Z",
        "git_branch": "main",
        "cwd": "/home/user/projects/myapp",
    },
}


def _read_one(read: Read, line: dict[str, Any]) -> Transcript:
    (transcript,) = read(json.dumps(line).encode())
    return transcript


def _with_call(call: dict[str, Any], provider: str = "claude-cli") -> dict[str, Any]:
    return {
        "source": {"provider": provider},
        "output": [{"role": "assistant", "content": "", "tool_calls": [call]}],
    }


def test_the_sample_of_the_proposal_is_read_whole(read: Read) -> None:
    prompt = "Add JWT authentication to the Express API"
    assert _read_one(read, SEED) == Transcript(
        source=Source(
            provider="claude-cli",
            session_id="0763061e-9c91-4dee-9373-3bd69c817fd4",
            model="claude-opus-4-6",
            version="2.1.62",
            timestamp="2026-03-29T21:10:11.969Z",
            git_branch="main",
            cwd="/home/user/projects/myapp",
        ),
        input=prompt,
        output=(
            Message(role="user", origin="human", content=prompt),
            Message(
                role="assistant",
                content="I'll add JWT auth...",
                tool_calls=(
                    ToolCall(
                        tool="Read",
                        kind="read",
                        input={"file_path": "/src/index.ts"},
                        args={"path": "/src/index.ts"},
                        output="...",
                        status="unknown",
                        duration_ms=45,
                    ),
                    ToolCall(
                        tool="Edit",
                        kind="edit",
                        input={
                            "file_path": "/src/auth.ts",
                            "old_string": "a",
                            "new_string": "b",
                        },
                        args={"path": "/src/auth.ts", "content": "b"},
                        status="unknown",
                        duration_ms=120,
                    ),
                ),
            ),
        ),
        token_usage=TokenUsage(input=15000, output=3200, cached=8000),
        duration_ms=45000,
        cost_usd=0.12,
    )


def test_what_was_read_is_written_in_our_own_form(read: Read) -> None:
    transcript = _read_one(read, SEED)
    assert dumps(transcript).startswith(b'{"schema_version":"1.0","test_id":null,"source":{')
    assert read(dumps(transcript)) == [transcript]


@pytest.mark.parametrize("transcript", [SAMPLE, FULL], ids=["sample", "every field"])
def test_our_own_line_without_its_version_is_the_same_transcript(
    read: Read, transcript: Transcript
) -> None:
    line = json.loads(dumps(transcript))
    del line["schema_version"]
    assert _read_one(read, line) == transcript


def test_output_tokens_that_are_a_lower_bound_stay_one(read: Read) -> None:
    usage = {"output": 5, "output_complete": False}
    transcript = _read_one(read, SEED | {"token_usage": usage})
    assert transcript.token_usage == TokenUsage(output=5, output_complete=False)


def test_drift_that_was_noted_before_is_not_lost(read: Read) -> None:
    assert _read_one(read, SEED | {"drift": {"unreadable line": 2}}).drift == {"unreadable line": 2}


@settings(patient, max_examples=40)
@given(transcript=transcripts)
def test_whatever_was_written_can_be_read_without_its_version(
    read: Read, transcript: Transcript
) -> None:
    line = dumps(transcript).replace(b'"schema_version":"1.0",', b"", 1)
    (other,) = read(line)
    assert read(dumps(other)) == [other]
    assert len(other.output) == len(transcript.output)
    assert [message.content for message in other.output] == [
        message.content for message in transcript.output
    ]


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("claude", "claude-cli"),
        ("claude-code", "claude-cli"),
        ("claude-sdk", "claude-cli"),
        ("codex", "codex-cli"),
        ("copilot", "copilot-cli"),
        ("codex-cli", "codex-cli"),
        ("my-agent", "my-agent"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_providers_have_our_names(read: Read, provider: str | None, expected: str) -> None:
    transcript = _read_one(read, {"source": {"provider": provider}, "output": []})
    assert transcript.source.provider == expected


def test_a_line_without_a_source_says_so(read: Read) -> None:
    assert _read_one(read, {"output": []}).source == Source(provider="unknown")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "hi"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        ([{"type": "image", "data": "…"}, {"type": "text", "value": "two"}], "two"),
        ({"answer": 42}, '{"answer":42}'),
        (["a", "b"], '["a","b"]'),
        (17, "17"),
    ],
)
def test_content_and_output_may_be_text_blocks_or_any_value(
    read: Read, content: Any, text: str
) -> None:
    call = {"tool": "Bash", "output": content}
    message = {"role": "assistant", "content": content, "tool_calls": [call]}
    transcript = _read_one(read, {"source": {"provider": "x"}, "output": [message]})
    assert transcript.output[0].content == text
    answered = None if content is None else text
    assert transcript.output[0].tool_calls[0].output == answered
    assert transcript.drift == {}


def test_who_wrote_a_user_message_is_taken_for_a_person_unless_it_says_otherwise(
    read: Read,
) -> None:
    messages = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b", "origin": "injected"},
        {"role": "assistant", "content": "c"},
        {"role": "system", "content": "d"},
    ]
    transcript = _read_one(read, {"source": {"provider": "x"}, "output": messages})
    origins = [message.origin for message in transcript.output]
    assert origins == ["human", "injected", None, None]


def test_usage_of_a_message_may_have_either_name(read: Read) -> None:
    messages = [
        {"role": "assistant", "content": "", "usage": {"input": 5, "cache_write": 1}},
        {"role": "assistant", "content": "", "token_usage": {"output": 7, "reasoning": 2}},
        {"role": "assistant", "content": "", "usage": {}},
    ]
    transcript = _read_one(read, {"source": {"provider": "x"}, "output": messages})
    assert [message.usage for message in transcript.output] == [
        Usage(input=5, cache_write=1),
        Usage(output=7, reasoning=2),
        None,
    ]


def test_kind_and_args_that_a_call_has_are_kept(read: Read) -> None:
    call = {"tool": "Bash", "kind": "mcp", "args": {"url": "u"}, "input": {"command": "ls"}}
    (made,) = _read_one(read, _with_call(call)).tool_calls()
    assert (made.kind, made.args) == ("mcp", {"url": "u"})


def test_all_that_a_call_says_is_kept(read: Read) -> None:
    call = {
        "id": "t-1",
        "line": 9,
        "name": "Bash",
        "input": {"command": "false"},
        "output": "",
        "status": "error",
        "exit_code": 1,
        "duration_ms": 12.6,
        "start_time": "2026-03-29T21:10:11.969Z",
    }
    assert _read_one(read, _with_call(call)).tool_calls() == (
        ToolCall(
            id="t-1",
            line=9,
            tool="Bash",
            kind="shell",
            input={"command": "false"},
            args={"command": "false"},
            output="",
            status="error",
            exit_code=1,
            duration_ms=13,
            timestamp="2026-03-29T21:10:11.969Z",
        ),
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"input": ["x"]}, "unusable field 'input'"),
        ({"test_id": 7}, "unusable field 'test_id'"),
        ({"duration_ms": -1}, "unusable field 'duration_ms'"),
        ({"duration_ms": True}, "unusable field 'duration_ms'"),
        ({"duration_ms": 1e300}, "unusable field 'duration_ms'"),
        ({"cost_usd": "0.1"}, "unusable field 'cost_usd'"),
        ({"token_usage": [1]}, "unusable field 'token_usage'"),
        ({"token_usage": {"cached": "8"}}, "unusable field 'cached'"),
        ({"source": "claude"}, "unusable field 'source'"),
        ({"source": {"provider": "x", "cwd": 7}}, "unusable field 'cwd'"),
        ({"output": "text"}, "unusable field 'output'"),
        ({"output": ["text"]}, "unusable field 'output'"),
        ({"output": [{"role": 7, "content": ""}]}, "unusable field 'role'"),
        (_with_call({"tool": 5}), "unusable field 'tool'"),
        (_with_call({"tool": "t", "exit_code": "1"}), "unusable field 'exit_code'"),
        (_with_call({"tool": "t", "exit_code": True}), "unusable field 'exit_code'"),
    ],
)
def test_a_field_of_the_wrong_type_is_left_out_and_counted(
    read: Read, change: dict[str, Any], reason: str
) -> None:
    transcript = _read_one(read, SEED | change)
    assert transcript.drift == {reason: 1}
    assert read(dumps(transcript)) == [transcript]


def test_one_unusable_field_costs_nothing_else(read: Read) -> None:
    broken = json.loads(json.dumps(SEED))
    broken["output"][1]["tool_calls"][0]["duration_ms"] = "45"
    broken["output"][1]["tool_calls"][1]["duration_ms"] = "120"
    transcript = _read_one(read, broken)
    assert transcript.drift == {"unusable field 'duration_ms'": 2}
    assert [call.tool for call in transcript.tool_calls()] == ["Read", "Edit"]
    assert transcript.duration_ms == 45000


def test_several_lines_of_different_forms_stand_in_one_file(read: Read) -> None:
    seed = json.dumps(SEED).encode() + b"\n"
    transcripts_read = read(dumps(SAMPLE) + seed + dumps(FULL))
    assert transcripts_read[0] == SAMPLE
    assert transcripts_read[1].cost_usd == 0.12
    assert transcripts_read[2] == FULL


def test_a_lone_surrogate_is_repaired(read: Read) -> None:
    line = b'{"source":{"provider":"x"},"output":[{"role":"user","content":"\\ud800!"}]}'
    (transcript,) = read(line)
    assert transcript.output[0].content == "\N{REPLACEMENT CHARACTER}!"
