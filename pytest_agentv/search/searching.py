"""Sessions that a query finds, the best first, each with what was found and what stands around."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.errors import QueryError
from pytest_agentv.search.modes import ranking
from pytest_agentv.search.schema import DOCUMENT_BITS, MOST_DOCUMENTS, one_state
from pytest_agentv.search.settings import VectorSettings
from pytest_agentv.search.snippets import Snippet, snippet

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from pytest_agentv.search.modes import Ranked
    from pytest_agentv.search.query import Query, Term

# Documents of one session that are shown.
PER_SESSION = 3
# Documents that are looked at for each session that is wanted, at first.
_DOCUMENTS = 10


class Said(NamedTuple):
    """A document, as it is shown."""

    id: int
    role: str
    tool: str | None
    time: int | None
    line: int | None
    thread: str | None
    snippet: Snippet


class Match(NamedTuple):
    """A document that was found, and those around it."""

    said: Said
    score: float
    before: tuple[Said, ...] = ()
    after: tuple[Said, ...] = ()


class Hit(NamedTuple):
    """A session in which something was found."""

    source: int
    adapter: str
    path: Path
    row: int | str | None
    # The id by which its adapter finds it, and that which it has in itself.
    ref: str
    session: str
    provider: str | None
    project: str | None
    branch: str | None
    model: str | None
    title: str | None
    prompt: str | None
    started: int | None
    ended: int | None
    score: float
    matches: tuple[Match, ...]


def search(
    db: sqlite3.Connection,
    query: Query,
    *,
    mode: str = "lexical",
    vector: VectorSettings | None = None,
    limit: int = 20,
    context: int = 0,
    per_session: int = PER_SESSION,
    fresh: Callable[[], Callable[[str], str]] | None = None,
) -> list[Hit]:
    """The sessions that a query finds, at most so many.

    ``fresh`` makes what texts of one session have to go through before any of it is shown.
    """
    if not query:
        raise QueryError("there is nothing to search for")
    ranked = ranking(mode, vector or VectorSettings())
    with one_state(db):
        best = _best_of_sessions(db, query, ranked, limit)
        return [
            _hit(db, source, found[:per_session], _Shown(query.terms, context, fresh and fresh()))
            for source, found in list(best.items())[:limit]
        ]


def _best_of_sessions(
    db: sqlite3.Connection, query: Query, ranked: Ranked, limit: int
) -> dict[int, list[tuple[int, float]]]:
    """Documents by session, in the order of the best of each."""
    wanted = limit * _DOCUMENTS
    while True:
        found = ranked(db, query, wanted)
        sessions: dict[int, list[tuple[int, float]]] = {}
        for id_, score in found:
            sessions.setdefault(id_ >> DOCUMENT_BITS, []).append((id_, score))
        if len(sessions) >= limit or len(found) < wanted:
            return sessions
        wanted *= _DOCUMENTS


class _Shown(NamedTuple):
    """How documents of a session are shown."""

    terms: Sequence[Term]
    context: int
    clean: Callable[[str], str] | None

    def snippet(self, text: str) -> Snippet:
        """A part of a text: of what is left of all of it, so that no half secret gets through."""
        return snippet(text if self.clean is None else self.clean(text), self.terms)


def _hit(
    db: sqlite3.Connection, source: int, found: Sequence[tuple[int, float]], shown: _Shown
) -> Hit:
    row = db.execute(
        "SELECT adapter, path, row, ref, session, provider, project, branch, model, title, prompt, "
        "started, ended FROM sources WHERE id = ?",
        (source,),
    ).fetchone()
    matches = tuple(_match(db, id_, score, shown) for id_, score in found)
    adapter, path, *about = row
    known = (source, adapter, Path(os.fsdecode(path)), *about)
    return Hit._make((*known, found[0][1], matches))


def _match(db: sqlite3.Connection, id_: int, score: float, shown: _Shown) -> Match:
    (found,) = _said(db, "d.id = ?", (id_,), shown)
    if not shown.context:
        return Match(found, score)
    first = id_ >> DOCUMENT_BITS << DOCUMENT_BITS
    last = first + MOST_DOCUMENTS
    before = "d.id >= ? AND d.id < ? ORDER BY d.id DESC LIMIT ?"
    after = "d.id > ? AND d.id <= ? ORDER BY d.id LIMIT ?"
    return Match(
        found,
        score,
        tuple(reversed(_said(db, before, (first, id_, shown.context), shown))),
        tuple(_said(db, after, (id_, last, shown.context), shown)),
    )


def _said(db: sqlite3.Connection, which: str, values: tuple[int, ...], shown: _Shown) -> list[Said]:
    sql = (
        "SELECT d.id, d.role, tools.name, d.time, d.line, d.thread, d.text FROM documents AS d "
        "LEFT JOIN tools ON tools.id = d.tool WHERE "
    )
    rows = db.execute(sql + which, values)
    return [Said._make((*about, shown.snippet(text))) for *about, text in rows]
