"""The sessions that benchmarks make up: the same bytes each time, and imported without a loss."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Protocol

import generate_claude
import generate_codex
import generate_copilot
import pytest
from generated import Generated, Tokens
from vendors import SESSION_ID, VENDORS, session_path

from pytest_agentv import Message, ReadOptions, SessionRef, Transcript, dumps, load, write_stream
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.transcript.stream import SessionStream


class Generate(Protocol):
    def __call__(self, path: Path, *, megabytes: float, seed: int = 1) -> Generated: ...


GENERATORS: dict[str, Generate] = {
    "claude": generate_claude.generate,
    "codex": generate_codex.generate,
    "copilot": generate_copilot.generate,
}
KINDS = {
    "claude": {"user", "assistant", "progress", "system"},
    "codex": {"session_meta", "turn_context", "response_item", "event_msg"},
    "copilot": {"session.start", "user.message", "hook.start", "session.shutdown"},
}
each_vendor = pytest.mark.parametrize("vendor", GENERATORS)


def _generate(folder: Path, vendor: str, *, megabytes: float, seed: int = 1) -> Generated:
    path = session_path(VENDORS[vendor], folder)
    return GENERATORS[vendor](path, megabytes=megabytes, seed=seed)


def _stream(path: Path, *, vendor: str, include_subagents: bool = False) -> SessionStream:
    options = ReadOptions(include_subagents=include_subagents)
    return registry().adapter(vendor).read(SessionRef(path.stem, path), options)


def _counted(messages: Sequence[Message]) -> dict[str, int]:
    calls = [call for message in messages for call in message.tool_calls]
    return {
        "tool calls": len(calls),
        "results": sum(call.output is not None for call in calls),
        "errors": sum(call.status == "error" for call in calls),
    }


def _true(generated: Generated) -> dict[str, int]:
    return {
        "tool calls": generated.tool_calls,
        "results": generated.tool_results,
        "errors": generated.tool_errors,
    }


def _responses(messages: Sequence[Message]) -> int:
    return sum(message.role == "assistant" for message in messages)


def _tokens(transcript: Transcript) -> Tokens:
    usage = transcript.token_usage
    assert usage is not None
    assert usage.input is not None
    assert usage.cached is not None
    assert usage.output is not None
    return Tokens(usage.input, usage.cached, usage.cache_write, usage.output, usage.reasoning)


@each_vendor
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, vendor: str) -> None:
    first, second = (
        GENERATORS[vendor](tmp_path / f"{name}.jsonl", megabytes=1, seed=5)
        for name in ("first", "second")
    )
    same = first.path.read_bytes() == second.path.read_bytes()
    assert same
    assert (first.tokens, first.records) == (second.tokens, second.records)


@each_vendor
def test_the_id_in_the_path_changes_nothing_but_the_id(tmp_path: Path, vendor: str) -> None:
    named = _generate(tmp_path, vendor, megabytes=0.3)
    plain = GENERATORS[vendor](tmp_path / "session.jsonl", megabytes=0.3)
    own_id = plain.session_id.encode()
    same = plain.path.read_bytes().replace(own_id, SESSION_ID.encode()) == named.path.read_bytes()
    assert same
    assert named.session_id == SESSION_ID != plain.session_id


def test_the_same_seed_gives_the_same_sub_agents(tmp_path: Path) -> None:
    first, second = (
        generate_claude.generate(tmp_path / f"{name}.jsonl", megabytes=1, seed=5, subagents=2)
        for name in ("first", "second")
    )
    assert [one.path.name for one in first.subagents] == [one.path.name for one in second.subagents]
    assert [one.path.read_bytes() for one in first.subagents] == [
        one.path.read_bytes() for one in second.subagents
    ]


@each_vendor
def test_another_seed_gives_another_session(tmp_path: Path, vendor: str) -> None:
    first = GENERATORS[vendor](tmp_path / "first.jsonl", megabytes=0.2, seed=1)
    second = GENERATORS[vendor](tmp_path / "second.jsonl", megabytes=0.2, seed=2)
    assert first.session_id != second.session_id
    assert first.path.read_bytes() != second.path.read_bytes()


@each_vendor
def test_a_session_has_the_size_that_was_asked_for(tmp_path: Path, vendor: str) -> None:
    generated = _generate(tmp_path, vendor, megabytes=1)
    content = generated.path.read_bytes()
    assert generated.session_id == SESSION_ID
    assert generated.bytes == len(content)
    assert 1_000_000 <= len(content) < 1_300_000
    assert generated.records == content.count(b"\n")
    records = [json.loads(line) for line in content.splitlines()]
    assert {type(record) for record in records} == {dict}
    assert KINDS[vendor] <= {record["type"] for record in records}


def test_a_long_codex_session_has_what_makes_real_ones_hard(tmp_path: Path) -> None:
    generated = _generate(tmp_path, "codex", megabytes=12)
    with generated.path.open("rb") as lines:
        records = [json.loads(line) for line in lines]
    kinds = Counter(record["payload"].get("type", record["type"]) for record in records)
    assert kinds["thread_rolled_back"] > 0
    assert kinds["turn_aborted"] > 0
    assert kinds["compacted"] > 0
    assert kinds["web_search_call"] > 0
    assert kinds["mcp_tool_call_end"] > 0
    assert kinds["patch_apply_end"] > 0
    assert kinds["tool_search_output"] > 0
    infos = [
        record["payload"]["info"]
        for record in records
        if record["payload"].get("type") == "token_count"
    ]
    totals = [info["total_token_usage"]["total_tokens"] for info in infos if info is not None]
    assert None in infos
    assert totals == sorted(totals)
    assert len(set(totals)) < len(totals)
    assert generated.tokens.input + generated.tokens.output == totals[-1]
    assert generated.tokens.cache_write is None
    assert generated.tool_results < generated.tool_calls


def test_a_long_copilot_session_has_what_makes_real_ones_hard(tmp_path: Path) -> None:
    generated = _generate(tmp_path, "copilot", megabytes=12)
    with generated.path.open("rb") as lines:
        records = [json.loads(line) for line in lines]
    kinds = Counter(record["type"] for record in records)
    hooks = kinds["hook.start"] + kinds["hook.end"]
    assert 0.3 < hooks / len(records) < 0.5
    assert kinds["session.shutdown"] == kinds["session.resume"] + 1 > 2
    assert kinds["permission.requested"] == kinds["permission.completed"] > 0
    assert kinds["subagent.started"] == kinds["subagent.completed"] > 0
    assert kinds["session.compaction_complete"] > 0
    assert kinds["skill.invoked"] > 0
    assert kinds["tool.execution_start"] > generated.tool_calls
    ids = {record["id"] for record in records}
    assert any(record["parentId"] not in ids for record in records[1:])


@each_vendor
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_import_finds_exactly_what_was_written(tmp_path: Path, vendor: str, seed: int) -> None:
    generated = _generate(tmp_path, vendor, megabytes=3, seed=seed)
    transcript = load(_stream(generated.path, vendor=vendor))
    assert transcript.drift == {}
    assert transcript.source.session_id == generated.session_id
    assert _counted(transcript.output) == _true(generated)
    assert len(transcript.prompts) == generated.prompts + generated.steering_prompts
    assert _tokens(transcript) == generated.tokens
    assert {message.agent_id for message in transcript.output} == {None}


@each_vendor
def test_each_response_of_the_model_is_one_message(tmp_path: Path, vendor: str) -> None:
    generated = _generate(tmp_path, vendor, megabytes=1)
    transcript = load(_stream(generated.path, vendor=vendor))
    assert _responses(transcript.output) == generated.api_messages


@pytest.mark.parametrize("subagents", [1, 3])
def test_files_of_sub_agents_do_not_count_by_default(tmp_path: Path, subagents: int) -> None:
    generated = generate_claude.generate(
        tmp_path / "session.jsonl", megabytes=1, seed=7, subagents=subagents
    )
    assert len(generated.subagents) == subagents
    transcript = load(_stream(generated.path, vendor="claude"))
    assert _counted(transcript.output) == _true(generated)
    assert _tokens(transcript) == generated.tokens
    assert {message.agent_id for message in transcript.output} == {None}


def test_an_import_with_sub_agents_finds_what_each_of_them_wrote(tmp_path: Path) -> None:
    generated = generate_claude.generate(
        tmp_path / "session.jsonl", megabytes=1, seed=3, subagents=3
    )
    transcript = load(_stream(generated.path, vendor="claude", include_subagents=True))
    assert transcript.drift == {}
    assert _counted(transcript.messages()) == _true(generated)
    assert len(transcript.prompts) == generated.prompts + generated.steering_prompts
    for one in generated.subagents:
        messages = transcript.messages(agent_id=one.path.stem.removeprefix("agent-"))
        assert _counted(messages) == _true(one)
        assert _responses(messages) == one.api_messages
        assert sum(message.role == "user" for message in messages) == one.prompts
    agents = {message.agent_id for message in transcript.output} - {None}
    assert agents == {one.path.stem.removeprefix("agent-") for one in generated.subagents}


def test_the_tokens_of_a_sub_agent_are_those_of_its_file(tmp_path: Path) -> None:
    generated = generate_claude.generate(
        tmp_path / "session.jsonl", megabytes=1, seed=3, subagents=2
    )
    alone = [load(_stream(one.path, vendor="claude")) for one in generated.subagents]
    assert [_tokens(transcript) for transcript in alone] == [
        one.tokens for one in generated.subagents
    ]


@each_vendor
@pytest.mark.parametrize("include_subagents", [False, True])
def test_a_session_streamed_into_a_file_and_one_loaded_first_are_the_same_bytes(
    tmp_path: Path, vendor: str, *, include_subagents: bool
) -> None:
    path = session_path(VENDORS[vendor], tmp_path)
    if vendor == "claude":
        generate_claude.generate(path, megabytes=1, seed=3, subagents=2)
    else:
        GENERATORS[vendor](path, megabytes=1, seed=3)
    file = io.BytesIO()
    written = write_stream(file, _stream(path, vendor=vendor, include_subagents=include_subagents))
    transcript = load(_stream(path, vendor=vendor, include_subagents=include_subagents))
    same = file.getvalue() == dumps(transcript)
    assert same
    assert written.messages == len(transcript.output)
    assert written.tool_calls == len(transcript.tool_calls())
