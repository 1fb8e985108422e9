"""Real Claude Code sessions: what an independent oracle counted in them is what we count."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

import pytest_agentv
from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

CORPUS = Path(os.environ.get("AGENTV_CORPUS") or "no corpus")
if not (CORPUS / "expected.jsonl").is_file():
    pytest.skip("AGENTV_CORPUS names no folder of real sessions", allow_module_level=True)

# Figures in which the oracle is wrong, by file, each with the record that proves it.
EXCEPTIONS: dict[str, dict[str, Any]] = {}

ADAPTER = ClaudeAdapter()
_LINES = (CORPUS / "expected.jsonl").read_text(encoding="utf-8").split("\n")
EXPECTED: dict[str, dict[str, Any]] = {
    row["file"]: row
    for row in (json.loads(line) for line in _LINES if line)
    if row["file"].startswith("claude/")
}
FILES = sorted(
    path.relative_to(CORPUS).as_posix()
    for path in (CORPUS / "claude").rglob("*.jsonl")
    if path.is_file()
)
AGENT_FILES = [name for name in FILES if "/subagents/" in name]
SPAWNING_FILES = sorted({f"{name.split('/subagents/')[0]}.jsonl" for name in AGENT_FILES})
OTHER_VENDORS = sorted(
    path.relative_to(CORPUS).as_posix()
    for path in CORPUS.rglob("*")
    if path.is_file() and path.parent != CORPUS and "claude" not in path.relative_to(CORPUS).parts
)


def stream(name: str, *, include_subagents: bool = False) -> pytest_agentv.SessionStream:
    path = CORPUS / name
    return ADAPTER.read(
        SessionRef(path.stem, path), ReadOptions(include_subagents=include_subagents)
    )


def counted(transcript: pytest_agentv.Transcript) -> dict[str, Any]:
    """The figures of a transcript, under the oracle's names."""
    calls = transcript.tool_calls()
    usage = transcript.token_usage
    return {
        "first_prompt": transcript.input,
        "prompts": len(transcript.messages(role="user", origin="human")),
        "tool_calls": len(calls),
        "tool_results": sum(call.output is not None for call in calls),
        "tool_errors": sum(call.failed for call in calls),
        "token_usage": usage
        and {
            "input": usage.input,
            "output": usage.output,
            "cached": usage.cached,
            "cache_write": usage.cache_write,
        },
        "duration_ms": transcript.duration_ms,
    }


def test_every_file_with_an_expectation_is_there() -> None:
    assert EXPECTED
    assert set(EXPECTED) <= set(FILES)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_session_holds_what_the_oracle_counted(name: str) -> None:
    expected = {**EXPECTED[name], **EXCEPTIONS.get(name, {})}
    transcript = pytest_agentv.load(stream(name))
    actual = counted(transcript)
    assert actual == {figure: expected[figure] for figure in actual}
    assert transcript.source.session_id in expected["session_ids"]


@pytest.mark.parametrize("name", FILES)
def test_a_session_is_claimed_and_streams_to_the_same_bytes(name: str) -> None:
    assert ADAPTER.claims(CORPUS / name)
    streamed = io.BytesIO()
    pytest_agentv.write_stream(streamed, stream(name))
    assert streamed.getvalue() == pytest_agentv.dumps(pytest_agentv.load(stream(name)))


@pytest.mark.parametrize("name", OTHER_VENDORS)
def test_a_session_of_another_vendor_is_not_claimed(name: str) -> None:
    assert not ADAPTER.claims(CORPUS / name)


@pytest.mark.parametrize("name", SPAWNING_FILES)
def test_with_sub_agents_no_call_of_theirs_is_lost_and_the_tokens_stay(name: str) -> None:
    alone = pytest_agentv.load(stream(name))
    whole = pytest_agentv.load(stream(name, include_subagents=True))
    folder = name.removesuffix(".jsonl") + "/subagents/"
    agents = {
        Path(file).stem.removeprefix("agent-"): pytest_agentv.load(stream(file))
        for file in AGENT_FILES
        if file.startswith(folder)
    }
    of_main = [call.id for call in alone.tool_calls()]
    of_agents = {call.id for agent in agents.values() for call in agent.tool_calls()}
    assert [call.id for m in whole.messages() for call in m.tool_calls] == of_main
    assert {call.id for call in whole.tool_calls()} == {*of_main, *of_agents}
    assert len(whole.tool_calls()) == len({call.id for call in whole.tool_calls()})
    assert {m.agent_id for m in whole.output} == {None, *agents}
    assert whole.token_usage == alone.token_usage
    assert whole.input == alone.input
