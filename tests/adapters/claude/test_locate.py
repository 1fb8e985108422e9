"""Where Claude Code keeps sessions, and which of them belong to a project."""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session

if TYPE_CHECKING:
    from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the folders here are named after POSIX paths"
)

ONE = "11111111-1111-4111-8111-111111111111"
TWO = "22222222-2222-4222-8222-222222222222"


def put(folder: Path, session_id: str = ONE, cwd: str = "/somewhere/else") -> Path:
    session = Session(session_id, cwd=cwd)
    session.prompt("Go")
    return session.write_in(folder)


def ids(adapter: ClaudeAdapter, home: Path, project: str | Path | None = None) -> list[str]:
    place = None if project is None else Path(project)
    return [ref.session_id for ref in adapter.sessions(home, project=place)]


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"HOME": "/home/dev"}, "/home/dev/.claude/projects"),
        ({"USERPROFILE": "/users/dev"}, "/users/dev/.claude/projects"),
        ({"HOME": "/home/dev", "CLAUDE_CONFIG_DIR": "/data/claude"}, "/data/claude/projects"),
        ({"HOME": "/home/dev", "CLAUDE_CONFIG_DIR": ""}, "/home/dev/.claude/projects"),
        ({"CLAUDE_CONFIG_DIR": "/data/cafe\u0301"}, "/data/caf\u00e9/projects"),
    ],
)
def test_sessions_live_below_the_configured_folder(
    adapter: ClaudeAdapter, environ: dict[str, str], home: str
) -> None:
    assert adapter.home(environ) == Path(home)


def test_without_any_home_there_is_no_such_folder(adapter: ClaudeAdapter) -> None:
    assert adapter.home({}) is None


def test_a_session_is_found_with_its_size_and_time(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    path = put(tmp_path / "-a-app")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (ref,) = adapter.sessions(tmp_path)
    assert ref.session_id == ONE
    assert ref.path == path
    assert ref.size == path.stat().st_size
    assert ref.modified == 1_700_000_000


def test_only_files_named_by_a_uuid_are_sessions(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    folder = tmp_path / "-a-app"
    path = put(folder)
    for name in ("agent-abcd1234.jsonl", "history.jsonl", f"{TWO}.json", f"x{TWO}.jsonl"):
        (folder / name).write_bytes(path.read_bytes())
    (folder / f"{TWO}.jsonl").mkdir()
    agents = folder / ONE / "subagents"
    agents.mkdir(parents=True)
    (agents / f"{TWO}.jsonl").write_bytes(path.read_bytes())
    (tmp_path / f"{TWO}.jsonl").write_bytes(path.read_bytes())
    assert ids(adapter, tmp_path) == [ONE]


def test_a_folder_that_is_not_there_holds_no_session(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    assert ids(adapter, tmp_path / "missing") == []
    assert ids(adapter, tmp_path / "missing", "/a/app") == []


@pytest.mark.parametrize(
    ("project", "folder"),
    [
        ("/a/app", "-a-app"),
        ("/a/my.app", "-a-my-app"),
        ("/a/my_app v2", "-a-my-app-v2"),
        ("/a/.config/x:y\\z", "-a--config-x-y-z"),
        ("/a/caf\u00e9", "-a-caf-"),
        ("/a/cafe\u0301", "-a-caf-"),
        ("/a/\U0001f680go", "-a---go"),
        ("/a/日本", "-a---"),
        ("/a/UPPER", "-a-UPPER"),
        ("/a/" + "b" * 300, "-a-" + "b" * 197 + "-1x2y3z"),
        ("/a/" + "b" * 197, "-a-" + "b" * 197),
    ],
    ids=[
        "plain",
        "dot",
        "underscore-and-space",
        "punctuation",
        "composed",
        "decomposed",
        "two-units",
        "other-script",
        "upper-case",
        "cut",
        "just-fits",
    ],
)
def test_a_projects_folder_is_found_by_its_name(
    adapter: ClaudeAdapter, tmp_path: Path, project: str, folder: str
) -> None:
    put(tmp_path / folder, ONE, cwd=unicodedata.normalize("NFC", project))
    put(tmp_path / "-a-other", TWO, cwd="/a/other")
    assert ids(adapter, tmp_path, project) == [ONE]


def test_projects_whose_names_begin_alike_are_not_mixed(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    put(tmp_path / "-a-app", ONE, cwd="/a/app")
    put(tmp_path / "-a-app2", TWO, cwd="/a/app2")
    assert ids(adapter, tmp_path, "/a/app") == [ONE]
    assert ids(adapter, tmp_path, "/a/app2") == [TWO]
    assert ids(adapter, tmp_path, "/a") == []


def test_a_long_name_is_not_mixed_with_a_shorter_one(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    put(tmp_path / ("-a-" + "b" * 150), ONE)
    assert ids(adapter, tmp_path, "/a/" + "b" * 300) == []


def test_a_project_named_by_a_link_is_the_linked_one(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    project = tmp_path / "app"
    project.mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    home = tmp_path / "home"
    real = unicodedata.normalize("NFC", os.path.realpath(project))
    put(home / "".join(c if c.isascii() and c.isalnum() else "-" for c in real), cwd=real)
    assert ids(adapter, home, link) == [ONE]
    assert ids(adapter, home, project) == [ONE]


def test_in_a_renamed_folder_the_records_tell_the_project(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    put(tmp_path / "renamed", ONE, cwd="/a/app")
    put(tmp_path / "renamed", TWO, cwd="/a/app2")
    assert ids(adapter, tmp_path, "/a/app") == [ONE]


def test_the_project_is_found_behind_records_that_do_not_tell_it(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    session = Session(ONE, cwd="/a/app")
    session.raw(b"torn")
    session.about("mode", mode="normal")
    session.about("custom-title", customTitle="x")
    session.prompt("Go")
    session.write_in(tmp_path / "renamed")
    assert ids(adapter, tmp_path, "/a/app") == [ONE]


def test_worktrees_of_a_repository_are_one_project(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    main, tree = root / "app", root / "app-fix"
    notes = main / ".git" / "worktrees" / "app-fix"
    notes.mkdir(parents=True)
    tree.mkdir()
    (notes / "gitdir").write_text(f"{tree}/.git\n", encoding="utf-8")
    (notes / "commondir").write_text("../..\n", encoding="utf-8")
    (tree / ".git").write_text(f"gitdir: {notes}\n", encoding="utf-8")
    home = root / "home"
    for place, session_id in ((main, ONE), (tree, TWO)):
        name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(place))
        put(home / name, session_id, cwd=str(place))
    assert sorted(ids(adapter, home, main)) == [ONE, TWO]
    assert sorted(ids(adapter, home, tree)) == [ONE, TWO]


@pytest.mark.parametrize("note", ["", "gitdir:", "nonsense\x00", "gitdir: /nowhere/at/all"])
def test_a_broken_note_of_git_is_ignored(adapter: ClaudeAdapter, tmp_path: Path, note: str) -> None:
    project = tmp_path / "app"
    project.mkdir()
    (project / ".git").write_text(note, encoding="utf-8")
    put(tmp_path / "home" / "x", ONE, cwd=os.path.realpath(project))
    assert ids(adapter, tmp_path / "home", project) == [ONE]


def test_links_between_folders_are_not_followed(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    put(tmp_path / "-a-app")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "-a-app")
    (tmp_path / "-a-app" / "loop").symlink_to(tmp_path)
    (tmp_path / "-a-app" / f"{TWO}.jsonl").symlink_to(tmp_path / "-a-app" / f"{TWO}.jsonl")
    assert ids(adapter, tmp_path) == [ONE]
