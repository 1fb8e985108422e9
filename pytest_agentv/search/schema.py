"""The file of the index: made, checked, opened to read or to write, and by one writer at a time.

It is a database of SQLite's that is marked as ours; no other file is ever written to. Everything
in it can be made again from the sessions, so one of another version is simply made anew.
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING

from pytest_agentv.errors import (
    IndexCorrupt,
    IndexUnusable,
    Location,
    SearchError,
    SessionError,
)
from pytest_agentv.files import open_regular

try:
    import sqlite3
except ImportError as exc:  # some Pythons come without
    raise SearchError("there is no searching: this Python was built without SQLite") from exc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Raise it with every change of the tables, of what is indexed, or of how texts become words.
VERSION = 2
# "AgtV", in the header of the file.
APPLICATION_ID = 0x41677456

# A document's id is its source's number and its own number there: those of a session lie
# together, in order, without an index for it.
DOCUMENT_BITS = 24
MOST_DOCUMENTS = (1 << DOCUMENT_BITS) - 1

_MAGIC = b"SQLite format 3\0"
_ID_AT = slice(68, 72)
_HEADER = 100
_WAIT = 30.0
_CACHE_KIB = 16_000
# How much text FTS5 gathers before it writes a segment; small ones have to be merged later.
_GATHERED = 16 << 20

_TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE roots(
    id INTEGER PRIMARY KEY, adapter TEXT NOT NULL, path BLOB NOT NULL, current INTEGER NOT NULL,
    UNIQUE(adapter, path)
);
CREATE TABLE sources(
    id INTEGER PRIMARY KEY, adapter TEXT NOT NULL, path BLOB NOT NULL, row, root INTEGER NOT NULL,
    ref TEXT NOT NULL, size INTEGER NOT NULL, modified REAL, vectors TEXT, session TEXT NOT NULL,
    provider TEXT, project TEXT, branch TEXT, model TEXT, title TEXT, prompt TEXT,
    started INTEGER, ended INTEGER,
    messages INTEGER, documents INTEGER NOT NULL, cut INTEGER NOT NULL, error TEXT
);
CREATE UNIQUE INDEX sources_by_place ON sources(adapter, path, ifnull(row, ''));
CREATE TABLE tools(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, UNIQUE(name, kind)
);
CREATE TABLE documents(
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, tool INTEGER, time INTEGER, line INTEGER,
    thread TEXT, paths TEXT, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
    text, parts, paths, content='', tokenize="unicode61 remove_diacritics 2"
);
CREATE TABLE vectors(
    document INTEGER PRIMARY KEY, vector BLOB NOT NULL
);
CREATE TABLE signs(
    block INTEGER NOT NULL, model TEXT NOT NULL, bits BLOB NOT NULL, PRIMARY KEY(block, model)
);
INSERT INTO words(words, rank) VALUES('rank', 'bm25(1.0, 0.5, 0.5)');
INSERT INTO words(words, rank) VALUES('hashsize', {_GATHERED});
"""


def open_index(path: Path, *, tell: Callable[[str], None] | None = None) -> sqlite3.Connection:
    """The index, to be written to: made if there is none, made anew if it is of another version.

    ``tell`` is given a sentence on what was done that nobody asked for.
    """
    _make_private(path)
    if not _is_ours(path, or_empty=True):
        message = "is no index of agentv's, and is left as it is; name another file"
        raise IndexUnusable(message, at=Location(path))
    with translated(path):
        database = _connected(path)
        try:
            _settle(database, path, tell)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        except BaseException:
            database.close()
            raise
    return database


def open_to_read(path: Path) -> sqlite3.Connection:
    """The index as it is; whoever writes to it meanwhile is not in the way."""
    if not _is_ours(path):
        raise IndexUnusable(
            "there is no index yet; agentv index update makes it", at=Location(path)
        )
    with translated(path):
        database = _connected(path)
        try:
            _check_version(database, path)
            database.execute("PRAGMA query_only = ON")
        except BaseException:
            database.close()
            raise
    return database


