"""Signs of vectors lie together in blocks of sessions; each session comes and goes alone."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest

from pytest_agentv.search import signs
from pytest_agentv.search.schema import DOCUMENT_BITS, open_index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BITS = bytes(signs.WIDTH - signs.NUMBER)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(open_index(tmp_path / "index.db")) as opened:
        yield opened


def _add(db: sqlite3.Connection, *sources: int, documents: int = 2, model: str = "m") -> None:
    ids = [(one << DOCUMENT_BITS) + each for one in sources for each in range(1, documents + 1)]
    signs.add(db, model, [(id_, _BITS) for id_ in ids])


def _sources(db: sqlite3.Connection, model: str = "m") -> list[int]:
    joined = b"".join(signs.portions(db, model))
    starts = range(0, len(joined), signs.WIDTH)
    ids = [int.from_bytes(joined[one : one + signs.NUMBER], "little") for one in starts]
    assert ids == sorted(ids)
    return [id_ >> DOCUMENT_BITS for id_ in ids]


def test_signs_are_read_in_the_order_of_documents_whenever_they_came(
    db: sqlite3.Connection,
) -> None:
    _add(db, 70, 200)
    _add(db, 1, 69)

    assert _sources(db) == [1, 1, 69, 69, 70, 70, 200, 200]


def test_many_sessions_take_few_rows(db: sqlite3.Connection) -> None:
    _add(db, *range(1, 257))

    assert len(_sources(db)) == 512
    assert db.execute("SELECT count(*) FROM signs").fetchone()[0] <= 5


def test_a_session_goes_without_its_neighbours(db: sqlite3.Connection) -> None:
    _add(db, 1, 2, 3, 100)
    signs.drop(db, [2, 100, 5, 7000])

    assert _sources(db) == [1, 1, 3, 3]
    assert db.execute("SELECT count(*) FROM signs").fetchone() == (1,)


def test_a_session_goes_from_every_model(db: sqlite3.Connection) -> None:
    _add(db, 1, 2)
    _add(db, 1, 2, model="other")
    signs.drop(db, [1])

    assert _sources(db) == _sources(db, "other") == [2, 2]


def test_a_block_of_another_size_is_damage(db: sqlite3.Connection) -> None:
    _add(db, 1)
    db.execute("UPDATE signs SET bits = x'00'")

    for use in (lambda: _add(db, 2), lambda: signs.drop(db, [1]), lambda: _sources(db)):
        with pytest.raises(sqlite3.DatabaseError, match="vectors of another size"):
            use()
