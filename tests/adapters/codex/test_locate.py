"""Where Codex keeps sessions, and which of them belong to a project."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest
from codex_homes import (
    CodexHome,
    full_id,
    record_opened,
    write_records,
)
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv import SessionRef
from pytest_agentv.adapters.codex import locate
from pytest_agentv.adapters.projects import comparable

APP = "/srv/app"
ONE = "11111111"
TWO = "22222222"
THREE = "33333333"
UUID = "019cc1e9-6537-70a3-a8cd-d2957e043dd4"
OTHER_UUID = "019cc1ea-0000-70a3-a8cd-d2957e043dd4"


@pytest.fixture
def home(tmp_path: Path) -> CodexHome:
    return CodexHome(tmp_path / "codex")


def refs(home: CodexHome, project: str | Path | None = None) -> list[SessionRef]:
    place = None if project is None else Path(project)
    return sorted(locate.sessions(home.root, place, {}), key=lambda ref: ref.session_id)


def found(home: CodexHome, project: str | Path | None = None) -> list[str]:
    return [ref.session_id[:8] for ref in refs(home, project)]


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"HOME": "/home/dev"}, Path("/home/dev/.codex")),
        ({"USERPROFILE": "/users/dev"}, Path("/users/dev/.codex")),
        ({"HOME": "/home/dev", "CODEX_HOME": "/data/codex"}, Path("/data/codex")),
        ({"HOME": "/home/dev", "CODEX_HOME": ""}, Path("/home/dev/.codex")),
        ({}, None),
    ],
)
def test_sessions_live_below_the_configured_folder(
    environ: dict[str, str], home: Path | None
) -> None:
    assert locate.home(environ) == home


@pytest.mark.parametrize(
    ("name", "session_id", "day"),
    [
        (f"rollout-2026-03-05T22-50-24-{UUID}.jsonl", UUID, date(2026, 3, 5)),
        (f"rollout-2026-03-05T22-50-24-{UUID}_{OTHER_UUID}.jsonl", UUID, date(2026, 3, 5)),
        (f"rollout-2026-03-05T22-50-24-{UUID}.jsonl.zst", UUID, date(2026, 3, 5)),
        (f"rollout-2026-03-05T22-50-24-{UUID}_{OTHER_UUID}.jsonl.zst", UUID, date(2026, 3, 5)),
        (f"rollout-2025-05-07-{UUID}.jsonl", UUID, date(2025, 5, 7)),
        (f"rollout-2025-05-07-{UUID}.json", UUID, date(2025, 5, 7)),
        (f"copy of rollout-2025-05-07-{UUID}.jsonl", UUID, date(2025, 5, 7)),
        (f"rollout-2025-13-07-{UUID}.jsonl", UUID, None),
        (f"rollout-2025-05-07-{UUID}.txt", f"rollout-2025-05-07-{UUID}", None),
        ("rollout-mine.jsonl", "rollout-mine", None),
        ("rollout-mine.jsonl.zst", "rollout-mine", None),
        ("full.jsonl", "full", None),
        ("x", "x", None),
    ],
)
def test_a_files_name_tells_the_id_and_the_day(
    name: str, session_id: str, day: date | None
) -> None:
    path = Path("/home/dev/.codex/sessions") / name
    assert locate.session_id_of(path) == session_id
    assert locate.date_of(SessionRef(session_id, path)) == day


@pytest.mark.parametrize(
    ("folders", "day"),
    [
        ("2026/03/05", date(2026, 3, 5)),
        ("2026/02/30", None),
        ("2026/03", None),
        ("99999999999999999999/1/1", None),
    ],
)
def test_without_a_date_in_its_name_the_folders_tell_the_day(
    folders: str, day: date | None
) -> None:
    path = Path("/c/sessions") / folders / "rollout-mine.jsonl"
    assert locate.date_of(SessionRef("x", path)) == day


@given(st.text(min_size=1, max_size=80).filter(lambda name: "\0" not in name))
def test_any_name_has_an_id_and_maybe_a_day(name: str) -> None:
    path = Path("/c") / name
    assert isinstance(locate.session_id_of(path), str)
    locate.date_of(SessionRef("x", path))


def test_a_session_is_found_with_its_size_and_time(home: CodexHome) -> None:
    path = home.session(ONE)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert refs(home) == [SessionRef(full_id(ONE), path, path.stat().st_size, 1_700_000_000)]


def test_sessions_are_found_in_date_folders_flat_and_archived(home: CodexHome) -> None:
    home.session(ONE)
    home.session(TWO, archived=True)
    flat = home.root / "sessions" / f"rollout-2025-05-07-{full_id(THREE)}"
    write_records(flat.with_suffix(".jsonl"), [])
    write_records(home.root / "sessions" / "old" / "disk" / f"rollout-2025-05-07-{UUID}.json", [])
    assert found(home) == ["019cc1e9", ONE, TWO, THREE]


def test_other_files_of_codex_are_no_sessions(home: CodexHome) -> None:
    path = home.session(ONE)
    for name in ("history.jsonl", f"{UUID}.jsonl", "rollout-x.txt", f"rollout-{UUID}.jsonl.tmp"):
        (path.parent / name).write_bytes(path.read_bytes())
    (path.parent / f"rollout-2026-03-05T10-00-00-{UUID}.jsonl").mkdir()
    (home.root / f"rollout-2026-03-05-{UUID}.jsonl").write_bytes(path.read_bytes())
    assert found(home) == [ONE]


def test_a_home_that_is_not_there_holds_no_session(home: CodexHome) -> None:
    assert found(home) == []
    assert found(home, APP) == []


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_links_are_not_followed(home: CodexHome, tmp_path: Path) -> None:
    path = home.session(ONE)
    outside = CodexHome(tmp_path / "outside")
    other = outside.session(TWO)
    (path.parent / "loop").symlink_to(home.root)
    (path.parent / "out").symlink_to(outside.root)
    (path.parent / other.name).symlink_to(other)
    (home.root / "archived_sessions").symlink_to(outside.root / "sessions")
    assert found(home) == [ONE]


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_home_may_itself_be_a_link(home: CodexHome, tmp_path: Path) -> None:
    home.session(ONE)
    (tmp_path / "link").symlink_to(home.root)
    assert found(CodexHome(tmp_path / "link")) == [ONE]


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="needs a folder that cannot be read"
)
def test_a_folder_that_cannot_be_read_hides_no_other(home: CodexHome) -> None:
    home.session(ONE)
    closed = home.root / "sessions" / "closed"
    closed.mkdir()
    closed.chmod(0)
    assert found(home) == [ONE]
    closed.chmod(0o700)


def test_of_an_archived_and_an_active_copy_the_longer_one_is_listed(home: CodexHome) -> None:
    short = home.session(ONE, prompt=None)
    long = home.session(ONE, archived=True)
    os.utime(short, (2_000_000_000, 2_000_000_000))
    assert [ref.path for ref in refs(home)] == [long]


def test_of_equally_long_copies_the_newer_one_is_listed(home: CodexHome) -> None:
    paths = [home.session(ONE), home.session(ONE, archived=True)]
    for newer, older in (paths, paths[::-1]):
        os.utime(older, (1_700_000_000, 1_700_000_000))
        os.utime(newer, (1_700_000_009, 1_700_000_009))
        assert [ref.path for ref in refs(home)] == [newer]


def test_a_packed_copy_is_listed_only_where_it_is_the_only_one(home: CodexHome) -> None:
    path = home.session(ONE)
    packed = path.with_name(f"{path.name}.zst")
    packed.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(9999))
    assert [ref.path for ref in refs(home)] == [path]
    path.unlink()
    assert [ref.path for ref in refs(home)] == [packed]


def test_a_thread_whose_turns_were_taken_back_is_its_last_file(home: CodexHome) -> None:
    first = home.session(ONE, prompt="long " * 99)
    stem = first.name.removesuffix(".jsonl")
    for rollout in (OTHER_UUID, UUID):
        write_records(first.with_name(f"{stem}_{rollout}.jsonl"), [])
    assert [ref.path.name for ref in refs(home)] == [f"{stem}_{OTHER_UUID}.jsonl"]
    assert found(home) == [ONE]


def test_a_list_of_all_sessions_opens_no_file(
    home: CodexHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session(ONE)
    home.state({ONE: APP})
    opened = record_opened(monkeypatch)
    assert found(home) == [ONE]
    assert opened == []


def test_a_session_belongs_to_the_folder_it_ran_in(home: CodexHome) -> None:
    home.session(ONE, cwd=APP)
    home.session(TWO, cwd="/srv/app2")
    home.session(THREE, cwd="/srv/app/sub")
    assert found(home, APP) == [ONE]
    assert found(home, "/srv/app2") == [TWO]
    assert found(home, "/work") == []


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("C:\\Users\\Dev\\App", "c:\\users\\dev\\app"),
        ("\\\\?\\C:\\Users\\Dev\\App", "c:\\Users\\dev\\App"),
        ("c:\\Users\\Dev\\App\\", "C:/Users/Dev/App"),
        ("\\\\?\\UNC\\server\\share\\app", "\\\\SERVER\\share\\app"),
        ("/srv/caf\u00e9", "/srv/cafe\u0301"),
        ("/srv/app/", "/srv/app"),
        ("/", "/"),
    ],
)
def test_a_folder_has_many_spellings(home: CodexHome, cwd: str, project: str) -> None:
    home.session(ONE, cwd=cwd)
    home.session(TWO, cwd="/srv/App")
    assert found(home, project) == [ONE]
    home.session(ONE, cwd="/somewhere/else")
    home.state({ONE: cwd})
    assert found(home, project) == [ONE]


@given(st.sampled_from(["", "/", "C:\\", "\\\\?\\", "\\\\"]), st.text(max_size=40))
def test_a_path_in_its_common_form_stays_so(start: str, rest: str) -> None:
    common = comparable(start + rest)
    assert comparable(common) == common


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_project_named_by_a_link_is_the_linked_one(home: CodexHome, tmp_path: Path) -> None:
    project = tmp_path.resolve() / "app"
    project.mkdir()
    (tmp_path / "link").symlink_to(project)
    home.session(ONE, cwd=project)
    home.session(TWO, cwd=tmp_path / "link")
    assert found(home, tmp_path / "link") == [ONE, TWO]
    assert found(home, project) == [ONE]


def test_worktrees_of_a_repository_are_one_project(home: CodexHome, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    main, tree = root / "app", root / "app-fix"
    notes = main / ".git" / "worktrees" / "app-fix"
    notes.mkdir(parents=True)
    tree.mkdir()
    (notes / "gitdir").write_text(f"{tree}/.git\n", encoding="utf-8")
    (notes / "commondir").write_text("../..\n", encoding="utf-8")
    (tree / ".git").write_text(f"gitdir: {notes}\n", encoding="utf-8")
    home.session(ONE, cwd=main)
    home.session(TWO, cwd=tree)
    home.session(THREE, cwd=root)
    assert found(home, main) == [ONE, TWO]
    assert found(home, tree) == [ONE, TWO]
