"""What a transcript says of where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from copilot_sessions import SESSION_ID, Session, plain

from pytest_agentv import ReadOptions, SessionRef, load

if TYPE_CHECKING:
    from pathlib import Path

    from copilot_sessions import Read

    from pytest_agentv.adapters.copilot.adapter import CopilotAdapter


def _source(adapter: CopilotAdapter, path: Path) -> Any:
    return load(adapter.read(SessionRef("x", path), ReadOptions())).source


def test_the_first_event_says_where_and_what(read: Read) -> None:
    source = read(plain()).source
    assert (source.provider, source.session_id) == ("copilot-cli", SESSION_ID)
    assert (source.version, source.model) == ("1.0.64", "claude-sonnet-4.6")
    assert (source.cwd, source.git_branch, source.title) == ("/home/dev/shop", "main", None)
    assert source.timestamp == "2026-06-25T09:00:00.000Z"
    assert source.ended_at == "2026-06-25T09:00:03.000Z"


def test_the_folder_of_a_session_names_its_id(tmp_path: Path, adapter: CopilotAdapter) -> None:
    other = "c0910000-0000-4000-8000-00000000000f"
    path = plain().write(tmp_path / other / "events.jsonl")
    assert _source(adapter, path).session_id == other


@pytest.mark.parametrize("name", ["events.jsonl", "full.jsonl"])
def test_an_id_in_the_file_does_where_no_name_is_one(
    tmp_path: Path, adapter: CopilotAdapter, name: str
) -> None:
    path = plain("my-own-id").write(tmp_path / name)
    assert _source(adapter, path).session_id == "my-own-id"


def test_what_the_events_do_not_say_is_taken_from_the_workspace(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    session = Session()
    session.start(context=None)
    session.user("Go")
    workspace = (
        f"id: {SESSION_ID}\ncwd: /home/dev/other # where\r\nbranch: 'it''s-new'\n"
        'name: "Caf\\u00e9 \\"1\\""\nsummary_count: 0\ncreated_at: 2026-06-25T09:00:00.000Z\n'
    )
    source = _source(adapter, session.write_in(tmp_path, workspace=workspace))
    assert (source.cwd, source.git_branch) == ("/home/dev/other", "it's-new")
    assert source.title == 'Café "1"'


def test_the_events_know_better_than_the_workspace(tmp_path: Path, adapter: CopilotAdapter) -> None:
    path = plain().write_in(tmp_path, workspace="cwd: /elsewhere\nbranch: other\n")
    source = _source(adapter, path)
    assert (source.cwd, source.git_branch) == ("/home/dev/shop", "main")


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("summary: Add a page", "Add a page"),
        ("summary: >-\n  Add a\n  page\nuser_named: false", "Add a page"),
        ("summary: |-\n  Add a\n  page\nuser_named: false", "Add a\npage"),
        ("summary: Add a\n  page", "Add a page"),
        ("summary: C:\\temp", "C:\\temp"),
        ('summary: "\\x41 page"', "\\x41 page"),
        ("summary: null", None),
        ("summary:", None),
        ("summary: >-", None),
        ("name: Login\nsummary: Add a page", "Login"),
        ("- a list\n- of things", None),
        ("\x00\x01\x02", None),
        ("", None),
    ],
)
def test_a_title_is_read_however_it_is_written(
    tmp_path: Path, adapter: CopilotAdapter, written: str, title: str | None
) -> None:
    assert _source(adapter, plain().write_in(tmp_path, workspace=written)).title == title


def test_a_workspace_that_is_no_file_is_none(tmp_path: Path, adapter: CopilotAdapter) -> None:
    path = plain().write_in(tmp_path)
    path.with_name("workspace.yaml").mkdir()
    assert _source(adapter, path).title is None


def test_the_model_that_answered_counts_before_the_selected_one(read: Read) -> None:
    session = Session()
    session.start(selectedModel="gpt-5")
    session.user("Go")
    session.assistant("Done.", model="gpt-5.3-codex")
    assert read(session).source.model == "gpt-5.3-codex"


@pytest.mark.parametrize("teller", ["complete", "start", "change", "shutdown"])
def test_somebody_tells_the_model(read: Read, teller: str) -> None:
    session = Session(model="gpt-4.1")
    session.start(selectedModel="gpt-4.1" if teller == "start" else "auto")
    if teller == "change":
        session.event("session.model_change", {"newModel": "gpt-4.1", "previousModel": "auto"})
    session.user("Go")
    session.assistant("Done.", model=None)
    if teller == "complete":
        session.tool_complete("call-1", "", toolName="bash")
    if teller == "shutdown":
        session.shutdown()
    assert read(session).source.model == "gpt-4.1"


def test_a_folder_that_becomes_known_later_counts(read: Read) -> None:
    session = Session()
    session.start(context=None)
    session.user("Go")
    session.event("session.context_changed", {"cwd": "/home/dev/late", "branch": "late"})
    source = read(session).source
    assert (source.cwd, source.git_branch) == ("/home/dev/late", "late")


@pytest.mark.parametrize(
    ("version", "drift"),
    [
        ("99.0.1", {"version 99.0.1 is newer than 1.0.78": 1}),
        ("1.0.64-3", {}),
        ("unknown", {}),
    ],
)
def test_a_newer_version_is_noted(read: Read, version: str, drift: dict[str, int]) -> None:
    session = Session()
    session.start(copilotVersion=version)
    session.user("Go")
    transcript = read(session)
    assert transcript.drift == drift
    assert transcript.source.version == version
