"""Documents by their words, best first: BM25 over the words of texts and the parts of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.globs import is_glob
from pytest_agentv.search.filters import conditions
from pytest_agentv.search.schema import DOCUMENT_BITS
from pytest_agentv.search.tokens import taken_apart

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from pytest_agentv.search.filters import Conditions
    from pytest_agentv.search.query import Query, Term

# Of a session that is found without a word, so many documents are shown.
_FIRST = 3


def ranked(db: sqlite3.Connection, query: Query, limit: int) -> list[tuple[int, float]]:
    """The best documents and how good they are; without a word, those of the newest sessions."""
    where = conditions(db, query)
    expression = matching(query)
    if expression is None:
        return list(_newest(db, query, where, limit))
    sql = "SELECT words.rowid, -words.rank FROM words"
    if where:
        sql += " CROSS JOIN documents AS d ON d.id = words.rowid" if where.needs_document else ""
        condition = where.sql if where.needs_document else where.sql.replace("d.id", "words.rowid")
        sql += f" WHERE words MATCH ? AND {condition}"
    else:
        sql += " WHERE words MATCH ?"
    found = db.execute(f"{sql} ORDER BY words.rank LIMIT ?", (expression, *where.values, limit))
    return [(id_, score) for id_, score in found]


def matching(query: Query) -> str | None:
    """A query in the language of FTS5; None if it wants no word and no path."""
    wanted = [_any_of(map(_either_way, group)) for group in query.wanted]
    paths = [one for one in query.filters if one.name == "path" and not one.negated]
    if paths and not any(is_glob(one.value) for one in paths):
        wanted.append(f"paths : {_any_of(_quoted(one.value) for one in paths)}")
    if not wanted:
        return None
    positive = " AND ".join(wanted)
    if not query.unwanted:
        return positive
    return f"({positive}) NOT {_any_of(map(_either_way, query.unwanted))}"


def _either_way(term: Term) -> str:
    """A term as it was typed, or its parts as they are indexed."""
    star = " *" if term.is_prefix else ""
    ways = dict.fromkeys([term.text, taken_apart(term.text)])
    return _any_of(_quoted(one) + star for one in ways)


def _any_of(expressions: Iterable[str]) -> str:
    return f"({' OR '.join(expressions)})"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def without(where: Conditions, query: Query) -> Conditions:
    """The same conditions, and that no unwanted word stands in a document."""
    if not query.unwanted:
        return where
    unwanted = "d.id NOT IN (SELECT rowid FROM words WHERE words MATCH ?)"
    return where._replace(
        sql=f"{where.sql} AND {unwanted}" if where.sql else unwanted,
        values=(*where.values, _any_of(map(_either_way, query.unwanted))),
    )


def _newest(
    db: sqlite3.Connection, query: Query, where: Conditions, limit: int
) -> Iterator[tuple[int, float]]:
    """The first documents of sessions, the newest session first."""
    where = without(where, query)
    condition = f" AND {where.sql}" if where else ""
    sql = "SELECT d.id FROM documents AS d WHERE d.id BETWEEN ? AND ?"
    sql += f"{condition} LIMIT ?"
    sources = db.execute("SELECT id FROM sources ORDER BY ifnull(ended, modified) DESC, id DESC")
    for (source,) in sources.fetchall():
        if limit <= 0:
            return
        if where.sources is not None and source not in where.sources:
            continue
        first = source << DOCUMENT_BITS
        last = first + (1 << DOCUMENT_BITS) - 1
        asked = (first, last, *where.values, min(_FIRST, limit))
        for (id_,) in db.execute(sql, asked):
            limit -= 1
            yield id_, 0.0
