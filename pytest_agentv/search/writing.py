"""Writing sessions into an index, and taking them out, in transactions of the caller's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pytest_agentv.search.documents import storable
from pytest_agentv.search.schema import DOCUMENT_BITS, MOST_DOCUMENTS
from pytest_agentv.search.tokens import parts_of
from pytest_agentv.search.vectors import forget

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from pytest_agentv.search.documents import Document
    from pytest_agentv.search.listing import Found
    from pytest_agentv.search.reading import Read

_BATCH = 500
_ADD_DOCUMENT = "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_WORDS = "INSERT INTO words(rowid, text, parts, paths) VALUES (?, ?, ?, ?)"
# FTS5 keeps no texts here: to forget a document it has to be given what it was given before.
_DROP_WORDS = "INSERT INTO words(words, rowid, text, parts, paths) VALUES ('delete', ?, ?, ?, ?)"
_MESSAGES = ("user", "assistant", "system")


class Writer:
    """Writes sessions, one after another."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._roots = {
            (adapter, path): id_
            for adapter, path, id_ in db.execute("SELECT adapter, path, id FROM roots")
        }
        self._tools: dict[tuple[str, str], int] = {}

    def write(self, one: Found, old: int | None, read: Read) -> None:
        """Put a session in the place of what the index knows of it."""
        source = self._source(one, old)
        counts = self._write_documents(source, read.documents)
        told = read.about
        self._db.execute(
            "UPDATE sources SET session = ?, provider = ?, project = ?, branch = ?, model = ?, "
            "title = ?, prompt = ?, started = ?, ended = ?, messages = ?, documents = ?, cut = ?, "
            "error = ? WHERE id = ?",
            (
                *told[:-1],
                told.ended or counts.latest,
                counts.messages,
                counts.documents,
                counts.cut,
                read.error,
                source,
            ),
        )

    def forget_tools(self) -> None:
        """After a transaction that was taken back: tools may have been new in it."""
        self._tools.clear()

    def _source(self, one: Found, old: int | None) -> int:
        """The number of a session, without any document."""
        root = self._roots[one.adapter, one.root]
        if old is not None:
            drop_documents(self._db, old)
            self._db.execute(
                "UPDATE sources SET root = ?, size = ?, modified = ? WHERE id = ?",
                (root, one.ref.size, one.modified, old),
            )
            return old
        adapter, path, row = one.place
        cursor = self._db.execute(
            "INSERT INTO sources(adapter, path, row, root, ref, size, modified, session, "
            "documents, cut) VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, 0)",
            (adapter, path, row, root, storable(one.ref.session_id), one.ref.size, one.modified),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _write_documents(self, source: int, found: Iterable[Document]) -> _Counts:
        counts = _Counts()
        numbered = iter(enumerate(found, (source << DOCUMENT_BITS) + 1))
        while batch := list(islice(numbered, _BATCH)):
            if counts.documents + len(batch) > MOST_DOCUMENTS:
                counts.cut += len(batch)
                continue
            self._db.executemany(_ADD_DOCUMENT, [self._row(id_, one) for id_, one in batch])
            self._db.executemany(
                _ADD_WORDS, [(id_, one.text, one.parts, one.paths or "") for id_, one in batch]
            )
            counts.add([one for _, one in batch])
        return counts

    def _row(self, id_: int, one: Document) -> tuple[object, ...]:
        tool = None if one.tool is None else self._tool(one.tool, one.kind or "other")
        return id_, one.role, tool, one.time, one.line, one.thread, one.paths, one.text

    def _tool(self, name: str, kind: str) -> int:
        if (name, kind) not in self._tools:
            add = "INSERT OR IGNORE INTO tools(name, kind) VALUES (?, ?)"
            self._db.execute(add, (name, kind))
            find = "SELECT id FROM tools WHERE name = ? AND kind = ?"
            self._tools[name, kind] = self._db.execute(find, (name, kind)).fetchone()[0]
        return self._tools[name, kind]


@dataclass
class _Counts:
    """What was written of a session."""

    documents: int = 0
    messages: int = 0
    cut: int = 0
    latest: int | None = None

    def add(self, documents: list[Document]) -> None:
        self.documents += len(documents)
        for one in documents:
            self.messages += one.role in _MESSAGES
            self.cut += one.is_cut
            if one.time is not None and (self.latest is None or one.time > self.latest):
                self.latest = one.time


def drop_source(db: sqlite3.Connection, source: int) -> None:
    """Take a session out."""
    drop_documents(db, source)
    db.execute("DELETE FROM sources WHERE id = ?", (source,))


def drop_documents(db: sqlite3.Connection, source: int) -> None:
    """Take the documents of a session out."""
    first = source << DOCUMENT_BITS
    span = first, first + MOST_DOCUMENTS
    rows = db.execute("SELECT id, text, paths FROM documents WHERE id BETWEEN ? AND ?", span)
    while batch := rows.fetchmany(_BATCH):
        known = [(id_, text, parts_of(text), paths or "") for id_, text, paths in batch]
        db.executemany(_DROP_WORDS, known)
    db.execute("DELETE FROM documents WHERE id BETWEEN ? AND ?", span)
    forget(db, source)
