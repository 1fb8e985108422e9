"""Documents by what they mean: vectors beside the documents, and those nearest to a query.

Vectors are compared in two steps. The signs of their numbers, a bit each, are kept together: all
of an index are compared in milliseconds. Of those that agree best, the vectors themselves are read.
Only what people and models said has a vector, not calls and what clients add.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import TYPE_CHECKING

from pytest_agentv.search import encoder as model
from pytest_agentv.search import signs
from pytest_agentv.search.encoder import LONGEST, Encoder
from pytest_agentv.search.filters import conditions
from pytest_agentv.search.lexical import without
from pytest_agentv.search.schema import DOCUMENT_BITS, MOST_DOCUMENTS, transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pytest_agentv.search.filters import Conditions
    from pytest_agentv.search.query import Query
    from pytest_agentv.search.settings import VectorSettings

ROLES = ("title", "user", "assistant")

# Sessions whose vectors are written at once.
_SESSIONS = 200
# Vectors that are read for each document that is wanted, and at least. Signs alone put the nearest
# vectors among so many; asking for twice as many finds nothing more.
_CANDIDATES = 4
_FEWEST = 500
_GROWTH = 4
_CACHE_KIB = 8_000


def are_made(settings: VectorSettings) -> bool:
    """Whether vectors are wanted and the extra for them is installed."""
    return settings.enabled and model.is_installed()


def encoder(settings: VectorSettings) -> Encoder | None:
    """The model, loaded; None if no vectors are made."""
    return _loaded(settings.precision) if are_made(settings) else None


def lacking(db: sqlite3.Connection, settings: VectorSettings) -> list[int]:
    """The sessions that have no vectors yet, though they are to have some."""
    if not are_made(settings):
        return []
    rows = db.execute(
        "SELECT id FROM sources WHERE vectors IS NOT ? ORDER BY id",
        (model.name_of(settings.precision),),
    )
    return [source for (source,) in rows]


def complete(
    db: sqlite3.Connection,
    settings: VectorSettings,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Make the vectors of all sessions that lack them.

    ``progress`` is told how many sessions of how many are done. A process that is killed leaves
    a session without any vector or with all of them.
    """
    sources = lacking(db, settings)
    # The model is loaded only if there is something to do: most updates find nothing new.
    encoding = encoder(settings) if sources else None
    if encoding is None:
        return
    # All documents pass once: the model gets the memory that a cache of them would take.
    (cached,) = db.execute("PRAGMA cache_size").fetchone()
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    db.execute("PRAGMA shrink_memory")
    for first in range(0, len(sources), _SESSIONS):
        with transaction(db):
            _store(db, encoding, sources[first : first + _SESSIONS])
        if progress is not None:
            progress(min(first + _SESSIONS, len(sources)), len(sources))
    db.execute(f"PRAGMA cache_size = {cached}")


def forget(db: sqlite3.Connection, source: int) -> None:
    """Drop the vectors of a session, in a transaction of the caller's."""
    first = source << DOCUMENT_BITS
    span = first, first + MOST_DOCUMENTS
    signs.drop(db, (source,))
    db.execute("DELETE FROM vectors WHERE document BETWEEN ? AND ?", span)
    db.execute("UPDATE sources SET vectors = NULL WHERE id = ?", (source,))


def ranked(
    db: sqlite3.Connection, encoder: Encoder, query: Query, limit: int
) -> list[tuple[int, float]]:
    """The documents nearest to the words of a query, and how near: 1 is the same."""
    import numpy as np  # noqa: PLC0415 (heavy, and of an extra)

    wanted = encoder.vector(query.plain)
    where = without(conditions(db, query), query)
    ids, distances = _distances(db, encoder, wanted, where.sources)
    nearest = ids[np.argsort(distances, kind="stable")]
    found: list[tuple[int, float]] = []
    first, size = 0, max(limit * _CANDIDATES, _FEWEST)
    while first < len(nearest) and len(found) < limit:
        found += _likeness(db, encoder, wanted, nearest[first : first + size].tolist(), where)
        first, size = first + size, size * _GROWTH
    found.sort(key=lambda one: -one[1])
    return found[:limit]


