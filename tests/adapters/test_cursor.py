"""Transcripts of Cursor: whose project they are, and what lies beside them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pytest_agentv import ReadOptions, SessionRef, load
from pytest_agentv.adapters.cursor.adapter import CursorAdapter
from pytest_agentv.adapters.discovery import find_sessions

DATA = Path(__file__).parents[1] / "data" / "cursor"
ID = "0f0c3f5a-1111-4222-8333-444455556666"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CURSOR_CONFIG_DIR", str(tmp_path))
    folder = tmp_path / "projects" / "home-dev-projects-shop-api" / "agent-transcripts"
    (folder / ID / "subagents").mkdir(parents=True)
    shutil.copy(DATA / "login-limit.jsonl", folder / ID / f"{ID}.jsonl")
    shutil.copy(DATA / "asked.jsonl", folder / ID / "subagents" / "helper.jsonl")
    shutil.copy(DATA / "text.txt", folder / f"{ID}.txt")
    return folder


def test_a_transcript_in_two_forms_is_one_session(home: Path) -> None:
    (ref,) = find_sessions(CursorAdapter(), os.environ)
    assert ref.path == home / ID / f"{ID}.jsonl"


def test_sessions_are_found_by_the_name_of_their_project(home: Path) -> None:
    assert home.is_dir()
    mine = find_sessions(CursorAdapter(), os.environ, project=Path("/home/dev/projects/shop-api"))
    assert [ref.session_id for ref in mine] == [ID]
    assert find_sessions(CursorAdapter(), os.environ, project=Path("/home/dev")) == []


def test_sub_agents_are_added_if_somebody_asks(home: Path) -> None:
    assert home.is_dir()
    (ref,) = find_sessions(CursorAdapter(), os.environ)
    alone = load(CursorAdapter().read(ref, ReadOptions()))
    assert {one.agent_id for one in alone.output} == {None}
    together = load(CursorAdapter().read(ref, ReadOptions(include_subagents=True)))
    assert {one.agent_id for one in together.output if one.role != "system"} == {None, "helper"}
    assert together.input == alone.input


def test_what_came_back_is_unknown_and_not_empty() -> None:
    path = DATA / "login-limit.jsonl"
    found = load(CursorAdapter().read(SessionRef(path.stem, path), ReadOptions()))
    assert {(call.output, call.status) for call in found.tool_calls()} == {(None, "unknown")}
    assert found.token_usage is None
    assert found.duration_ms is None
