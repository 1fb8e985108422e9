"""The signs of vectors, a bit for each number: what a query compares all documents of an index by.

They are kept in blocks, those of some neighbouring sessions together. A query reads all of them,
and few large rows are read many times as fast as a small one for each session. A block is a
sequence of pieces, in the order of documents: a document's id, then its signs.
"""

from __future__ import annotations

import sqlite3
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_agentv.search.encoder import Encoder
from pytest_agentv.search.schema import DOCUMENT_BITS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# Bytes of a document's id, and of a piece.
NUMBER = 8
WIDTH = NUMBER + Encoder.dimensions // 8

# Sessions of a block, in bits of their numbers: when one changes, all of its block is written.
_BLOCK_BITS = 6
_BLOCKS = 64


def add(db: sqlite3.Connection, model: str, pieces: Iterable[tuple[int, bytes]]) -> None:
    """Put the signs of documents into an index, in a transaction of the caller's."""
    made = ((id_, id_.to_bytes(NUMBER, "little") + bits) for id_, bits in pieces)
    for block, added in groupby(sorted(made), lambda one: one[0] >> DOCUMENT_BITS >> _BLOCK_BITS):
        row = db.execute(
            "SELECT bits FROM signs WHERE block = ? AND model = ?", (block, model)
        ).fetchone()
        known = [] if row is None else [(_document(one), one) for one in _pieces(row[0])]
        joined = b"".join(one for _, one in sorted([*known, *added]))
        db.execute("INSERT OR REPLACE INTO signs VALUES (?, ?, ?)", (block, model, joined))


def drop(db: sqlite3.Connection, sources: Collection[int]) -> None:
    """Take the signs of sessions out of an index, in a transaction of the caller's."""
    gone = frozenset(sources)
    for block in sorted({source >> _BLOCK_BITS for source in gone}):
        rows = db.execute("SELECT model, bits FROM signs WHERE block = ?", (block,)).fetchall()
        for model, bits in rows:
            pieces = _pieces(bits)
            left = [one for one in pieces if _document(one) >> DOCUMENT_BITS not in gone]
            if not left:
                db.execute("DELETE FROM signs WHERE block = ? AND model = ?", (block, model))
            elif len(left) < len(pieces):
                change = "UPDATE signs SET bits = ? WHERE block = ? AND model = ?"
                db.execute(change, (b"".join(left), block, model))


def portions(db: sqlite3.Connection, model: str) -> Iterator[bytes]:
    """All pieces of a model, many at a time."""
    rows = db.execute("SELECT bits FROM signs WHERE model = ? ORDER BY block", (model,))
    while portion := rows.fetchmany(_BLOCKS):
        joined = b"".join(bits for (bits,) in portion)
        _check(joined)
        yield joined


def _pieces(bits: bytes) -> list[bytes]:
    _check(bits)
    return [bits[start : start + WIDTH] for start in range(0, len(bits), WIDTH)]


def _check(bits: bytes) -> None:
    if len(bits) % WIDTH:
        raise sqlite3.DatabaseError("there are vectors of another size")


def _document(piece: bytes) -> int:
    return int.from_bytes(piece[:NUMBER], "little")
