"""What an update reads, drops and leaves alone."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id, new_home
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planted_secrets import Planter
from search_index import Index

from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
from pytest_agentv.registry import Registry
from pytest_agentv.search.status import status_of

if TYPE_CHECKING:
    from pathlib import Path


def test_only_what_changed_is_read_again(index: Index) -> None:
    first = index.home.session("aaaaaaaa", "Fix the login")
    index.home.session("bbbbbbbb", "Fix the cart")
    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (2, 0, 0, 0)

    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (0, 0, 2, 0)

    index.home.session("aaaaaaaa", "Fix the sink")
    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (0, 1, 1, 0)
    assert index.found("login") == []
    assert index.found("sink") == ["aaaaaaaa"]

    first.unlink()
    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (0, 0, 1, 1)
    assert index.found("sink") == []


def test_an_index_after_changes_is_as_one_made_afresh(index: Index, tmp_path: Path) -> None:
    index.home.session("aaaaaaaa", "Fix the login")
    path = index.home.session("bbbbbbbb", "Fix the parseToken function")
    index.update()
    index.home.session("aaaaaaaa", "Fix the sink")
    path.unlink()
    index.home.session("cccccccc", "Another")
    index.update()

    fresh = Index(tmp_path / "fresh.db", index.home)
    fresh.update()
    assert index.content() == fresh.content()


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes there")
def test_the_file_is_private(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    assert index.path.stat().st_mode & 0o777 == 0o600
    assert index.path.parent.stat().st_mode & 0o777 == 0o700


def test_other_choices_make_it_anew(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    assert index.found("good") == []

    assert index.update(tool_output=True).rebuilt
    assert index.found("good role:output") == ["aaaaaaaa"]


def test_what_cannot_be_read_is_remembered_and_not_tried_again(index: Index) -> None:
    path = index.home.session("aaaaaaaa")
    path.write_bytes(b'{"type": "nonsense"}\n')
    os.utime(path, (1_774_000_000, 1_774_000_000))
    done = index.update()
    assert (done.added, done.failed) == (1, 1)
    with index.opened() as db:
        (error,) = status_of(db).errors
    assert str(path) in error

    done = index.update()
    assert (done.unchanged, done.failed) == (1, 0)

    index.home.session("aaaaaaaa")
    done = index.update()
    assert (done.changed, done.failed) == (1, 0)
    with index.opened() as db:
        assert status_of(db).errors == []


def test_a_folder_that_is_away_takes_nothing_with_it(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    projects = index.home.projects
    away = projects.with_name("away")
    projects.rename(away)

    done = index.update()
    assert done.removed == 0
    (note,) = done.notes
    assert note.startswith(
        f"{projects}: No such file or directory; of claude, 1 session from there"
    )
    assert index.found("login") == ["aaaaaaaa"]

    projects.mkdir()  # as a disk's place is, when the disk is not there
    done = index.update()
    assert done.removed == 0
    assert "no session is there now" in done.notes[0]

    projects.rmdir()
    away.rename(projects)
    done = index.update()
    assert (done.unchanged, done.notes) == (1, [])


def test_other_places_are_searched_only_while_they_are_configured(
    index: Index, tmp_path: Path
) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    backup = tmp_path / "backup"
    index.home.projects.rename(backup)
    index.home.session("bbbbbbbb")

    done = index.update(places={"claude": (str(backup),)})
    assert (done.added, done.removed) == (1, 0)
    assert index.found("login") == ["aaaaaaaa"]
    assert index.found("login agent:claude -path:x") == ["aaaaaaaa"]

    index.update()
    assert index.found("login") == ["bbbbbbbb"]


def test_sessions_of_projects_stay_when_somebody_works_elsewhere(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    history = project / ".aider.chat.history.md"
    history.write_text(
        "\n# aider chat started at 2026-03-02 09:00:00\n\n#### fix the login\n\nDone.\n"
    )
    os.utime(history, (1_774_000_000, 1_774_000_000))
    monkeypatch.chdir(project)
    assert index.update().added == 1

    monkeypatch.chdir(tmp_path)
    assert index.update().removed == 0
    assert len(index.found("login agent:aider")) == 1

    history.unlink()
    assert index.update().removed == 1
    assert index.found("login") == []


def test_a_file_that_has_just_been_written_is_looked_at_again(index: Index) -> None:
    path = index.home.session("aaaaaaaa", "Fix the login")
    now = time.time()
    os.utime(path, (now, now))
    index.update()
    same_size = path.read_bytes().replace(b"login", b"logic")
    path.write_bytes(same_size)
    os.utime(path, (now, now))

    assert index.update().changed == 1
    assert index.found("logic") == ["aaaaaaaa"]


def test_a_file_of_tomorrow_is_read_once(index: Index) -> None:
    tomorrow = time.time() + 86_400
    index.home.session("aaaaaaaa", modified=tomorrow)
    index.update()

    assert index.update().unchanged == 1


def test_a_large_session_is_written_while_it_is_read(
    index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pytest_agentv.search.indexing._LARGE", 1)
    index.home.session("aaaaaaaa")
    bad = index.home.session("bbbbbbbb")
    bad.write_bytes(b'{"type": "nonsense"}\n')
    done = index.update()
    assert (done.added, done.failed) == (2, 1)
    assert index.found("login") == ["aaaaaaaa"]

    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(index.home.path))
    fresh = Index(tmp_path / "fresh.db", index.home)
    fresh.update()
    assert index.content() == fresh.content()


def test_several_processes_read_what_one_would(
    index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(12):
        index.home.session(f"{number:08x}", f"Fix the login {number}")
    index.home.session("dddddddd").write_bytes(b"{}\n")
    told: list[tuple[int, int]] = []
    with monkeypatch.context() as patched:
        patched.setattr("pytest_agentv.search.workers._BYTES_WORTH_A_POOL", 1)
        patched.setattr("pytest_agentv.search.workers._PORTION", 1)
        patched.setattr("pytest_agentv.search.indexing._PORTION", 1)
        patched.setattr(os, "cpu_count", lambda: 2)
        done = index.update(progress=lambda read, total: told.append((read, total)))
    assert (done.added, done.failed) == (13, 1)
    assert len(told) == 13
    assert told[-1][0] == told[-1][1]

    fresh = Index(tmp_path / "fresh.db", index.home)
    fresh.update()
    assert index.content() == fresh.content()


def test_what_is_redacted_at_the_source_is_not_in_the_file(index: Index) -> None:
    secret = Planter().secret()
    index.home.session("aaaaaaaa", f"Use the token {secret} for the login")
    index.update(redact="secrets")

    assert index.found("login") == ["aaaaaaaa"]
    written = b"".join(one.read_bytes() for one in index.path.parent.iterdir())
    assert secret.encode() not in written


def test_a_name_that_is_no_text_is_indexed_as_any(index: Index) -> None:
    path = index.home.session("aaaaaaaa", "Fix the login")
    folder = index.home.projects / os.fsdecode(b"-home-\xff\xfe")
    try:
        path.parent.rename(folder)
    except OSError:
        pytest.skip("file names are texts here")
    index.update()

    (hit,) = index.search("login")
    assert hit.path.is_file()
    assert index.update().unchanged == 1


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "update", "cut"]),
        st.integers(0, 3),
        st.sampled_from(["Fix login", "parseToken 登录", "\x00 \u202e", "a" * 70_000, "Zwei"]),
    ),
    max_size=12,
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=_STEPS)
def test_whatever_happened_the_index_is_as_one_made_afresh(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("history")
    known = Registry()
    known.add_adapter(ClaudeAdapter(), plugin="test")
    with pytest.MonkeyPatch.context() as monkeypatch:
        home = new_home(folder, monkeypatch)
        home.session("ffffffff", "Stays")
        index = Index(folder / "index.db", home, known=known)
        for what, number, words in steps:
            name = f"{number:08x}"
            path = home.projects / "-home-dev-shop" / f"{full_id(name)}.jsonl"
            if what == "write":
                home.session(name, words)
            elif what == "delete":
                path.unlink(missing_ok=True)
            elif what == "cut" and path.is_file():
                os.truncate(path, path.stat().st_size // 2)
                os.utime(path, (1_774_000_000, 1_774_000_000))
            else:
                index.update()
        index.update()
        fresh = Index(folder / "fresh.db", home, known=known)
        fresh.update()

        assert index.content() == fresh.content()
