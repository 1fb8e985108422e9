"""Bringing an index up to date: only what changed is read, and each session is replaced whole.

A process that is killed leaves an index as it was after some session; the next update goes on.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentv.errors import AgentvError
from pytest_agentv.search.listing import changes, list_sessions
from pytest_agentv.search.reading import read_slowly, unreadable
from pytest_agentv.search.schema import clear, transaction
from pytest_agentv.search.vectors import complete
from pytest_agentv.search.workers import read_all
from pytest_agentv.search.writing import Writer, drop_source

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from pytest_agentv.registry import Registry
    from pytest_agentv.search.listing import Changes, Listing
    from pytest_agentv.search.reading import Read
    from pytest_agentv.search.settings import Choices, SearchSettings
    from pytest_agentv.search.workers import Job

_CHOICES = "choices"
# Bytes of sessions that are written in one transaction: each costs a segment to be merged.
_PORTION = 64 << 20
# A session of more bytes is not held in memory, but written while it is read.
_LARGE = 16 << 20


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
    progress: Callable[[int, int], object] | None = None,
    of_vectors: Callable[[int, int], object] | None = None,
) -> Updated:
    """Bring an index up to date.

    ``progress`` is told how many bytes of how many are read, and ``of_vectors`` then how many
    sessions of how many have vectors.
    """
    done = Updated()
    _check_choices(db, settings.choices, done)
    _update_words(db, registry, settings, done, progress)
    complete(db, settings.vector, progress=of_vectors)
    return done


def _update_words(
    db: sqlite3.Connection,
    registry: Registry,
    settings: SearchSettings,
    done: Updated,
    progress: Callable[[int, int], object] | None,
) -> None:
    """All but vectors; what is known of files is forgotten before a model needs the memory."""
    listing = list_sessions(registry, settings)
    found = changes(db, listing)
    _write_roots(db, found, listing)
    done.unchanged = found.unchanged
    done.removed = len(found.gone)
    done.notes += _notes(found, listing, settings)
    _Update(db, registry, settings.choices, done, progress).write(found.changed)


def rebuild(db: sqlite3.Connection) -> None:
    """Empty an index, so that the next update reads everything."""
    with transaction(db):
        clear(db)


class _Update:
    """Sessions on their way into an index."""

    def __init__(
        self,
        db: sqlite3.Connection,
        registry: Registry,
        choices: Choices,
        done: Updated,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self._db = db
        self._registry = registry
        self._choices = choices
        self._done = done
        self._progress = progress
        self._writer = Writer(db)
        self._total = self._read = 0

    def write(self, jobs: Sequence[Job]) -> None:
        """Read and write them."""
        if not jobs:
            return
        self._total = sum(job[0].ref.size for job in jobs)
        self._write_small([job for job in jobs if job[0].ref.size < _LARGE])
        for job in jobs:
            if job[0].ref.size >= _LARGE:
                self._write_large(job)
        if self._total >= _PORTION:
            self._db.execute("INSERT INTO words(words) VALUES ('optimize')")

    def _write_small(self, jobs: Sequence[Job]) -> None:
        with closing(read_all(jobs, self._registry, self._choices)) as reads:
            is_over = False
            while not is_over:
                is_over = True
                end = self._read + _PORTION
                with transaction(self._db):
                    for job, read in reads:
                        self._write(job, read)
                        if self._read >= end:
                            is_over = False
                            break

    def _write_large(self, job: Job) -> None:
        """Write a session while it is read; if that fails, all of it is taken back."""
        adapter = self._registry.adapter(job[0].adapter)
        try:
            with transaction(self._db):
                self._write(job, read_slowly(adapter, job[0].ref, self._choices))
        except AgentvError as exc:
            self._writer.forget_tools()
            with transaction(self._db):
                self._write(job, unreadable(job[0].ref, exc))

    def _write(self, job: Job, read: Read) -> None:
        one, old = job
        self._writer.write(one, old, read)
        self._read += one.ref.size
        self._done.failed += read.error is not None
        if old is None:
            self._done.added += 1
        else:
            self._done.changed += 1
        if self._progress is not None:
            self._progress(self._read, self._total)


def _check_choices(db: sqlite3.Connection, choices: Choices, done: Updated) -> None:
    """Begin anew if the index was made by other choices."""
    wanted = json.dumps(choices.as_dict(), sort_keys=True)
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_CHOICES,)).fetchone()
    if row is not None and row[0] == wanted:
        return
    with transaction(db):
        if row is not None:
            clear(db)
            done.rebuilt = True
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_CHOICES, wanted))


def _notes(found: Changes, listing: Listing, settings: SearchSettings) -> list[str]:
    notes = [
        f"{os.fsdecode(path)}: {why}; of {adapter}, no session is read from there"
        for (adapter, path), why in sorted(listing.missing.items())
        # Places of clients that nobody uses are missing everywhere; those that somebody named not.
        if adapter in settings.places and (adapter, path) not in found.kept
    ]
    for (adapter, path), count in sorted(found.kept.items()):
        why = listing.missing.get((adapter, path), "no session is there now")
        sessions = "1 session" if count == 1 else f"{count} sessions"
        notes.append(
            f"{os.fsdecode(path)}: {why}; of {adapter}, {sessions} from there "
            f"{'stays' if count == 1 else 'stay'} in the index until agentv index rebuild"
        )
    return notes


def _write_roots(db: sqlite3.Connection, found: Changes, listing: Listing) -> None:
    """Write down where sessions were looked for, and take away those that are gone."""
    current = listing.roots | listing.missing.keys()
    known = {
        (adapter, path): (id_, bool(is_current))
        for id_, adapter, path, is_current in db.execute(
            "SELECT id, adapter, path, current FROM roots"
        )
    }
    stay = {one for one in known if one in current or one[0] in listing.wandering}
    new = sorted(current - known.keys())
    switched = [(one in stay, id_) for one, (id_, was) in known.items() if (one in stay) != was]
    if not (new or switched or found.moved or found.gone):
        return
    with transaction(db):
        db.executemany("INSERT INTO roots(adapter, path, current) VALUES (?, ?, 1)", new)
        db.executemany("UPDATE roots SET current = ? WHERE id = ?", switched)
        db.executemany(
            "UPDATE sources SET root = (SELECT id FROM roots WHERE adapter = sources.adapter AND "
            "path = ?) WHERE id = ?",
            [(root, id_) for id_, root in found.moved],
        )
        for source in found.gone:
            drop_source(db, source)
