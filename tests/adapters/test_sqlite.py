"""A vendor's database: all its rows are read, and not one byte of it is changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pytest_agentv.adapters.sqlite import MAX_SIZE, columns, opened_copy, tables_of
from pytest_agentv.errors import SessionError, SessionNotFound, SessionUnreadable


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that copies are made in."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def made(path: Path, *statements: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Two rows in a folder of their own."""
    return made(
        tmp_path / "vendor" / "data.sqlite",
        "CREATE TABLE words (word)",
        "INSERT INTO words VALUES ('one'), ('two')",
    )


def words(database: Path) -> list[object]:
    with opened_copy(database) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY rowid")]


def listing(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file of a folder, with its time, its mode and its content; and the folder's time."""
    files = {
        path.name: (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
        for path in folder.iterdir()
    }
    return {**files, ".": (folder.stat().st_mtime_ns, 0, b"")}


def test_rows_are_read_from_a_copy_that_is_gone_afterwards(database: Path, copies: Path) -> None:
    before = listing(database.parent)
    with opened_copy(database) as connection:
        assert connection.execute("SELECT count(*) FROM words").fetchone() == (2,)
        assert len(list(copies.iterdir())) == 1
    assert list(copies.iterdir()) == []
    assert listing(database.parent) == before


def test_an_idle_database_in_wal_mode_gets_no_files_beside_it(database: Path) -> None:
    made(database, "PRAGMA journal_mode = WAL")
    before = listing(database.parent)
    assert set(before) == {"data.sqlite", "."}
    assert words(database) == ["one", "two"]
    assert listing(database.parent) == before


def test_rows_that_are_only_in_the_wal_are_read(database: Path) -> None:
    made(database, "PRAGMA journal_mode = WAL")
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("INSERT INTO words VALUES ('three')")
        writer.commit()
        before = listing(database.parent)
        assert before["data.sqlite-wal"][2]
        assert words(database) == ["one", "two", "three"]
        assert listing(database.parent) == before


def test_rows_of_a_crashed_writer_are_read(database: Path, tmp_path: Path) -> None:
    made(database, "PRAGMA journal_mode = WAL")
    crashed = tmp_path / "crashed" / "data.sqlite"
    crashed.parent.mkdir()
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("INSERT INTO words VALUES ('three')")
        writer.commit()
        for suffix in ("", "-wal"):
            Path(f"{crashed}{suffix}").write_bytes(Path(f"{database}{suffix}").read_bytes())
    assert words(crashed) == ["one", "two", "three"]
    assert {path.name for path in crashed.parent.iterdir()} == {"data.sqlite", "data.sqlite-wal"}


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_locked_database_is_read_without_what_is_not_committed(database: Path, mode: str) -> None:
    made(database, f"PRAGMA journal_mode = {mode}")
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("INSERT INTO words VALUES ('three')")
        before = listing(database.parent)
        assert words(database) == ["one", "two"]
        assert listing(database.parent) == before
        writer.execute("COMMIT")
    assert words(database) == ["one", "two", "three"]


def write_during_copies(monkeypatch: pytest.MonkeyPatch, database: Path, times: int) -> None:
    """Let a vendor add a row to the database itself while it is copied."""
    copy = shutil.copyfileobj
    rest = iter(range(times))

    def copy_and_write(*arguments: Any) -> None:
        copy(*arguments)
        for _ in islice(rest, 1):
            made(database, "INSERT INTO words VALUES ('three')")

    monkeypatch.setattr(shutil, "copyfileobj", copy_and_write)


def test_a_database_that_changes_while_it_is_copied_is_copied_again(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_during_copies(monkeypatch, database, 1)
    assert words(database) == ["one", "two", "three"]


def test_a_database_that_changes_all_the_time_is_an_error(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_during_copies(monkeypatch, database, 99)
    with pytest.raises(SessionUnreadable, match="is being written to"):
        words(database)


def test_a_journal_that_names_a_file_of_the_users_does_not_get_it_deleted(
    database: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("mine", encoding="utf-8")
    name = os.fsencode(precious)
    header = bytes.fromhex("d9d505f920a163d7") + bytes(8)
    page_count = (2).to_bytes(4, "big")
    sizes = (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    journal = (header + page_count + sizes).ljust(512, b"\0")
    journal += (
        (0x40000000 // 4096 + 1).to_bytes(4, "big")
        + name
        + len(name).to_bytes(4, "big")
        + sum(name).to_bytes(4, "big")
        + bytes.fromhex("d9d505f920a163d7")
    )
    Path(f"{database}-journal").write_bytes(journal)
    assert words(database) == ["one", "two"]
    assert precious.read_text(encoding="utf-8") == "mine"
    assert Path(f"{database}-journal").read_bytes() == journal


def test_nothing_can_be_written_through_the_connection(database: Path) -> None:
    with pytest.raises(SessionUnreadable, match="readonly"), opened_copy(database) as connection:
        connection.execute("DELETE FROM words")
    assert words(database) == ["one", "two"]


def test_what_is_no_text_is_replaced_or_left_as_it_is(database: Path) -> None:
    made(
        database,
        "INSERT INTO words VALUES (CAST(x'61ff62' AS TEXT)), (x'00ff'), (7), (1.5), (NULL)",
    )
    assert words(database)[2:] == ["a\ufffdb", b"\x00\xff", 7, 1.5, None]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is no SQLite database"),
        (b"PK\x03\x04 something else", "is no SQLite database"),
        (b"SQLite format 3\0", "cannot be read: "),
        (b"SQLite format 3\0" + b"\xff" * 8192, "cannot be read: "),
    ],
    ids=["empty", "another", "cut", "garbage"],
)
def test_what_is_no_database_is_said_in_one_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "data.sqlite"
    path.write_bytes(content)
    with pytest.raises(SessionUnreadable, match=sentence):
        words(path)


def test_a_database_with_damaged_pages_is_an_error_and_no_crash(database: Path) -> None:
    made(
        database,
        "INSERT INTO words WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 5000) SELECT 'word ' || i FROM n",
    )
    content = bytearray(database.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    database.write_bytes(content)
    with pytest.raises(SessionUnreadable, match="cannot be read: "):
        words(database)


def test_a_schema_that_is_no_text_is_an_error_and_no_crash(database: Path) -> None:
    content = database.read_bytes().replace(
        b"CREATE TABLE words (word)", b"CREATE \xff\xfe\xff words (word)"
    )
    database.write_bytes(content)
    with pytest.raises(SessionUnreadable, match="cannot be read: "):
        words(database)


def test_a_database_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        words(tmp_path / "data.sqlite")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")
@pytest.mark.parametrize("name", ["data.sqlite", "data.sqlite-wal"])
def test_a_pipe_is_an_error_and_no_hang(database: Path, name: str) -> None:
    path = database.with_name(name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(SessionUnreadable, match="named pipe"):
        words(database)


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_database_beyond_the_limit_is_not_copied(
    database: Path, copies: Path, suffix: str
) -> None:
    with Path(f"{database}{suffix}").open("ab") as file:
        file.truncate(MAX_SIZE + 1)  # a hole: it takes no space
    with pytest.raises(SessionUnreadable, match="too large"):
        words(database)
    assert list(copies.iterdir()) == []


def test_without_room_for_a_copy_there_is_an_error(database: Path, copies: Path) -> None:
    copies.rmdir()
    with pytest.raises(SessionUnreadable, match="cannot be copied"):
        words(database)


def test_a_python_without_sqlite_is_an_error(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(SessionUnreadable, match="without SQLite"):
        words(database)


def kept_words(database: Path) -> list[object]:
    with opened_copy(database, keep=True) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY rowid")]


def test_a_copy_is_kept_until_the_database_changes(database: Path, copies: Path) -> None:
    assert kept_words(database) == ["one", "two"]
    (kept,) = copies.iterdir()
    assert kept_words(database) == ["one", "two"]
    assert list(copies.iterdir()) == [kept]
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        for word in ("three", "four"):
            writer.execute("INSERT INTO words VALUES (?)", (word,))
            writer.commit()
            assert kept_words(database)[-1] == word
            assert len(list(copies.iterdir())) == 1
    shutil.rmtree(next(copies.iterdir()))
    assert kept_words(database) == ["one", "two", "three", "four"]


def test_no_copy_is_kept_of_what_cannot_be_copied(database: Path, copies: Path) -> None:
    assert kept_words(database) == ["one", "two"]
    other = made(database.with_name("other.sqlite"), "CREATE TABLE words (word)")
    other.write_bytes(b"no database")
    with pytest.raises(SessionUnreadable, match="is no SQLite database"):
        kept_words(other)
    assert kept_words(database) == ["one", "two"]
    assert len(list(copies.iterdir())) == 1


def test_a_damaged_database_that_asks_for_all_memory_is_unreadable(database: Path) -> None:
    with (
        pytest.raises(SessionUnreadable, match="more memory than there is"),
        opened_copy(database),
    ):
        raise MemoryError


def test_a_python_without_sqlite_sees_no_tables(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    assert tables_of(database) == frozenset()


def test_the_users_own_errors_stay_what_they_are(database: Path, copies: Path) -> None:
    with pytest.raises(OSError, match="disk full"), opened_copy(database):
        raise OSError("disk full")
    assert list(copies.iterdir()) == []


def test_a_query_without_end_is_stopped(database: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(SessionError, match="interrupted"), opened_copy(database) as connection:
        connection.execute(endless).fetchall()


def test_only_what_is_stored_counts_as_a_column(database: Path) -> None:
    made(
        database,
        "CREATE TABLE computed (a, b AS (a || a), c AS (a || b) STORED)",
        "CREATE VIEW seen AS SELECT word FROM words",
        'CREATE TABLE odd ("a ""b""", "c;--")',
    )
    with opened_copy(database) as connection:
        assert columns(connection, "words") == {"word"}
        assert columns(connection, "computed") == {"a"}
        assert columns(connection, "odd") == {'a "b"', "c;--"}
        assert columns(connection, "seen") == set()
        assert columns(connection, "missing") == set()