@cache
def _loaded(precision: str) -> Encoder:
    return Encoder(precision)


def _store(db: sqlite3.Connection, encoder: Encoder, sources: Sequence[int]) -> None:
    for source in sources:
        forget(db, source)
    ids: list[int] = []
    blobs = list(encoder.encode(_texts(db, sources, ids)))
    db.executemany("INSERT INTO vectors VALUES (?, ?)", zip(ids, blobs, strict=True))
    signs.add(db, encoder.name, zip(ids, _signs(encoder, blobs), strict=True))
    db.executemany(
        "UPDATE sources SET vectors = ? WHERE id = ?", [(encoder.name, one) for one in sources]
    )


def _texts(db: sqlite3.Connection, sources: Sequence[int], ids: list[int]) -> Iterator[str]:
    """The texts that get a vector; their documents are added to ``ids``."""
    marks = ",".join("?" * len(ROLES))
    sql = (
        f"SELECT id, substr(text, 1, {LONGEST}) FROM documents "  # noqa: S608 (no value is in it)
        f"WHERE id BETWEEN ? AND ? AND role IN ({marks})"
    )
    for source in sources:
        first = source << DOCUMENT_BITS
        for id_, text in db.execute(sql, (first, first + MOST_DOCUMENTS, *ROLES)):
            ids.append(id_)
            yield text


def _signs(encoder: Encoder, blobs: Sequence[bytes]) -> list[bytes]:
    import numpy as np  # noqa: PLC0415 (heavy, and of an extra)

    if not blobs:
        return []
    return [row.tobytes() for row in np.packbits(encoder.stored(blobs) > 0, axis=1)]


def _distances(
    db: sqlite3.Connection,
    encoder: Encoder,
    wanted: NDArray[np.float32],
    sources: frozenset[int] | None,
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """The documents of an index, and in how many signs each differs from what is wanted."""
    import numpy as np  # noqa: PLC0415 (heavy, and of an extra)

    wanted_signs = np.packbits(wanted > 0).view("<u8")
    numbers = None if sources is None else np.fromiter(sources, np.int64, len(sources))
    ids = [np.empty(0, np.int64)]
    distances = [np.empty(0, np.uint16)]
    for portion in signs.portions(db, encoder.name):
        table = np.frombuffer(portion, "<u8").reshape(-1, signs.WIDTH // signs.NUMBER)
        documents = table[:, 0].astype(np.int64)
        if numbers is not None:
            passes = np.isin(documents >> DOCUMENT_BITS, numbers)
            table, documents = table[passes], documents[passes]
        ids.append(documents)
        differing = np.bitwise_count(table[:, 1:] ^ wanted_signs)
        distances.append(differing.sum(axis=1, dtype=np.uint16))
    return np.concatenate(ids), np.concatenate(distances)


def _likeness(
    db: sqlite3.Connection,
    encoder: Encoder,
    wanted: NDArray[np.float32],
    ids: Sequence[int],
    where: Conditions,
) -> list[tuple[int, float]]:
    """Of some documents those that pass, and how near each is."""
    join = "JOIN documents AS d ON d.id = v.document" if where else ""
    condition = f"AND {where.sql}" if where else ""
    rows = db.execute(
        f"SELECT v.document, v.vector FROM vectors AS v {join} "  # noqa: S608 (numbers only)
        f"WHERE v.document IN ({','.join(map(str, ids))}) {condition}",
        where.values,
    ).fetchall()
    size = len(wanted) * encoder.item_size
    if any(len(blob) != size for _, blob in rows):
        raise sqlite3.DatabaseError("there are vectors of another size")
    likeness = encoder.stored([blob for _, blob in rows]) @ wanted
    return [(id_, score) for (id_, _), score in zip(rows, likeness.tolist(), strict=True)]
