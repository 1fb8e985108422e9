"""Bringing an index up to date: only what changed is read, and each session is replaced whole.

A process that is killed leaves an index as it was after some session; the next update goes on.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from pytest_agentv.errors import AgentvError
from pytest_agentv.search.documents import documents_of
from pytest_agentv.search.listing import changes, list_sessions
from pytest_agentv.search.reading import About, about, opened
from pytest_agentv.search.schema import DOCUMENT_BITS, MOST_DOCUMENTS, clear, transaction
from pytest_agentv.search.tokens import parts_of
from pytest_agentv.search.vectors import complete, encoder, forget

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from pytest_agentv.registry import Registry
    from pytest_agentv.search.documents import Document
    from pytest_agentv.search.listing import Changes, Found, Listing
    from pytest_agentv.search.settings import Choices, SearchSettings

_CHOICES = "choices"
# Bytes of sessions that are written in one transaction: each costs a segment to be merged.
_PORTION = 64 << 20
_BATCH = 500
_ADD_DOCUMENT = "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_WORDS = "INSERT INTO words(rowid, text, parts, paths) VALUES (?, ?, ?, ?)"
_DROP_WORDS = "INSERT INTO words(words, rowid, text, parts, paths) VALUES ('delete', ?, ?, ?, ?)"


@dataclass
class Updated:
    """What an update did, in sessions."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    # Could not be read; they are not tried again until they change.
    failed: int = 0
    rebuilt: bool = False
    # What could not be looked into, and how many sessions stay for that: a sentence each.
    notes: list[str] = field(default_factory=list)


def update(
    db: sqlite3.Connection,
    registry: Registry,
    settings: SearchSettings,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Updated:
    """Bring an index up to date; ``progress`` is told how many bytes of how many are done."""
    done = Updated()
    _check_choices(db, settings.choices, done)
    listing = list_sessions(registry, settings)
    found = changes(db, listing)
    done.unchanged = found.unchanged
    done.notes += _notes(found, listing)
    roots = _write_roots(db, found, listing)
    done.removed = len(found.gone)
    writer = _Writer(db, settings.choices, roots, done)
    total = sum(one.ref.size for one, _ in found.changed)
    read = 0
    for portion in _portions(found.changed):
        with transaction(db):
            for one, old in portion:
                writer.write(registry, one, old)
                read += one.ref.size
                if progress is not None:
                    progress(read, total)
    vectors = encoder(settings.vector)
    if vectors is not None:
        complete(db, vectors)
    return done


def rebuild(db: sqlite3.Connection) -> None:
    """Empty an index, so that the next update reads everything."""
    with transaction(db):
        clear(db)


def _check_choices(db: sqlite3.Connection, choices: Choices, done: Updated) -> None:
    wanted = json.dumps(choices.as_dict(), sort_keys=True)
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_CHOICES,)).fetchone()
    if row is not None and row[0] == wanted:
        return
    with transaction(db):
        if row is not None:
            clear(db)
            done.rebuilt = True
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_CHOICES, wanted))


def _notes(found: Changes, listing: Listing) -> list[str]:
    notes = []
    for (adapter, path), count in sorted(found.kept.items()):
        why = listing.missing.get((adapter, path), "it has no session now")
        notes.append(
            f"{os.fsdecode(path)}: {why}; {count} sessions of {adapter} that were there stay in "
            "the index (agentv index rebuild drops them)"
        )
    return notes


def _write_roots(
    db: sqlite3.Connection, found: Changes, listing: Listing
) -> dict[tuple[str, bytes], int]:
    """Write down where sessions were looked for, and take away those that are gone."""
    current = listing.roots | listing.missing.keys()
    known = {
        (adapter, path): (id_, bool(is_current))
        for id_, adapter, path, is_current in db.execute("SELECT * FROM roots")
    }
    stay = {one for one in known if one in current or one[0] in listing.wandering}
    new = current - known.keys()
    switched = [(one in stay, id_) for one, (id_, was) in known.items() if (one in stay) != was]
    if new or switched or found.moved or found.gone:
        with transaction(db):
            for adapter, path in sorted(new):
                db.execute(
                    "INSERT INTO roots(adapter, path, current) VALUES (?, ?, 1)", (adapter, path)
                )
            db.executemany("UPDATE roots SET current = ? WHERE id = ?", switched)
            db.executemany(
                "UPDATE sources SET root = (SELECT id FROM roots WHERE adapter = sources.adapter "
                "AND path = ?) WHERE id = ?",
                [(root, id_) for id_, root in found.moved],
            )
            for source in found.gone:
                _drop_documents(db, source)
                db.execute("DELETE FROM sources WHERE id = ?", (source,))
    rows = db.execute("SELECT adapter, path, id FROM roots")
    return {(adapter, path): id_ for adapter, path, id_ in rows}


