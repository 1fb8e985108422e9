"""Reading a vendor's SQLite database on a private copy.

Opening a database in place changes its folder, even read-only: ``-shm`` and ``-wal`` files come
and go. ``immutable`` changes nothing, but misses what the ``-wal`` holds. A copy of both does
neither. What is in the database may be anything, so what a query can cost is limited.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.errors import Location, SessionError, SessionNotFound, SessionUnreadable
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

# A larger database is not copied.
MAX_SIZE = 1 << 30

_MAGIC = b"SQLite format 3\0"
_MAX_ROW = 64 << 20
# Steps of SQLite's machine; a table of a million rows takes some ten million.
_MAX_STEPS = 20_000_000
_STEPS_BETWEEN_LOOKS = 1_000_000
# A checkpoint moves rows from the -wal into the database; a copy of before and after is useless.
_ATTEMPTS = 3
_HEADER = 100
# A database without a table is no larger.
_EMPTY_SIZE = 1 << 20
_WAL_HEADER = 32


@contextlib.contextmanager
def opened_copy(database: Path, *, keep: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of a database; whatever is wrong with it is a SessionError.

    ``keep``: the copy serves the next who wants one to keep, too, until the database changes. It is
    gone when the process ends.
    """
    try:
        import sqlite3  # noqa: PLC0415 (few commands need it, and some Pythons come without)
    except ImportError as exc:
        message = "cannot be read: this Python was built without SQLite"
        raise SessionUnreadable(message, at=Location(database)) from exc
    with contextlib.ExitStack() as opened:
        try:
            if keep:
                copy = _kept.copy_of(database)
            else:
                copy = _copied(database, Path(opened.enter_context(_temporary_folder())))
        except OSError as exc:
            message = f"cannot be copied: {exc.strerror}"
            raise SessionUnreadable(message, at=Location(database)) from exc
        try:
            connection = opened.enter_context(contextlib.closing(sqlite3.connect(copy)))
            _restrict(connection)
            yield connection
        except (sqlite3.Error, UnicodeDecodeError) as exc:  # SQLite's messages quote raw names
            raise SessionUnreadable(f"cannot be read: {exc}", at=Location(database)) from exc
        except MemoryError as exc:  # a damaged database may ask for any amount
            message = "cannot be read: it takes more memory than there is"
            raise SessionUnreadable(message, at=Location(database)) from exc


def tables_of(database: Path) -> frozenset[str]:
    """The names of a database's tables, to tell whose it is; none if it cannot be read.

    Looked up in place, in a mode that changes nothing. What only the ``-wal`` holds is missed, and
    is looked for in a copy if the database itself has no table yet.
    """
    try:
        import sqlite3  # noqa: PLC0415 (few commands need it, and some Pythons come without)
    except ImportError:
        return frozenset()
    names = "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1000"
    place = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True)) as connection:
            _restrict(connection)
            found = frozenset(str(name) for (name,) in connection.execute(names))
        if not found and database.stat().st_size <= _EMPTY_SIZE:
            with opened_copy(database) as copy:
                found = frozenset(str(name) for (name,) in copy.execute(names))
    except (sqlite3.Error, UnicodeDecodeError, OSError, ValueError, MemoryError, SessionError):
        return frozenset()
    return found


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """The stored columns of a table; none of a view, which may compute without end."""
    # Views and virtual tables have no pages of their own.
    stored = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0"
    if connection.execute(stored, (table,)).fetchone() is None:
        return set()
    found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {name for (name,) in found}


class _KeptCopy:
    """The copy of one database, which many sessions are read from one by one."""

    def __init__(self) -> None:
        self._state: object = None
        self._copy: Path | None = None
        self._remove: Callable[[], object] | None = None

    def copy_of(self, database: Path) -> Path:
        """A copy of a database as it is now."""
        state = self._state_of(database)
        if self._copy is not None and self._state == state and self._copy.exists():
            return self._copy
        if self._remove is not None:
            self._remove()
        folder = Path(tempfile.mkdtemp(prefix="agentv-"))
        # Not a TemporaryDirectory: processes of a pool end without looking after those, and
        # would take away that of the process they were forked from.
        from multiprocessing.util import Finalize  # noqa: PLC0415 (few commands need it)

        self._copy, self._remove = (
            None,
            Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=0),
        )
        self._copy, self._state = _copied(database, folder), state
        return self._copy

    def _state_of(self, database: Path) -> object:
        """What changes with any row, and from process to process."""
        with contextlib.suppress(FileNotFoundError):
            status = _wal(database).stat()
            return os.getpid(), database, _state(database), status.st_size, status.st_mtime_ns
        return os.getpid(), database, _state(database)


_kept = _KeptCopy()


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="agentv-", ignore_cleanup_errors=True)


def _copied(database: Path, folder: Path) -> Path:
    copy = folder / "copy.sqlite"
    for _ in range(_ATTEMPTS):
        before = _state(database)
        _copy_file(database, copy)
        # No -shm, which SQLite makes anew. No -journal either: it may name any file of the
        # user's as its super-journal, and SQLite deletes that after a roll-back.
        with contextlib.suppress(SessionNotFound):
            _copy_file(_wal(database), _wal(copy))
        if _state(database) == before:
            return copy
        _wal(copy).unlink(missing_ok=True)
    raise SessionUnreadable("is being written to, again and again", at=Location(database))


def _state(database: Path) -> tuple[int, int, bytes, bytes]:
    """What changes with a checkpoint; rows that are merely added to the -wal do no harm."""
    with open_regular(database) as file:
        header = file.read(_HEADER)  # it counts changes, as times may be too coarse to do
        status = os.fstat(file.fileno())
    if not header.startswith(_MAGIC):
        raise SessionUnreadable("is no SQLite database", at=Location(database))
    wal_header = b""
    with contextlib.suppress(SessionNotFound), open_regular(_wal(database)) as file:
        wal_header = file.read(_WAL_HEADER)
    return status.st_size, status.st_mtime_ns, header, wal_header


def _copy_file(source: Path, target: Path) -> None:
    with open_regular(source) as file:
        if file.seek(0, os.SEEK_END) > MAX_SIZE:
            message = f"is larger than {MAX_SIZE} bytes, too large to be copied"
            raise SessionUnreadable(message, at=Location(source))
        file.seek(0)
        with target.open("wb") as copy:
            shutil.copyfileobj(file, copy)


def _wal(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _restrict(connection: sqlite3.Connection) -> None:
    steps = 0

    def is_enough() -> bool:
        nonlocal steps
        steps += _STEPS_BETWEEN_LOOKS
        return steps > _MAX_STEPS

    connection.set_progress_handler(is_enough, _STEPS_BETWEEN_LOOKS)
    connection.text_factory = _text
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    if sys.version_info >= (3, 11):
        import sqlite3  # noqa: PLC0415 (loaded already: there is a connection)

        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_ROW)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
