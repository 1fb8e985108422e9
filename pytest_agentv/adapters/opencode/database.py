"""Sessions of OpenCode in its database, which it has since version 1.2.

It is read from a private copy. Two generations of tables may stand beside each other: ``message``
and ``part``, and ``session_message``, which will hold both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.opencode.later import earlier_form
from pytest_agentv.adapters.opencode.records import About, Info, Part, Revert, Stored, Times
from pytest_agentv.adapters.records import Drift, decoded, record_of
from pytest_agentv.adapters.sqlite import columns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_MAX_SESSIONS = 200_000
_ABOUT = ("id", "parent_id", "directory", "title", "version", "time_created", "time_updated")


class Database:
    """A connection to a copy of the database."""

    def __init__(self, connection: sqlite3.Connection, drift: Drift) -> None:
        self._connection = connection
        self._drift = drift
        self._session = columns(connection, "session")
        self._message = columns(connection, "message")
        self._part = columns(connection, "part")
        self._later = columns(connection, "session_message")

    def sessions(self) -> list[About]:
        """The sessions that are none of another's sub-agent, newest last."""
        found = self._abouts(f"LIMIT {_MAX_SESSIONS}")
        known = {about.id for about in found}
        roots = [about for about in found if about.id and about.parent_id not in known]
        return sorted(roots, key=lambda about: (_created(about), about.id or ""))

    def session(self, id_: str | None) -> About | None:
        """The session of an id, or the first one."""
        if id_ is None:
            return next(iter(self.sessions()), None)
        return next(iter(self._abouts("WHERE id = ? LIMIT 1", id_)), None)

    def _abouts(self, which: str, *values: str) -> list[About]:
        if "id" not in self._session:
            return []
        names = [name if name in self._session else f"NULL AS {name}" for name in _ABOUT]
        revert = "revert" if "revert" in self._session else "NULL"
        query = f"SELECT {', '.join(names)}, {revert} FROM session {which}"  # noqa: S608
        return [_about(row) for row in self._connection.execute(query, values)]

    def messages(self, session_id: str) -> Iterator[Stored]:
        """The messages of a session, from whichever table has them."""
        is_empty = True
        for stored in self._rows(session_id):
            is_empty = False
            yield stored
        if is_empty:
            yield from self._later_rows(session_id)

    def children(self, session_id: str) -> list[str]:
        """The sessions of sub-agents."""
        if not {"id", "parent_id"} <= self._session:
            return []
        query = "SELECT id FROM session WHERE parent_id = ? ORDER BY id LIMIT 10000"
        return [str(id_) for (id_,) in self._connection.execute(query, (session_id,))]

    def _rows(self, session_id: str) -> Iterator[Stored]:
        if not {"id", "session_id", "data"} <= self._message:
            return
        order = "time_created, id" if "time_created" in self._message else "id"
        query = f"SELECT id, data FROM message WHERE session_id = ? ORDER BY {order}"  # noqa: S608
        for id_, data in self._connection.execute(query, (session_id,)):
            info = self._record(data, Info)
            if info is not None:
                info.id = str(id_)
                yield Stored(info, list(self._parts_of(info.id)))

    def _parts_of(self, message_id: str) -> Iterator[Part]:
        if not {"id", "message_id", "data"} <= self._part:
            return
        query = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
        for id_, data in self._connection.execute(query, (message_id,)):
            part = self._record(data, Part)
            if part is not None:
                part.id = str(id_)
                yield part

    def _later_rows(self, session_id: str) -> Iterator[Stored]:
        if not {"id", "session_id", "type", "data"} <= self._later:
            return
        order = "seq" if "seq" in self._later else "id"
        query = f"SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY {order}"  # noqa: S608
        for id_, type_, data in self._connection.execute(query, (session_id,)):
            raw = data.encode() if isinstance(data, str) else data
            value = decoded(raw, self._drift, 1) if isinstance(raw, bytes) else None
            stored = earlier_form(str(id_), str(type_), value, self._drift)
            if stored is not None:
                yield stored

    def _record(self, data: Any, type_: type[Any]) -> Any:
        raw = data.encode() if isinstance(data, str) else data
        found = record_of(raw, type_, self._drift) if isinstance(raw, bytes) else None
        if found is None:
            self._drift.note("unreadable row", 1)
        return found


def _about(row: tuple[Any, ...]) -> About:
    id_, parent, directory, title, version = (
        value if isinstance(value, str) else None for value in row[:5]
    )
    created, updated = (value if isinstance(value, (int, float)) else None for value in row[5:7])
    about = About(id_, parent, directory, title, version, Times(created, updated))
    if isinstance(row[7], str):
        about.revert = record_of(row[7].encode(), Revert, Drift())
    return about


def _created(about: About) -> float:
    return (about.time.created or 0) if about.time else 0