def _portions(
    found: list[tuple[Found, int | None]],
) -> Iterator[list[tuple[Found, int | None]]]:
    portion: list[tuple[Found, int | None]] = []
    size = 0
    for one in found:
        portion.append(one)
        size += one[0].ref.size
        if size >= _PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


class _Writer:
    """Writes sessions, in transactions of the caller's."""

    def __init__(
        self,
        db: sqlite3.Connection,
        choices: Choices,
        roots: dict[tuple[str, bytes], int],
        done: Updated,
    ) -> None:
        self._db = db
        self._choices = choices
        self._roots = roots
        self._done = done
        self._tools: dict[tuple[str, str], int] = {
            (name, kind): id_ for id_, name, kind in db.execute("SELECT id, name, kind FROM tools")
        }

    def write(self, registry: Registry, one: Found, old: int | None) -> None:
        """Put a session in the place of what the index knows of it."""
        db = self._db
        db.execute("SAVEPOINT session")
        source = self._source(one, old)
        try:
            stream = opened(registry.adapter(one.adapter), one.ref, self._choices)
            told = about(stream, one.ref)
            counts = self._write_documents(source, documents_of(stream, self._choices))
            error = None
        except AgentvError as exc:
            db.execute("ROLLBACK TO session")
            source = self._source(one, old)
            told, counts, error = About(one.ref.session_id), _Counts(), str(exc)
            self._done.failed += 1
        db.execute(
            "UPDATE sources SET session = ?, provider = ?, project = ?, branch = ?, model = ?, "
            "title = ?, prompt = ?, started = ?, ended = ?, messages = ?, documents = ?, cut = ?, "
            "error = ? WHERE id = ?",
            (
                *told[:-1],
                told.ended or counts.latest,
                counts.messages,
                counts.documents,
                counts.cut,
                error,
                source,
            ),
        )
        db.execute("RELEASE session")
        if old is None:
            self._done.added += 1
        else:
            self._done.changed += 1

    def _source(self, one: Found, old: int | None) -> int:
        """The number of a session, without any document."""
        root = self._roots[one.adapter, one.root]
        if old is not None:
            _drop_documents(self._db, old)
            self._db.execute(
                "UPDATE sources SET root = ?, size = ?, modified = ? WHERE id = ?",
                (root, one.ref.size, one.modified, old),
            )
            return old
        adapter, path, row = one.place
        cursor = self._db.execute(
            "INSERT INTO sources(adapter, path, row, root, size, modified, session, documents, cut)"
            " VALUES (?, ?, ?, ?, ?, ?, '', 0, 0)",
            (adapter, path, row, root, one.ref.size, one.modified),
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
                _ADD_WORDS, [_words(id_, one.text, one.paths) for id_, one in batch]
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
            self.messages += one.role in ("user", "assistant", "system")
            self.cut += one.is_cut
            if one.time is not None and (self.latest is None or one.time > self.latest):
                self.latest = one.time


def _words(id_: int, text: str, paths: str | None) -> tuple[int, str, str, str]:
    """What is indexed of a document. FTS5 has to be given the same to forget it."""
    return id_, text, parts_of(text), paths or ""


def _drop_documents(db: sqlite3.Connection, source: int) -> None:
    first = source << DOCUMENT_BITS
    span = first, first + MOST_DOCUMENTS
    rows = db.execute("SELECT id, text, paths FROM documents WHERE id BETWEEN ? AND ?", span)
    while batch := rows.fetchmany(_BATCH):
        db.executemany(_DROP_WORDS, [_words(*row) for row in batch])
    db.execute("DELETE FROM documents WHERE id BETWEEN ? AND ?", span)
    forget(db, source)