def discard(path: Path) -> None:
    """Take a damaged index away; what is not ours stays."""
    if _is_ours(path):
        for one in (f"{path.name}-wal", f"{path.name}-shm", path.name):
            path.with_name(one).unlink(missing_ok=True)


def clear(database: sqlite3.Connection) -> None:
    """Take everything out of an index, in a transaction of the caller's."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' "
    # Tables of FTS5's own go with the one that they belong to.
    for name in ("words", *(name for (name,) in database.execute(f"{tables} ESCAPE '!'"))):
        quoted = name.replace('"', '""')
        with contextlib.suppress(sqlite3.OperationalError):
            database.execute(f'DROP TABLE IF EXISTS "{quoted}"')
    for statement in filter(str.strip, _TABLES.split(";\n")):
        database.execute(statement)


@contextlib.contextmanager
def updating(path: Path) -> Iterator[bool]:
    """Whether this process may update an index now: one does at a time.

    The lock is one that the system takes back from a process that was killed.
    """
    lock = path.with_name(f"{path.name}.lock")
    _make_private(lock)
    # It is never written to: one that holds anything, or is a link to something, is not ours.
    if lock.is_symlink() or _header(lock) != b"":
        raise IndexUnusable("is no lock of agentv's, and is left as it is", at=Location(lock))
    database = sqlite3.connect(lock, timeout=0, isolation_level=None)
    try:
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            yield False
        else:
            yield True
    finally:
        database.close()


@contextlib.contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of it, or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextlib.contextmanager
def one_state(database: sqlite3.Connection) -> Iterator[None]:
    """Around questions that go together: whoever writes meanwhile is not seen."""
    database.execute("BEGIN")
    try:
        yield
    finally:
        # An error of SQLite's may have ended it.
        if database.in_transaction:
            database.execute("ROLLBACK")


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Around all use of an index: what SQLite says becomes an error of ours."""
    try:
        yield
    except sqlite3.OperationalError as exc:  # in use, no room, no right
        raise IndexUnusable(f"cannot be used: {exc}", at=Location(path)) from exc
    except sqlite3.DatabaseError as exc:
        raise IndexCorrupt(f"is damaged: {exc}", at=Location(path)) from exc


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    try:
        # A project may name a file that it brings along: nothing in it is trusted to be run.
        database.execute("PRAGMA trusted_schema = OFF")
        _check_inert(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _check_inert(database: sqlite3.Connection, path: Path) -> None:
    active = "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')"
    if database.execute(active).fetchone()[0]:
        raise IndexUnusable("is no index of agentv's", at=Location(path))


def _check_version(database: sqlite3.Connection, path: Path) -> None:
    if _version(database) != VERSION:
        message = "is of another version of agentv; agentv index update makes it anew"
        raise IndexUnusable(message, at=Location(path))


def _settle(database: sqlite3.Connection, path: Path, tell: Callable[[str], None] | None) -> None:
    """Make the tables, unless they are there."""
    if _version(database) == VERSION:
        return
    with transaction(database):
        version = _version(database)
        if version == VERSION:  # another process was faster
            return
        if version and tell is not None:
            tell(f"{Location(path)}: is of another version of agentv and is made anew")
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        clear(database)
        database.execute(f"PRAGMA user_version = {VERSION}")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _make_private(path: Path) -> None:
    """See to it that there is a file; a new one only its owner may read."""
    try:
        if os.path.lexists(path.parent) and not path.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as exc:
        message = f"no index can be made: {exc.strerror or exc}"
        raise IndexUnusable(message, at=Location(path)) from exc


def _is_ours(path: Path, *, or_empty: bool = False) -> bool:
    header = _header(path)
    if not header:
        return or_empty and header is not None
    marked = APPLICATION_ID.to_bytes(4, "big")
    return header.startswith(_MAGIC) and header[_ID_AT] == marked


def _header(path: Path) -> bytes | None:
    """How a file begins; None if it is no regular file, or cannot be read."""
    try:
        with open_regular(path, buffer=0) as file:
            return file.read(_HEADER)
    except SessionError:
        return None
