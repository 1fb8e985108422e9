"""Documents by likeness of letters: what stands in for vectors where no model is installed.

Documents that have any word of a query, or one that begins like it, are compared with the query by
groups of three letters, as sets of their hashes: `expires` is like `expiry`. Nothing is stored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_agentv.search import lexical
from pytest_agentv.search.query import Query, Term
from pytest_agentv.search.tokens import folded, taken_apart, words_of

if TYPE_CHECKING:
    import sqlite3

# Documents that are compared, the best by their words.
_CANDIDATES = 300
# Characters of them.
_LONGEST = 2_000
# A word that more than one in so many documents has says little.
_COMMON = 50
# Of longer words the beginning is enough: endings change.
_STEM = 5
_ENDING = 3
_GROUP = 3


def ranked(db: sqlite3.Connection, query: Query, limit: int) -> list[tuple[int, float]]:
    """The documents most like a query, and how like: 1 is all of its groups of letters."""
    # Of each word alone: what stands between words differs.
    wanted = {group for word in words_of(taken_apart(query.plain)) for group in _groups(word)}
    if not wanted:
        return lexical.ranked(db, query, limit)
    loose = loosened(db, query)
    candidates = [id_ for id_, _ in lexical.ranked(db, loose, max(limit, _CANDIDATES))]
    rows = db.execute(
        f"SELECT id, substr(text, 1, {_LONGEST}) FROM documents "  # noqa: S608 (numbers only)
        f"WHERE id IN ({','.join(map(str, candidates))})"
    )
    likeness = {id_: len(wanted & _groups(text)) / len(wanted) for id_, text in rows}
    # Of equals, those stay first that were.
    return sorted(
        ((id_, likeness[id_]) for id_ in candidates), key=lambda one: -one[1]
    )[:limit]  # fmt: skip


def loosened(db: sqlite3.Connection, query: Query) -> Query:
    """The query for documents that have any of its words, or one with the same beginning."""
    words = list(dict.fromkeys(words_of(taken_apart(query.plain))))
    terms = [_beginning(word) for word in words]
    (documents,) = db.execute("SELECT ifnull(sum(documents), 0) FROM sources").fetchone()
    most = max(documents // _COMMON, _CANDIDATES)
    rare = [term for term in terms if not _is_common(db, term, most=most)]
    return replace(query, wanted=(tuple(rare or terms),) if terms else ())


def _beginning(word: str) -> Term:
    if len(word) < _STEM:
        return Term(word)
    return Term(word[: max(_STEM, len(word) - _ENDING)], is_prefix=True)


def _is_common(db: sqlite3.Connection, term: Term, *, most: int) -> bool:
    counted = db.execute(
        "SELECT count(*) FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)",
        (lexical.matching(Query(wanted=((term,),))), most + 1),
    )
    return bool(counted.fetchone()[0] > most)


def _groups(text: str) -> set[int]:
    """The hashes of all groups of three characters."""
    flat = folded(text)
    return {hash(flat[place : place + _GROUP]) for place in range(len(flat) - _GROUP + 1)}
