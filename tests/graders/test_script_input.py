"""What scripts read: the keys and types that AgentV's own helpers for scripts insist on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from grading import CASE, answer, session
from hypothesis import given
from hypothesis import strategies as st
from sample_transcripts import SAMPLE, patient, transcripts

from pytest_agentv import Message, NotGradable, Source, TokenUsage, ToolCall, Transcript, Usage
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.script_input import script_input

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [
    "criteria", "expected_output", "output", "messages", "input", "input_files", "metadata",
    "trace", "trace_summary", "token_usage", "cost_usd", "duration_ms", "start_time", "end_time",
    "file_changes", "workspace_path", "config",
]  # fmt: skip
NUMBER = (int, float)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def read(
    scratch: Path, transcript: Transcript, case: CaseFacts = CASE, **config: Any
) -> dict[str, Any]:
    pieces = script_input(transcript, case, config=config, scratch=scratch)
    value: dict[str, Any] = json.loads(b"".join(pieces), parse_constant=pytest.fail)
    return value


def assert_types(value: dict[str, Any], needed: dict[str, Any], optional: dict[str, Any]) -> None:
    """What is needed is there, what is optional is there or not, and nothing has another type."""
    assert needed.keys() <= value.keys() <= needed.keys() | optional.keys()
    for key, one in value.items():
        kind = {**optional, **needed}[key]
        assert isinstance(one, kind), f"{key} is {one!r}"


def assert_message(message: dict[str, Any], **more: Any) -> None:
    optional = {"start_time": str, "token_usage": dict, "metadata": dict, **more}
    assert_types(message, {"role": str, "content": str}, optional)
    assert message["role"] in ("assistant", "user", "system", "tool")
    if "token_usage" in message:
        assert_usage(message["token_usage"])
    for call in message.get("tool_calls", []):
        optional = {
            "input": object,
            "output": str,
            "id": str,
            "start_time": str,
            "duration_ms": int,
        }
        assert_types(call, {"tool": str, "status": str}, optional)


def assert_usage(usage: dict[str, Any]) -> None:
    assert_types(usage, {"input": int, "output": int}, {"cached": int, "reasoning": int})


def assert_event(event: dict[str, Any]) -> None:
    needed = {"event_id": str, "ordinal": int, "type": str, "metadata": dict}
    optional = {
        "parent_event_id": str, "timestamp": str, "duration_ms": int, "message": dict, "tool": dict,
    }  # fmt: skip
    assert_types(event, needed, optional)
    assert event["type"] in ("message", "tool_call", "tool_result", "final_response")
    if "message" in event:
        assert_message(event["message"])
    if "tool" in event:
        tool = {"call_id": str, "input": object, "output": str}
        assert_types(event["tool"], {"name": str, "status": str}, tool)
        assert event["tool"]["status"] in ("ok", "error", "timeout", "cancelled", "unknown")


SUMMARY = {"event_count": int, "tool_calls": dict, "error_count": int, "llm_call_count": int}


@patient
@given(transcripts)
def test_any_session_is_written_with_agentvs_keys_and_types(
    scratch: Path, transcript: Transcript
) -> None:
    value = read(scratch, transcript)
    assert list(value) == KEYS
    for message in (*value["messages"], *value["trace"]["messages"]):
        assert_message(message, tool_calls=list)
    assert_types(value["trace_summary"], SUMMARY, {"tool_durations": dict})
    lists = {"messages": list, "events": list, "metadata": dict}
    optional = {
        "tool_durations": dict, "token_usage": dict, "cost_usd": NUMBER, "duration_ms": int,
        "start_time": str, "end_time": str,
    }  # fmt: skip
    assert_types(value["trace"], {**SUMMARY, **lists}, optional)
    if value["token_usage"] is not None:
        assert_usage(value["token_usage"])
    events = value["trace"]["events"]
    for event in events:
        assert_event(event)
    assert [one["ordinal"] for one in events] == list(range(len(events)))
    ids = [one["event_id"] for one in events]
    assert len(set(ids)) == len(ids)
    assert {one.get("parent_event_id", ids[0]) for one in events} <= set(ids)


def test_a_session_without_anything_is_written(scratch: Path) -> None:
    value = read(scratch, session())
    assert list(value) == KEYS
    assert value["output"] == value["criteria"] == ""
    assert value["messages"] == value["input"] == value["trace"]["events"] == []
    unknown = ["token_usage", "cost_usd", "duration_ms", "start_time", "end_time", "metadata"]
    assert {value[key] for key in (*unknown, "config")} == {None}


def test_a_session_is_written_as_it_was(scratch: Path) -> None:
    value = read(scratch, SAMPLE)
    assert value["input"] == [{"role": "user", "content": SAMPLE.input}]
    assert value["output"] == SAMPLE.final_answer
    assert value["start_time"] == "2026-03-29T21:10:11.969Z"
    assert value["messages"][1]["metadata"]["model"] == "claude-opus-4-6"
    (call,) = value["messages"][1]["tool_calls"]
    assert call["tool"] == "Read"
    assert call["input"] == {"file_path": "/src/index.ts"}
    assert value["trace"]["metadata"]["provider"] == "claude-cli"
    assert value["trace"]["metadata"]["eval_case_id"] == "a-case"


CALLS = (
    ToolCall(tool="Bash", id="1", input={"command": "a"}, output="x", status="ok", duration_ms=5),
    ToolCall(tool="Bash", id="2", status="denied", timestamp="2026-01-01T00:00:00Z"),
    ToolCall(tool="webFetch", output="", status="martian"),
)


def test_calls_are_summed_up(scratch: Path) -> None:
    working = Message(role="assistant", content="I look", tool_calls=CALLS)
    aside = Message(role="assistant", content="Aside", agent_id="x")
    value = read(scratch, session(working, aside))
    assert value["output"] == "I look"
    assert value["trace_summary"] == {
        "event_count": 3,
        "tool_calls": {"Bash": 2, "web_fetch": 1},
        "error_count": 2,
        "tool_durations": {"Bash": [5]},
        "llm_call_count": 2,
    }
    events = value["trace"]["events"]
    assert [(one["event_id"], one["type"]) for one in events] == [
        ("message-0", "message"),
        ("message-0-tool-0", "tool_call"),
        ("message-0-tool-0-result", "tool_result"),
        ("message-0-tool-1", "tool_call"),
        ("message-0-tool-2", "tool_call"),
        ("message-0-tool-2-result", "tool_result"),
        ("message-1", "message"),
        ("final-response", "final_response"),
    ]
    assert [events[n]["tool"]["status"] for n in (1, 3, 4)] == ["ok", "error", "error"]
    assert events[3]["timestamp"] == "2026-01-01T00:00:00Z"
    assert events[-1]["parent_event_id"] == "message-0"


@pytest.mark.parametrize(
    ("usage", "written"),
    [
        (TokenUsage(input=10, output=5, cached=0), {"input": 10, "output": 5, "cached": 0}),
        (TokenUsage(input=0, output=0, reasoning=3), {"input": 0, "output": 0, "reasoning": 3}),
        (TokenUsage(output=5), None),
        (TokenUsage(input=5), None),
        (None, None),
    ],
)
def test_tokens_are_written_if_input_and_output_are_known(
    scratch: Path, usage: TokenUsage | None, written: Any
) -> None:
    value = read(scratch, answer("Done.", token_usage=usage))
    assert value["token_usage"] == value["trace"].get("token_usage") == written


def test_the_cost_is_that_which_the_assertion_on_costs_goes_by(scratch: Path) -> None:
    priced = CaseFacts(id="x", prices={"m": {"input": 1.0, "output": 2.0}})
    transcript = Transcript(
        source=Source(provider="p", model="m"),
        output=(Message(role="assistant", usage=Usage(input=1, output=1)),),
        token_usage=TokenUsage(input=1_000_000, output=0),
    )
    assert read(scratch, transcript, priced)["cost_usd"] == 1.0
    assert read(scratch, answer("x", cost_usd=0.5), priced)["cost_usd"] == 0.5
    assert read(scratch, answer("x"), CaseFacts(id="x", cost_usd=2.0))["cost_usd"] == 2.0


@pytest.mark.parametrize(
    ("expected", "written"),
    [
        (None, []),
        ("yes", [{"role": "assistant", "content": "yes"}]),
        ({"a": 1}, [{"role": "assistant", "content": {"a": 1}}]),
        ([{"role": "user", "content": "x"}], [{"role": "user", "content": "x"}]),
        ({"role": "tool", "content": "x"}, [{"role": "tool", "content": "x"}]),
        ([{"type": "text"}], [{"role": "assistant", "content": [{"type": "text"}]}]),
        ([1, "ä"], [{"role": "assistant", "content": '[1, "ä"]'}]),
        (42, [{"role": "assistant", "content": "42"}]),
    ],
)
def test_what_a_case_expects_is_written_as_messages(
    scratch: Path, expected: Any, written: Any
) -> None:
    case = CaseFacts(id="x", expected_output=expected)
    assert read(scratch, answer("Done."), case)["expected_output"] == written


def test_the_case_is_written(scratch: Path, tmp_path: Path) -> None:
    content = [{"type": "text", "text": "Read it"}, {"type": "file", "value": "docs/a.md"}]
    case = CaseFacts(
        id="x",
        criteria="is short",
        input=[{"role": "user", "content": content}, {"role": "user", "content": "now"}],
        metadata={"ownerName": "me", "limits": {"maxWords": 3, "A-Team": float("inf")}},
        folder=tmp_path,
    )
    value = read(scratch, answer("Done."), case, maxScore=(1, 2))
    assert value["criteria"] == "is short"
    assert value["input"][0]["content"] == content
    assert value["input_files"] == [str(tmp_path / "docs/a.md")]
    assert value["metadata"] == {
        "owner_name": "me", "limits": {"max_words": 3, "A-Team": None}
    }  # fmt: skip
    assert value["config"] == {"max_score": [1, 2]}


def test_a_long_answer_is_put_into_a_file(tmp_path: Path) -> None:
    short = read(tmp_path, answer("x" * 49_998))
    assert (len(short["output"]), "output_path" in short) == (49_998, False)
    long = read(tmp_path, answer("\n" * 25_000))
    assert long["output"] is None
    with open(long["output_path"], encoding="utf-8") as file:  # noqa: PTH123
        assert json.load(file) == "\n" * 25_000
    assert sorted(long) == sorted([*KEYS, "output_path"])


@given(st.text())
def test_any_text_is_written_in_ascii(scratch: Path, text: str) -> None:
    pieces = script_input(answer(text + "\ud800"), CASE, config={}, scratch=scratch)
    assert json.loads(b"".join(pieces).decode("ascii"))["output"] == text + "\ud800"


def test_a_session_that_is_too_deep_is_an_error(scratch: Path) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    call = ToolCall(tool="x", input=deep)
    with pytest.raises(NotGradable, match="the session is nested too deeply"):
        read(scratch, session(Message(role="assistant", tool_calls=(call,))))
