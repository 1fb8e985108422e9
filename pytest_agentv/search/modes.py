"""Ways to search: by words, by meaning, or by both."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_agentv.errors import SearchError
from pytest_agentv.search import hashing, lexical, vectors
from pytest_agentv.search.encoder import HOW_TO_INSTALL
from pytest_agentv.search.fusion import fused
from pytest_agentv.search.schema import DOCUMENT_BITS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import TypeAlias

    from pytest_agentv.search.encoder import Encoder
    from pytest_agentv.search.query import Query
    from pytest_agentv.search.settings import VectorSettings

    # The best documents for a query, at most so many, and how good they are.
    Ranked: TypeAlias = Callable[[sqlite3.Connection, Query, int], list[tuple[int, float]]]

MODES = ("lexical", "semantic", "hybrid")


def ranking(mode: str, settings: VectorSettings) -> Ranked:
    """How documents are ranked; SearchError if that cannot be done here."""
    if mode == "lexical":
        return lexical.ranked
    encoder = vectors.encoder(settings)
    if encoder is not None:
        semantic: Ranked = partial(_semantic, encoder)
    elif settings.fallback == "hash":
        semantic = hashing.ranked
    elif settings.enabled:
        raise SearchError(f"--mode {mode} needs the extra: {HOW_TO_INSTALL}")
    else:
        raise SearchError(f"--mode {mode} needs vectors, and index.vector.enabled is false")
    return semantic if mode == "semantic" else partial(_hybrid, semantic)


def is_fallback(mode: str, settings: VectorSettings) -> bool:
    """Whether a mode wants a model and there is none."""
    return mode != "lexical" and not vectors.are_made(settings)


def _semantic(
    encoder: Encoder, db: sqlite3.Connection, query: Query, limit: int
) -> list[tuple[int, float]]:
    if not query.plain:
        return lexical.ranked(db, query, limit)
    return vectors.ranked(db, encoder, query, limit)


def _hybrid(
    semantic: Ranked, db: sqlite3.Connection, query: Query, limit: int
) -> list[tuple[int, float]]:
    """Sessions by their places in both rankings; of each, the best documents of both in turn.

    Sessions and not documents: a prompt may have the words and the answer to it the meaning.
    """
    if not query.plain:
        return lexical.ranked(db, query, limit)
    rankings = [lexical.ranked(db, query, limit), semantic(db, query, limit)]
    documents: dict[int, dict[int, None]] = {}
    for ranking in rankings:
        for id_, _ in ranking:
            documents.setdefault(id_ >> DOCUMENT_BITS, {})[id_] = None
    sessions = fused([id_ >> DOCUMENT_BITS for id_, _ in ranking] for ranking in rankings)
    return [(id_, score) for source, score in sessions for id_ in documents[source]]
