"""The sessions that benchmarks make up: the same bytes each time, and imported without a loss."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from generate_claude import Generated, Tokens, generate

from pytest_agentv import Message, ReadOptions, SessionRef, Transcript, dumps, load, write_stream
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SESSION_ID = "0763061e-9c91-4dee-9373-3bd69c817fd4"


def _import(path: Path, *, include_subagents: bool = False) -> Transcript:
    options = ReadOptions(include_subagents=include_subagents)
    return load(ClaudeAdapter().read(SessionRef(path.stem, path), options))


def _counted(messages: Sequence[Message]) -> dict[str, int]:
    calls = [call for message in messages for call in message.tool_calls]
    return {
        "tool calls": len(calls),
        "results": sum(call.output is not None for call in calls),
        "errors": sum(call.status == "error" for call in calls),
        "responses": sum(message.role == "assistant" for message in messages),
    }


def _true(generated: Generated) -> dict[str, int]:
    return {
        "tool calls": generated.tool_calls,
        "results": generated.tool_results,
        "errors": generated.tool_errors,
        "responses": generated.api_messages,
    }


def _tokens(transcript: Transcript) -> Tokens:
    usage = transcript.token_usage
    assert usage is not None
    figures = (usage.input, usage.cached, usage.cache_write, usage.output)
    return Tokens(*(-1 if figure is None else figure for figure in figures))


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (
        generate(tmp_path / f"{name}.jsonl", megabytes=1, seed=5, subagents=2)
        for name in ("first", "second")
    )
    assert first.path.read_bytes() == second.path.read_bytes()
    assert [one.path.name for one in first.subagents] == [one.path.name for one in second.subagents]
    assert [one.path.read_bytes() for one in first.subagents] == [
        one.path.read_bytes() for one in second.subagents
    ]
    assert (first.tokens, first.records) == (second.tokens, second.records)


def test_another_seed_gives_another_session(tmp_path: Path) -> None:
    first = generate(tmp_path / "first.jsonl", megabytes=0.2, seed=1)
    second = generate(tmp_path / "second.jsonl", megabytes=0.2, seed=2)
    assert first.session_id != second.session_id
    assert first.path.read_bytes() != second.path.read_bytes()


def test_a_session_has_the_size_that_was_asked_for(tmp_path: Path) -> None:
    generated = generate(tmp_path / f"{SESSION_ID}.jsonl", megabytes=1)
    content = generated.path.read_bytes()
    assert generated.session_id == SESSION_ID
    assert generated.bytes == len(content)
    assert 1_000_000 <= len(content) < 1_300_000
    assert generated.records == content.count(b"\n")
    records = [json.loads(line) for line in content.splitlines()]
    assert {type(record) for record in records} == {dict}
    assert {"user", "assistant", "progress", "system"} <= {record["type"] for record in records}


@pytest.mark.parametrize(("seed", "subagents"), [(1, 0), (2, 0), (3, 3), (7, 1)])
def test_an_import_finds_exactly_what_was_written(
    tmp_path: Path, seed: int, subagents: int
) -> None:
    generated = generate(tmp_path / "session.jsonl", megabytes=1, seed=seed, subagents=subagents)
    assert len(generated.subagents) == subagents
    transcript = _import(generated.path)
    assert transcript.drift == {}
    assert transcript.source.session_id == generated.session_id
    assert _counted(transcript.output) == _true(generated)
    assert len(transcript.prompts) == generated.prompts + generated.steering_prompts
    assert _tokens(transcript) == generated.tokens
    assert {message.agent_id for message in transcript.output} == {None}


def test_an_import_with_sub_agents_finds_what_each_of_them_wrote(tmp_path: Path) -> None:
    generated = generate(tmp_path / "session.jsonl", megabytes=1, seed=3, subagents=3)
    transcript = _import(generated.path, include_subagents=True)
    assert transcript.drift == {}
    assert _counted(transcript.messages()) == _true(generated)
    assert len(transcript.prompts) == generated.prompts + generated.steering_prompts
    for one in generated.subagents:
        messages = transcript.messages(agent_id=one.path.stem.removeprefix("agent-"))
        assert _counted(messages) == _true(one)
        assert sum(message.role == "user" for message in messages) == one.prompts
    agents = {message.agent_id for message in transcript.output} - {None}
    assert agents == {one.path.stem.removeprefix("agent-") for one in generated.subagents}


def test_the_tokens_of_a_sub_agent_are_those_of_its_file(tmp_path: Path) -> None:
    generated = generate(tmp_path / "session.jsonl", megabytes=1, seed=3, subagents=2)
    alone = [_import(one.path) for one in generated.subagents]
    assert [_tokens(transcript) for transcript in alone] == [
        one.tokens for one in generated.subagents
    ]


@pytest.mark.parametrize("include_subagents", [False, True])
def test_a_session_streamed_into_a_file_and_one_loaded_first_are_the_same_bytes(
    tmp_path: Path, *, include_subagents: bool
) -> None:
    generated = generate(tmp_path / "session.jsonl", megabytes=1, seed=3, subagents=2)
    options = ReadOptions(include_subagents=include_subagents)
    file = io.BytesIO()
    written = write_stream(
        file, ClaudeAdapter().read(SessionRef("session", generated.path), options)
    )
    transcript = _import(generated.path, include_subagents=include_subagents)
    same = file.getvalue() == dumps(transcript)
    assert same
    assert written.messages == len(transcript.output)
    assert written.tool_calls == len(transcript.tool_calls())
