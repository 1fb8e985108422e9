"""An index of a user's sessions, for tests: updated by what the package has, asked in one line."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from pytest_agentv.plugins import registry
from pytest_agentv.search.indexing import update
from pytest_agentv.search.query import parse_query
from pytest_agentv.search.schema import open_index, open_to_read
from pytest_agentv.search.searching import search
from pytest_agentv.search.settings import Choices, SearchSettings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentv_command import ClaudeHome

    from pytest_agentv.registry import Registry
    from pytest_agentv.search.indexing import Updated
    from pytest_agentv.search.searching import Hit


class Index:
    """The index in a file, of the sessions in the homes that the environment names."""

    def __init__(self, path: Path, home: ClaudeHome, *, known: Registry | None = None) -> None:
        self.path = path
        self.home = home
        self._known = known or registry()

    def update(
        self,
        *,
        places: dict[str, tuple[str, ...]] | None = None,
        progress: Callable[[int, int], object] | None = None,
        **choices: Any,
    ) -> Updated:
        settings = SearchSettings(
            choices=Choices(**choices), places=places or {}, environ=dict(os.environ)
        )
        with contextlib.closing(open_index(self.path)) as db:
            return update(db, self._known, settings, progress=progress)

    def search(self, text: str, **options: Any) -> list[Hit]:
        with contextlib.closing(open_to_read(self.path)) as db:
            return search(db, parse_query(text), **options)

    def found(self, text: str, **options: Any) -> list[str]:
        """The first eight characters of the ids of what is found."""
        return [hit.session[:8] for hit in self.search(text, **options)]

    @contextlib.contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(open_to_read(self.path)) as db:
            yield db

    def content(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that is in it, but for the numbers that things happen to have."""
        with contextlib.closing(open_index(self.path)) as db:
            return content(db)


def content(db: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Sources, documents and every word of an index, in an order that no history changes."""
    db.execute("CREATE VIRTUAL TABLE temp.word_places USING fts5vocab(main, words, instance)")
    return {name: sorted(db.execute(sql), key=repr) for name, sql in _CONTENT.items()}


_CONTENT = {
    "sources": """
        SELECT adapter, path, row, ref, size, session, provider, project, branch, model, title,
            prompt, started, ended, messages, documents, cut, error
        FROM sources
    """,
    "documents": """
        SELECT sources.adapter, sources.path, sources.row, documents.id & 0xffffff,
            role, name, kind, time, line, thread, paths, text
        FROM documents JOIN sources ON sources.id = documents.id >> 24
        LEFT JOIN tools ON tools.id = documents.tool
    """,
    "words": """
        SELECT sources.adapter, sources.path, sources.row, doc & 0xffffff, term, col, offset
        FROM word_places LEFT JOIN sources ON sources.id = doc >> 24
    """,
}
