"""Where sessions lie, each told once, and which are of one project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from copilot_sessions import SESSION_ID, Session, old_document, plain

from pytest_agentv import SessionRef

if TYPE_CHECKING:
    from pytest_agentv.adapters.copilot.adapter import CopilotAdapter

OTHER_ID = "c0910000-0000-4000-8000-000000000002"


def _old_file(home: Path, session_id: str = SESSION_ID) -> Path:
    path = home / "history-session-state" / f"session_{session_id}_1759312800000.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(old_document(sessionId=session_id)), encoding="utf-8")
    return path


def _in(cwd: str, session_id: str, *, git_root: str | None = None) -> Session:
    session = Session(session_id)
    session.start(context={"cwd": cwd, "gitRoot": git_root})
    session.user("Go")
    return session


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"HOME": "/home/dev"}, Path("/home/dev/.copilot")),
        ({"USERPROFILE": "/home/dev"}, Path("/home/dev/.copilot")),
        ({"HOME": "/home/dev", "COPILOT_HOME": "/data/copilot"}, Path("/data/copilot")),
        ({"HOME": "/home/dev", "COPILOT_HOME": ""}, Path("/home/dev/.copilot")),
        ({}, None),
    ],
)
def test_the_home_is_the_configured_one_or_that_of_the_user(
    adapter: CopilotAdapter, environ: dict[str, str], home: Path | None
) -> None:
    assert adapter.home(environ) == home


def test_sessions_of_all_versions_are_found(tmp_path: Path, adapter: CopilotAdapter) -> None:
    ids = [f"c0910000-0000-4000-8000-00000000001{number}" for number in range(3)]
    folder = plain(ids[0]).write_in(tmp_path)
    flat = plain(ids[1]).write(tmp_path / "session-state" / f"{ids[1]}.jsonl")
    old = _old_file(tmp_path, ids[2])
    found = {ref.session_id: ref for ref in adapter.sessions(tmp_path)}
    assert {session_id: ref.path for session_id, ref in found.items()} == dict(
        zip(ids, [folder, flat, old], strict=True)
    )
    assert found[ids[0]].size == folder.stat().st_size
    assert found[ids[0]].modified == folder.stat().st_mtime


def test_a_folder_without_events_is_no_session(tmp_path: Path, adapter: CopilotAdapter) -> None:
    folder = tmp_path / "session-state" / SESSION_ID
    folder.mkdir(parents=True)
    (folder / "workspace.yaml").write_text("cwd: /home/dev/shop\n", encoding="utf-8")
    (folder.parent / "notes.txt").write_text("", encoding="utf-8")
    assert [*adapter.sessions(tmp_path)] == []


@pytest.mark.parametrize(
    ("path", "session_id"),
    [
        (f"session-state/{SESSION_ID}/events.jsonl", SESSION_ID),
        (f"session-state/{SESSION_ID}.jsonl", SESSION_ID),
        (f"history-session-state/session_{SESSION_ID}_1759312800000.json", SESSION_ID),
        ("session-state/my-own-id/events.jsonl", "my-own-id"),
        ("copies/full.jsonl", "full"),
    ],
)
def test_a_file_or_its_folder_names_the_session(
    adapter: CopilotAdapter, path: str, session_id: str
) -> None:
    assert adapter.session_id_of(Path(path)) == session_id


def test_without_a_home_there_is_no_session(tmp_path: Path, adapter: CopilotAdapter) -> None:
    assert [*adapter.sessions(tmp_path / "missing")] == []


def test_links_are_not_followed(tmp_path: Path, adapter: CopilotAdapter) -> None:
    target = plain().write_in(tmp_path / "elsewhere").parent
    state = tmp_path / "home" / "session-state"
    state.mkdir(parents=True)
    (state / OTHER_ID).symlink_to(target, target_is_directory=True)
    (state / f"{OTHER_ID}.jsonl").symlink_to(target / "events.jsonl")
    assert [*adapter.sessions(tmp_path / "home")] == []


def test_copies_of_one_session_are_told_once_by_the_longest(
    user_home: Path, adapter: CopilotAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(user_home / "state"))
    _old_file(user_home / ".copilot")
    plain().write(user_home / ".copilot" / "session-state" / f"{SESSION_ID}.jsonl")
    longer = plain()
    longer.resume()
    path = longer.write_in(user_home / "state" / ".copilot")
    plain().write(user_home / ".copilot-cli" / "sessions" / f"{SESSION_ID}.jsonl")
    (ref,) = adapter.sessions(user_home / ".copilot")
    assert ref.path == path


def test_events_are_newer_than_a_document_however_long(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    session = Session()
    session.start()
    path = session.write_in(tmp_path)
    assert _old_file(tmp_path).stat().st_size > path.stat().st_size
    assert [ref.path for ref in adapter.sessions(tmp_path)] == [path]


def test_other_places_are_looked_at_beside_the_usual_home_only(
    user_home: Path, adapter: CopilotAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plain().write(user_home / ".copilot-cli" / "sessions" / SESSION_ID / "events.jsonl")
    assert [ref.path for ref in adapter.sessions(user_home / ".copilot")] == [path]
    assert [*adapter.sessions(user_home / "other")] == []
    monkeypatch.setenv("COPILOT_HOME", str(user_home / ".copilot"))
    assert [*adapter.sessions(user_home / ".copilot")] == []


def test_the_sessions_of_a_project_ran_in_it(tmp_path: Path, adapter: CopilotAdapter) -> None:
    home, project = tmp_path / "home", tmp_path / "app"
    (project / "below").mkdir(parents=True)
    ids = [f"c0910000-0000-4000-8000-00000000002{number}" for number in range(5)]
    _in(str(project), ids[0]).write_in(home)
    _in(f"{project}2", ids[1]).write_in(home)
    _in(str(project / "below"), ids[2], git_root=str(project)).write_in(home)
    by_workspace = Session(ids[3])
    by_workspace.start(context=None)
    by_workspace.write_in(home, workspace=f"cwd: {project}\n")
    _old_file(home, ids[4])
    found = {ref.session_id for ref in adapter.sessions(home, project=project)}
    assert found == {ids[0], ids[2], ids[3]}


def test_a_session_of_another_machine_is_found_by_its_path(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    _in("C:\\Users\\dev\\App", SESSION_ID).write_in(tmp_path)
    wanted = Path("c:/users/dev/app")
    assert [ref.session_id for ref in adapter.sessions(tmp_path, project=wanted)] == [SESSION_ID]


def test_a_broken_session_is_of_no_project(tmp_path: Path, adapter: CopilotAdapter) -> None:
    session = Session()
    for _ in range(60):
        session.raw(b'{"type":"hook.start","data":{}}')
    session.start()
    session.write_in(tmp_path)
    Session(OTHER_ID).write_in(tmp_path).write_bytes(b"\xff\xfe")
    assert [*adapter.sessions(tmp_path, project=Path("/home/dev/shop"))] == []


def test_a_summary_tells_start_folder_and_first_prompt(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    session = plain()
    session.raw(b"\x00" * 100)
    path = session.write_in(tmp_path)
    summary = adapter.summarize(SessionRef(SESSION_ID, path))
    assert summary.first_prompt == "Add a login page"
    assert summary.project == "/home/dev/shop"
    assert summary.started is not None
    assert summary.started.isoformat() == "2026-06-25T09:00:00+00:00"


def test_a_summary_of_an_old_session_tells_the_same(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    summary = adapter.summarize(SessionRef(SESSION_ID, _old_file(tmp_path)))
    assert (summary.first_prompt, summary.project) == ("List the files", None)
    assert summary.started is not None
