"""Qwen Code: sub-agents on side chains, and records that look like Claude's but are not."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_agentv import ReadOptions, load
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
