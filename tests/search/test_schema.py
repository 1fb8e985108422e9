"""The file of the index: ours, private, one writer at a time; no other file is touched."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from pytest_agentv.errors import IndexCorrupt, IndexUnusable
from pytest_agentv.search.schema import (
    VERSION,
    discard,
    open_index,
    open_to_read,
    translated,
    updating,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from search_index import Index


def _foreign_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE mine(x)")


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_text("my thesis"),
        lambda path: path.mkdir(),
        getattr(os, "mkfifo", lambda path: path.mkdir()),
        _foreign_database,
    ],
    ids=["text", "folder", "pipe", "database"],
)
def test_a_file_that_is_not_ours_is_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    path = tmp_path / "thesis.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None

    for use in (open_index, open_to_read):
        with pytest.raises(IndexUnusable):
            use(path)
    discard(path)

    assert (path.read_bytes() if path.is_file() else None) == before
    assert path.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.db"]


def test_a_link_to_a_file_that_is_not_ours_does_not_help(tmp_path: Path) -> None:
    target = tmp_path / "thesis.txt"
    target.write_text("my thesis")
    link = tmp_path / "index.db"
    link.symlink_to(target)

    with pytest.raises(IndexUnusable, match="is no index of agentv's, and is left as it is"):
        open_index(link)
    assert target.read_text() == "my thesis"


def test_a_file_with_a_trigger_is_not_ours_whatever_it_says(index: Index) -> None:
    index.update()
    with contextlib.closing(sqlite3.connect(index.path)) as db:
        db.execute("CREATE TRIGGER t AFTER INSERT ON sources BEGIN DELETE FROM sources; END")

    with pytest.raises(IndexUnusable, match="is no index"):
        index.update()


def test_an_index_of_another_version_is_made_anew_with_a_word(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    with contextlib.closing(sqlite3.connect(index.path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 7}")
        db.execute("DROP TABLE documents")
        db.execute("CREATE TABLE of_tomorrow(x)")

    with pytest.raises(IndexUnusable, match="is of another version"):
        index.search("login")
    told: list[str] = []
    open_index(index.path, tell=told.append).close()
    assert [one.partition(": ")[2] for one in told] == [
        "is of another version of agentv and is made anew"
    ]
    assert index.update().added == 1
    assert index.found("login") == ["aaaaaaaa"]


def test_a_damaged_index_is_known_as_such(index: Index) -> None:
    for number in range(30):
        index.home.session(f"{number:08x}", f"Fix the login {number}")
    index.update()
    size = index.path.stat().st_size
    with index.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))

    with pytest.raises(IndexCorrupt, match="is damaged"), translated(index.path):
        index.update()
    discard(index.path)
    assert index.update().added == 30


def test_one_process_updates_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with updating(path) as first:
        assert first
        with updating(path) as second:
            assert not second
    with updating(path) as third:
        assert third


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.symlink_to(path.with_name("nowhere")),
        lambda path: path.write_text("my thesis"),
        getattr(os, "mkfifo", lambda path: path.mkdir()),
    ],
    ids=["link", "text", "pipe"],
)
def test_a_lock_that_is_not_ours_is_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    make(tmp_path / "index.db.lock")
    with pytest.raises(IndexUnusable, match="is no lock"), updating(tmp_path / "index.db"):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["index.db.lock"]


def test_reading_goes_on_while_somebody_writes(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    with contextlib.closing(open_index(index.path)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM documents")
        assert index.found("login") == ["aaaaaaaa"]
        db.execute("ROLLBACK")


def test_there_is_no_index_to_read_before_there_is_one(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match="there is no index yet"):
        open_to_read(tmp_path / "index.db")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnusable, match="no index can be made: Not a directory"):
        open_index(tmp_path / "file" / "index.db")
