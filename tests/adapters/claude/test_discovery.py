"""Finding Claude Code's sessions: where they are kept, and which of them are of one project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from agentv_command import ClaudeHome, full_id
from claude_sessions import Session

from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
from pytest_agentv.adapters.projects import worktrees


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    """A user without any session yet."""
    return ClaudeHome(tmp_path / "home")


def found(home: ClaudeHome, project: Path | str | None = None) -> list[str]:
    """How the ids of the sessions begin that are found, sorted."""
    where = None if project is None else Path(project)
    refs = ClaudeAdapter().sessions(home.projects, project=where)
    return sorted(ref.session_id[:8] for ref in refs)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/home/dev"}, "/home/dev/.claude/projects"),
        ({"USERPROFILE": "/home/dev"}, "/home/dev/.claude/projects"),
        ({"HOME": "/home/dev", "CLAUDE_CONFIG_DIR": "/etc/claude"}, "/etc/claude/projects"),
        ({"CLAUDE_CONFIG_DIR": "/etc/claude"}, "/etc/claude/projects"),
        ({"HOME": "/home/dev", "CLAUDE_CONFIG_DIR": ""}, "/home/dev/.claude/projects"),
        ({"CLAUDE_CONFIG_DIR": "/home/cafe\u0301"}, "/home/caf\u00e9/projects"),
    ],
)
def test_where_sessions_are_kept(environ: dict[str, str], folder: str) -> None:
    assert ClaudeAdapter().home(environ) == Path(folder)


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "", "CLAUDE_CONFIG_DIR": ""}])
def test_without_a_home_there_is_no_place(environ: dict[str, str]) -> None:
    assert ClaudeAdapter().home(environ) is None


def test_a_folder_that_is_not_there_has_no_sessions(home: ClaudeHome) -> None:
    assert found(home) == []
    assert found(home, "/srv/shop") == []


def test_a_session_is_found_with_its_size_and_time(home: ClaudeHome) -> None:
    path = home.session("aaaaaaaa", modified=1_774_000_000.5, size=5_000)

    (ref,) = ClaudeAdapter().sessions(home.projects)

    assert ref.session_id == full_id("aaaaaaaa")
    assert ref.path == path
    assert ref.size == 5_000
    assert ref.modified == 1_774_000_000.5


def test_only_files_named_by_a_uuid_are_sessions(home: ClaudeHome) -> None:
    path = home.session("aaaaaaaa")
    for name in (
        "agent-0a1b2c3d.jsonl",
        "aaaaaaaa.jsonl",
        f"{full_id('bbbbbbbb')}.json",
        f"{full_id('bbbbbbbb')}.jsonl.bak",
        f"x{full_id('bbbbbbbb')}.jsonl",
        f"{full_id('gggggggg')}.jsonl",
    ):
        shutil.copyfile(path, path.with_name(name))
    path.with_name(f"{full_id('cccccccc')}.jsonl").mkdir()
    path.with_name(f"{full_id('dddddddd')}.jsonl").symlink_to("nowhere")
    shutil.copyfile(path, home.projects / f"{full_id('eeeeeeee')}.jsonl")

    assert found(home) == ["aaaaaaaa"]


def test_ids_in_capitals_are_ids(home: ClaudeHome) -> None:
    home.session("AAAAAAAA")

    assert found(home) == ["AAAAAAAA"]


@pytest.mark.parametrize(
    ("project", "folder"),
    [
        ("/srv/dev/shop", "-srv-dev-shop"),
        ("/srv/dev/my.app", "-srv-dev-my-app"),
        ("/srv/dev/my_app", "-srv-dev-my-app"),
        ("/srv/dev/my app (2)", "-srv-dev-my-app--2-"),
        ("/srv/dev/.config", "-srv-dev--config"),
        ("/srv/dev/MyApp-2", "-srv-dev-MyApp-2"),
        ("/srv/dev/caf\u00e9", "-srv-dev-caf-"),
        ("/srv/dev/cafe\u0301", "-srv-dev-caf-"),
        ("/srv/dev/日本", "-srv-dev---"),
        ("/srv/dev/\N{GRINNING FACE}x", "-srv-dev---x"),
        ("/srv/dev/../dev/shop/.", "-srv-dev-shop"),
        ("/srv/dev/shop/", "-srv-dev-shop"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_the_folder_of_a_project_is_its_path_with_dashes(
    home: ClaudeHome, project: str, folder: str
) -> None:
    # Without a folder of their own in the records, the name is all there is to go by.
    home.session("aaaaaaaa", cwd="/somewhere/else", folder=folder)
    home.session("bbbbbbbb", cwd="/somewhere/else", folder=f"{folder}2")
    home.session("cccccccc", cwd="/somewhere/else", folder=folder[:-1] + "Z")

    assert found(home, project) == ["aaaaaaaa"]


LONG = "/srv/" + "/".join(["departments", "quality-assurance", "projects", "2026"] * 6)


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
@pytest.mark.parametrize("hash_", ["1k2j3h", "0", "zzzzzz9"])
def test_a_long_name_is_cut_and_ends_with_a_hash_of_any_kind(home: ClaudeHome, hash_: str) -> None:
    name = LONG.replace("/", "-")
    assert len(name) > 200
    home.session("aaaaaaaa", cwd=LONG, folder=f"{name[:200]}-{hash_}")
    home.session("bbbbbbbb", cwd="/srv/other", folder=f"{name[:199]}-{hash_}")

    assert found(home, LONG) == ["aaaaaaaa"]


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_long_names_that_begin_alike_are_told_apart_by_the_records(home: ClaudeHome) -> None:
    cut = LONG.replace("/", "-")[:200]
    home.session("aaaaaaaa", cwd=f"{LONG}/shop", folder=f"{cut}-1a1a1a")
    home.session("bbbbbbbb", cwd=f"{LONG}/site", folder=f"{cut}-2b2b2b")

    assert found(home, f"{LONG}/shop") == ["aaaaaaaa"]
    assert found(home, f"{LONG}/site") == ["bbbbbbbb"]


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_a_project_of_just_200_characters_has_no_part_in_the_folders_below_it(
    home: ClaudeHome,
) -> None:
    project = LONG[:200]
    home.session("aaaaaaaa", cwd=project, folder=project.replace("/", "-"))
    home.session("bbbbbbbb", cwd=f"{project}/docs", folder=project.replace("/", "-") + "-1a1a1a")

    assert found(home, project) == ["aaaaaaaa"]


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_projects_whose_folders_have_one_name_are_told_apart_by_the_records(
    home: ClaudeHome,
) -> None:
    home.session("aaaaaaaa", cwd="/srv/dev/my-app", folder="-srv-dev-my-app")
    home.session("bbbbbbbb", cwd="/srv/dev/my_app", folder="-srv-dev-my-app")

    assert found(home, "/srv/dev/my-app") == ["aaaaaaaa"]
    assert found(home, "/srv/dev/my_app") == ["bbbbbbbb"]


def test_a_link_to_a_project_is_the_project(home: ClaudeHome, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to("shop", target_is_directory=True)
    home.session("aaaaaaaa", cwd=(tmp_path / "shop").resolve())

    assert found(home, tmp_path / "link") == ["aaaaaaaa"]


def test_a_relative_path_is_below_the_folder_one_works_in(
    home: ClaudeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", cwd=tmp_path.resolve() / "shop")
    monkeypatch.chdir(tmp_path)

    assert found(home, "shop") == ["aaaaaaaa"]
    assert found(home, "./home/../shop") == ["aaaaaaaa"]


def test_in_a_renamed_folder_the_records_say_of_which_project_they_are(
    home: ClaudeHome, tmp_path: Path
) -> None:
    project = tmp_path.resolve() / "shop"
    home.session("aaaaaaaa", cwd=project, folder="renamed")
    home.session("bbbbbbbb", cwd=f"{project}2", folder="renamed")
    session = Session(full_id("cccccccc"), cwd=str(project))
    session.about("summary", summary="Before", leafUuid="x")
    session.raw(b"{torn")
    session.prompt("Hello")
    home.add(session, folder="renamed-too")
    (home.projects / "renamed" / f"{full_id('dddddddd')}.jsonl").write_bytes(b"\xff\xfe{}")

    assert found(home, project) == ["aaaaaaaa", "cccccccc"]


def test_an_empty_folder_of_the_right_name_does_not_hide_a_renamed_one(
    home: ClaudeHome, tmp_path: Path
) -> None:
    project = tmp_path.resolve() / "shop"
    (home.projects / re.sub("[^A-Za-z0-9]", "-", str(project))).mkdir(parents=True)
    home.session("aaaaaaaa", cwd=project, folder="renamed")

    assert found(home, project) == ["aaaaaaaa"]


def linked_worktree(main: Path, tree: Path, *, relative: bool = False) -> None:
    """Note a worktree as git does: a file there, a folder here, each naming the other."""
    notes = main / ".git" / "worktrees" / tree.name
    notes.mkdir(parents=True)
    tree.mkdir(parents=True)
    here, there = (
        (os.path.relpath(notes, tree), os.path.relpath(tree / ".git", notes))
        if relative
        else (str(notes), str(tree / ".git"))
    )
    (tree / ".git").write_text(f"gitdir: {here}\n", encoding="utf-8")
    (notes / "gitdir").write_text(f"{there}\n", encoding="utf-8")
    (notes / "commondir").write_text("../..\n", encoding="utf-8")


@pytest.mark.parametrize("paths", ["absolute", "relative"])
def test_sessions_of_all_worktrees_are_sessions_of_the_project(
    home: ClaudeHome, tmp_path: Path, paths: str
) -> None:
    root = tmp_path.resolve()
    linked_worktree(root / "shop", root / "trees" / "one", relative=paths == "relative")
    linked_worktree(root / "shop", root / "trees" / "two", relative=paths == "relative")
    home.session("aaaaaaaa", cwd=root / "shop")
    home.session("bbbbbbbb", cwd=root / "trees" / "one")
    home.session("cccccccc", cwd=root / "trees" / "two")
    home.session("dddddddd", cwd=root / "trees")

    for place in ("shop", "trees/one", "trees/two"):
        assert found(home, root / place) == ["aaaaaaaa", "bbbbbbbb", "cccccccc"]
    assert found(home, root / "trees") == ["dddddddd"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_note_of_git_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    notes = tmp_path / ".git" / "worktrees" / "fix"
    notes.mkdir(parents=True)
    os.mkfifo(notes / "gitdir")
    assert worktrees(tmp_path) == []


def test_worktrees_are_found_as_git_itself_makes_them(home: ClaudeHome, tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("no git here")
    root = tmp_path.resolve()
    who = ["-c", "user.name=dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgsign=false"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    for arguments in (
        ["init", "-q", "shop"],
        ["-C", "shop", *who, "commit", "-q", "--allow-empty", "-m", "Begin"],
        ["-C", "shop", "worktree", "add", "-q", "-b", "fix", "../shop-fix"],
    ):
        subprocess.run([git, *arguments], cwd=root, env=environ, check=True, capture_output=True)
    home.session("aaaaaaaa", cwd=root / "shop")
    home.session("bbbbbbbb", cwd=root / "shop-fix")

    assert found(home, root / "shop") == ["aaaaaaaa", "bbbbbbbb"]
    assert found(home, root / "shop-fix") == ["aaaaaaaa", "bbbbbbbb"]


def test_a_submodule_is_not_the_project_around_it(home: ClaudeHome, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    linked_worktree(root / "shop", root / "shop-fix")
    module = root / "shop" / "vendor" / "lib"
    module.mkdir(parents=True)
    (root / "shop" / ".git" / "modules" / "lib").mkdir(parents=True)
    (module / ".git").write_text("gitdir: ../../.git/modules/lib\n", encoding="utf-8")
    home.session("aaaaaaaa", cwd=root / "shop")
    home.session("bbbbbbbb", cwd=module)

    assert found(home, module) == ["bbbbbbbb"]


@pytest.mark.parametrize(
    "noted", [b"", b"gitdir:", b"gitdir: /no/where", b"\xff\x00\xfe", b"x" * 99]
)
def test_a_git_file_that_says_nothing_useful_changes_nothing(
    home: ClaudeHome, tmp_path: Path, noted: bytes
) -> None:
    project = tmp_path.resolve() / "shop"
    project.mkdir()
    (project / ".git").write_bytes(noted)
    home.session("aaaaaaaa", cwd=project)
    home.session("bbbbbbbb", cwd=project.parent)

    assert found(home, project) == ["aaaaaaaa"]


@pytest.mark.parametrize("noted", [b"", b"/gone/.git", b"\xff\x00\xfe", b"\n\n"])
def test_a_worktree_that_is_gone_changes_nothing(
    home: ClaudeHome, tmp_path: Path, noted: bytes
) -> None:
    project = tmp_path.resolve() / "shop"
    linked_worktree(project, tmp_path.resolve() / "fix")
    (project / ".git" / "worktrees" / "fix" / "gitdir").write_bytes(noted)
    home.session("aaaaaaaa", cwd=project)

    assert found(home, project) == ["aaaaaaaa"]
