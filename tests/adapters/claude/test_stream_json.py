"""What ``claude -p --output-format stream-json`` prints is a session as well."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from claude_sessions import said, text, tokens, tool_use

from pytest_agentv import SessionRef, TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

    from claude_sessions import Json, Read

    from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

SESSION_ID = "5e550000-0000-4000-8000-000000000007"
INIT: Json = {
    "type": "system",
    "subtype": "init",
    "cwd": "/home/dev/shop",
    "session_id": SESSION_ID,
    "tools": ["Bash", "Read"],
    "mcp_servers": [],
    "model": "claude-opus-4-6",
    "permissionMode": "default",
    "apiKeySource": "none",
    "claude_code_version": "2.1.222",
    "uuid": "00000001-0000-4000-8000-000000000000",
}


def assistant(message_id: str, *blocks: Json, parent: str | None = None, **fields: Any) -> Json:
    message = {
        "model": "claude-opus-4-6",
        "id": message_id,
        "role": "assistant",
        "content": list(blocks),
        "stop_reason": None,
        "usage": tokens(10, 2, written=0, cached=0),
    }
    return {
        "type": "assistant",
        "message": message,
        "parent_tool_use_id": parent,
        "session_id": SESSION_ID,
        **fields,
    }


def user(content: Any, *, parent: str | None = None, **fields: Any) -> Json:
    return {
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": parent,
        "session_id": SESSION_ID,
        **fields,
    }


def result(**fields: Any) -> Json:
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 8200,
        "num_turns": 2,
        "total_cost_usd": 0.125,
        "usage": tokens(20, 95, written=0, cached=0),
        "session_id": SESSION_ID,
        **fields,
    }


def printed(path: Path, *records: Json) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def run(*more: Json) -> list[Json]:
    answer = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py"}]
    return [
        INIT,
        assistant("msg_1", text("I look.")),
        assistant("msg_1", tool_use("toolu_1", "Bash", {"command": "ls"})),
        user(answer, tool_use_result={"stdout": "a.py", "durationMs": 31}),
        assistant("msg_2", text("One file.")),
        *more,
    ]


def test_a_printed_run_is_read_like_a_session(read: Read, tmp_path: Path) -> None:
    transcript = read(printed(tmp_path / "run.jsonl", *run(result())))
    assert said(transcript) == [("assistant", "I look."), ("assistant", "One file.")]
    (call,) = transcript.tool_calls()
    assert (call.output, call.status, call.duration_ms) == ("a.py", "ok", 31)
    assert transcript.input is None
    source = transcript.source
    assert (source.session_id, source.model, source.version, source.cwd) == (
        SESSION_ID,
        "claude-opus-4-6",
        "2.1.222",
        "/home/dev/shop",
    )
    assert (source.timestamp, source.ended_at) == (None, None)
    assert transcript.cost_usd == 0.125
    assert transcript.duration_ms == 8200
    assert transcript.token_usage == TokenUsage(
        input=20, output=95, cached=0, cache_write=0, output_complete=True
    )
    assert transcript.drift == {}


def test_without_a_result_the_tokens_are_those_of_the_responses(read: Read, tmp_path: Path) -> None:
    transcript = read(printed(tmp_path / "run.jsonl", *run()))
    assert transcript.token_usage == TokenUsage(
        input=20, output=4, cached=0, cache_write=0, output_complete=False
    )
    assert (transcript.cost_usd, transcript.duration_ms) == (None, None)


def test_a_prompt_that_the_run_prints_is_the_input(read: Read, tmp_path: Path) -> None:
    prompt = user([text("List the files")])
    transcript = read(printed(tmp_path / "run.jsonl", INIT, prompt, *run()[1:]))
    assert transcript.input == "List the files"
    assert transcript.output[0].origin == "human"


def test_what_the_client_made_up_is_injected(read: Read, tmp_path: Path) -> None:
    made_up = user([text("A skill's text")], isSynthetic=True)
    transcript = read(printed(tmp_path / "run.jsonl", INIT, made_up, *run()[1:]))
    assert said(transcript)[0] == ("injected", "A skill's text")
    assert transcript.input is None


def test_a_run_that_only_met_an_api_error_says_which(read: Read, tmp_path: Path) -> None:
    refusal = assistant("e7ad0000", text("Not logged in · Please run /login"))
    refusal["message"]["model"] = "<synthetic>"
    refusal["error"] = "authentication_failed"
    transcript = read(printed(tmp_path / "run.jsonl", INIT, refusal, result(is_error=True)))
    assert [(one.role, one.content) for one in transcript.output] == [
        ("system", "Not logged in · Please run /login")
    ]


@pytest.mark.parametrize("error", [None, {"status": 500}, ["x"]])
def test_what_the_client_says_without_a_reason_is_no_api_error(
    read: Read, tmp_path: Path, error: object
) -> None:
    filler = assistant("e7ad0000", text("No response requested."), error=error)
    filler["message"]["model"] = "<synthetic>"
    transcript = read(printed(tmp_path / "run.jsonl", *run(filler)))
    assert [one.role for one in transcript.output] == ["assistant", "assistant"]
    assert transcript.left_out["synthetic message"] == 1
    assert transcript.drift == {}


def test_a_response_that_was_cut_off_is_the_models(read: Read, tmp_path: Path) -> None:
    cut_off = assistant("msg_3", text("And then"), error="max_output_tokens")
    transcript = read(printed(tmp_path / "run.jsonl", *run(cut_off)))
    assert said(transcript)[-1] == ("assistant", "And then")


def test_records_for_the_screen_are_left_out_and_no_drift(read: Read, tmp_path: Path) -> None:
    event = {"type": "stream_event", "event": {}, "session_id": SESSION_ID}
    limits = {"type": "rate_limit_event", "session_id": SESSION_ID}
    transcript = read(printed(tmp_path / "run.jsonl", *run(event, event, limits, result())))
    assert transcript.drift == {}
    assert transcript.left_out["stream_event record"] == 2
    assert transcript.left_out["rate_limit_event record"] == 1


def test_a_sub_agent_is_told_by_the_call_that_spawned_it(read: Read, tmp_path: Path) -> None:
    path = printed(
        tmp_path / "run.jsonl",
        INIT,
        assistant("msg_1", tool_use("toolu_1", "Task", {"prompt": "Dig"})),
        user([text("Dig")], parent="toolu_1"),
        assistant("msg_a", text("Dug."), parent="toolu_1"),
        user([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "Dug."}]),
        assistant("msg_2", text("All dug.")),
    )
    alone = read(path)
    assert said(alone) == [("assistant", ""), ("assistant", "All dug.")]
    assert alone.left_out["sub-agent record"] == 2
    whole = read(path, include_subagents=True)
    assert [(m.agent_id, m.origin or m.role, m.content) for m in whole.output] == [
        (None, "assistant", ""),
        ("toolu_1", "injected", "Dig"),
        ("toolu_1", "assistant", "Dug."),
        (None, "assistant", "All dug."),
    ]
    assert whole.token_usage == alone.token_usage


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        pytest.param([(10, 50), (20, 80)], (20, 80), id="so-far"),
        pytest.param([(10, 50), (10, 30)], (20, 80), id="each-turn"),
    ],
)
def test_a_run_of_several_turns_states_its_tokens_so_far_or_each_turns(
    read: Read, tmp_path: Path, usages: list[tuple[int, int]], expected: tuple[int, int]
) -> None:
    first, second = (tokens(fresh, output, written=0, cached=0) for fresh, output in usages)
    path = printed(
        tmp_path / "run.jsonl",
        INIT,
        assistant("msg_1", text("One.")),
        result(usage=first, total_cost_usd=0.1, duration_ms=1000),
        assistant("msg_2", text("Two.")),
        result(usage=second, total_cost_usd=0.3, duration_ms=2000),
    )
    transcript = read(path)
    assert transcript.token_usage is not None
    assert (transcript.token_usage.input, transcript.token_usage.output) == expected
    assert transcript.cost_usd == 0.3
    assert transcript.duration_ms == 3000


@pytest.mark.parametrize("first", [INIT, assistant("msg_1", text("Hi.")), result()])
def test_a_printed_run_is_claimed_by_any_of_its_records(
    adapter: ClaudeAdapter, tmp_path: Path, first: Json
) -> None:
    assert adapter.claims(printed(tmp_path / "run.jsonl", first))


def test_a_list_can_show_a_printed_run(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    path = printed(tmp_path / "run.jsonl", INIT, user([text("List the files")]), *run()[1:])
    summary = adapter.summarize(SessionRef("run", path))
    assert summary.first_prompt == "List the files"
    assert summary.project == "/home/dev/shop"
    assert summary.started is None


@pytest.mark.parametrize("field", ["duration_ms", "total_cost_usd", "usage"])
@pytest.mark.parametrize("bad", [-1, "x", [], None])
def test_an_odd_result_never_breaks_a_run(
    read: Read, tmp_path: Path, field: str, bad: object
) -> None:
    transcript = read(printed(tmp_path / "run.jsonl", *run(result(**{field: bad}))))
    assert transcript.final_answer == "One file."
    assert transcript.duration_ms in (None, 8200)
    assert transcript.cost_usd in (None, 0.125)


def test_a_run_that_took_forever_took_an_unknown_time(read: Read, tmp_path: Path) -> None:
    answer = {
        "type": "assistant",
        "message": {"id": "msg_1", "role": "assistant", "content": [text("Done.")]},
        "parent_tool_use_id": None,
        "session_id": SESSION_ID,
    }
    ended = {"type": "result", "session_id": SESSION_ID, "duration_ms": 1e300}
    lines = [json.dumps(record) for record in (INIT, answer, ended)]
    (tmp_path / "run.jsonl").write_text("\n".join(lines), encoding="utf-8")

    assert read(tmp_path / "run.jsonl").duration_ms is None
