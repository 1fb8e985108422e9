"""What is in an index, counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import sqlite3


class AgentStatus(NamedTuple):
    """The sessions of one adapter."""

    adapter: str
    sessions: int
    documents: int
    # Documents that are longer than what is kept of them.
    cut: int
    unreadable: int
    newest: int | None


class Status(NamedTuple):
    """The sessions of an index."""

    agents: list[AgentStatus]
    # What was wrong with those that could not be read, each with its file.
    errors: list[str]
    # The choices that shaped it.
    settings: dict[str, Any]


def status_of(db: sqlite3.Connection) -> Status:
    """What is in an index."""
    agents = db.execute(
        "SELECT adapter, count(*), sum(documents), sum(cut), count(error), max(ended) "
        "FROM sources GROUP BY adapter ORDER BY adapter"
    )
    errors = db.execute("SELECT error FROM sources WHERE error IS NOT NULL ORDER BY error")
    choices = db.execute("SELECT value FROM meta WHERE key = 'choices'").fetchone()
    return Status(
        [AgentStatus(*row) for row in agents],
        [error for (error,) in errors],
        {} if choices is None else json.loads(choices[0]),
    )
