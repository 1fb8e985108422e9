"""Sub-agents of Codex are sessions of their own in its list, and are indexed as such only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from codex_homes import full_id, prompted, text, wrapped, write_records

if TYPE_CHECKING:
    from pathlib import Path

    from search_index import Index


@pytest.fixture(autouse=True)
def _codex_home(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread, and one that it spawned."""
    assert not index.path.exists()
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": full_id("aaaaaaaa")}}}
    for short, source, words in (
        ("aaaaaaaa", "cli", "Fix the login page"),
        ("bbbbbbbb", spawned, "Look for cookies"),
    ):
        name = f"rollout-2026-03-05T12-00-00-{full_id(short)}.jsonl"
        write_records(
            tmp_path / "codex" / "sessions" / "2026" / "03" / "05" / name,
            [
                wrapped("session_meta", id=full_id(short), cwd="/home/dev/shop", source=source),
                wrapped("response_item", type="message", role="user", content=[text(words)]),
                prompted(words),
            ],
        )


def test_what_a_child_said_is_found_once_in_its_own_session(index: Index) -> None:
    index.update()

    assert index.found("cookies agent:codex") == ["bbbbbbbb"]
    assert index.found("login agent:codex") == ["aaaaaaaa"]


def test_without_sub_agents_a_child_is_not_indexed(index: Index) -> None:
    index.update(subagents=False)

    assert index.found("cookies agent:codex") == []
    assert index.found("login agent:codex") == ["aaaaaaaa"]
