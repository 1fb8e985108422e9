"""Qwen Code: sub-agents on side chains, and records that look like Claude's but are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_agentv import ReadOptions, TokenUsage, Transcript, Usage, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.plugins import registry

ADAPTER = registry().adapter("qwen")
BRANCHES = Path(__file__).parents[1] / "data" / "qwen" / "branches.jsonl"


def test_side_chains_are_added_when_sub_agents_are_wanted() -> None:
    (ref,) = refs_of(ADAPTER, BRANCHES)
    plain = load(ADAPTER.read(ref, ReadOptions()))
    whole = load(ADAPTER.read(ref, ReadOptions(include_subagents=True)))
    added = [one for one in whole.output if one.agent_id]
    assert [(one.agent_id, one.origin, one.content) for one in added] == [
        ("general-1", "injected", "Count."),
        ("general-1", None, "3"),
    ]
    assert whole.token_usage == plain.token_usage
    assert "sub-agent record" not in whole.left_out


def test_branches_that_were_given_up_were_paid_for() -> None:
    (ref,) = refs_of(ADAPTER, BRANCHES)
    transcript = load(ADAPTER.read(ref, ReadOptions()))
    assert "Wrong guess: 7." not in [one.content for one in transcript.output]
    in_conversation = [one.usage for one in transcript.output if one.usage is not None]
    assert sum(one.input or 0 for one in in_conversation) == 200
    assert transcript.token_usage is not None
    assert transcript.token_usage.input == 250
    assert transcript.token_usage.output == 35


def test_records_of_one_response_that_was_given_up_count_once(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    said = {"sessionId": "s", "cwd": "/x", "timestamp": "2026-01-01T00:00:00Z"}
    asked = {**said, "type": "user", "message": {"role": "user", "parts": [{"text": "Hi"}]}}
    part = {**said, "type": "assistant", "message": {"role": "model", "parts": [{"text": "A"}]}}
    tokens = [{"promptTokenCount": 9, "candidatesTokenCount": count} for count in (2, 5)]
    records = [
        {**asked, "uuid": "u1", "parentUuid": None},
        *({**part, "uuid": "a1", "parentUuid": "u1", "usageMetadata": one} for one in tokens),
        {**asked, "uuid": "u2", "parentUuid": "u1"},
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    (ref,) = refs_of(ADAPTER, path)
    usage = load(ADAPTER.read(ref, ReadOptions())).token_usage
    assert usage is not None
    assert (usage.input, usage.output) == (9, 5)


def test_files_beside_the_chats_are_no_sessions(tmp_path: Path) -> None:
    for folder in ("chats", "subagents"):
        (tmp_path / "projects" / "shop" / folder).mkdir(parents=True)
        target = tmp_path / "projects" / "shop" / folder / "x.jsonl"
        target.write_bytes(BRANCHES.read_bytes())
    found = list(ADAPTER.sessions(tmp_path, project=Path("/home/dev/projects/shop-api")))
    assert [ref.path.parent.name for ref in found] == ["chats"]
    assert list(ADAPTER.sessions(tmp_path, project=Path("/elsewhere"))) == []


def test_records_of_claude_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "claude.jsonl"
    record = {"uuid": "a", "sessionId": "s", "type": "user", "message": {"content": "Hi"}}
    path.write_text(f"{json.dumps(record)}\n" * 3, encoding="utf-8")
    assert not ADAPTER.claims(path)


SESSION = {"sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "version": "0.18.1"}
ASKED: dict[str, object] = {
    **SESSION,
    "uuid": "a",
    "parentUuid": None,
    "type": "user",
    "message": {"role": "user", "parts": [{"text": "Hello?"}]},
}


def _said(*parts: object) -> dict[str, object]:
    message = {"role": "model", "parts": list(parts)}
    return {**SESSION, "uuid": "b", "parentUuid": "a", "type": "assistant", "message": message}


def _read(path: Path, *records: dict[str, object]) -> Transcript:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions()))


def test_a_response_that_states_its_tokens_again_counts_once(tmp_path: Path) -> None:
    said = _said({"text": "Hello."})
    first = {**said, "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 5}}
    again = {**said, "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 9}}
    transcript = _read(tmp_path / "s.jsonl", ASKED, first, again)
    assert transcript.output[-1].usage == Usage(input=100, output=9)
    assert transcript.token_usage == TokenUsage(input=100, output=9, output_complete=True)


@pytest.mark.parametrize("call", [{"id": "c", "args": {}}, {"name": 7}, "x"])
def test_a_call_without_a_name_is_counted(tmp_path: Path, call: object) -> None:
    said = _said({"text": "Let me see."}, {"functionCall": call})
    transcript = _read(tmp_path / "s.jsonl", ASKED, said)
    assert transcript.drift == {"tool call without a name": 1}
    assert transcript.final_answer == "Let me see."
