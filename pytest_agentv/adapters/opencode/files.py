"""Sessions of OpenCode in JSON: an export, or the files it kept them in before version 1.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from pytest_agentv.adapters.opencode.records import About, Info, Part, Stored
from pytest_agentv.adapters.places import files_below
from pytest_agentv.adapters.records import read_document, record_of
from pytest_agentv.errors import Location, SessionError, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.records import Drift

_JSON = ".json"
_Read = TypeVar("_Read", bound=msgspec.Struct)


class _Export(msgspec.Struct):
    info: About | None = None
    messages: list[msgspec.Raw] | None = None


class _Message(msgspec.Struct):
    info: Info | None = None
    parts: list[Part] | None = None


class Export:
    """One session, as ``opencode export`` prints it."""

    def __init__(self, path: Path, drift: Drift) -> None:
        self._drift = drift
        document = read_document(path, _Export, drift)
        if document.messages is None:
            raise SessionUnreadable("is no export of OpenCode's", at=Location(path))
        self.about = document.info or About()
        self._messages = document.messages

    def messages(self, session_id: str) -> Iterator[Stored]:  # noqa: ARG002 (there is but one)
        """The messages of the session."""
        for raw in self._messages:
            message = record_of(raw, _Message, self._drift)
            if message is not None and message.info is not None:
                yield Stored(message.info, message.parts or [])
            else:
                self._drift.note("message without its head", 1)

    def children(self, session_id: str) -> list[str]:  # noqa: ARG002
        """None: an export holds one session."""
        return []


class Storage:
    """A folder with files for sessions, for messages and for parts."""

    def __init__(self, session: Path, drift: Drift) -> None:
        """``session``: the file that tells of a session."""
        self._folder = session.parent
        self._root = session.parents[2]
        self._drift = drift
        self.about = read_document(session, About, drift)

    def messages(self, session_id: str) -> Iterator[Stored]:
        """The messages of a session; their names are in the order they were written in."""
        found = [
            (info.time.created or 0 if info.time else 0, path.stem, info)
            for path in files_below(self._root / "message" / session_id, _JSON, depth=0)
            if (info := self._read(path, Info)) is not None
        ]
        for _, name, info in sorted(found, key=lambda one: one[:2]):
            parts = (
                self._read(path, Part)
                for path in files_below(self._root / "part" / name, _JSON, depth=0)
            )
            yield Stored(info, [part for part in parts if part is not None])

    def children(self, session_id: str) -> list[str]:
        """The sessions that say they are of sub-agents of this one."""
        return [
            path.stem
            for path in files_below(self._folder, _JSON, depth=0)
            if (about := self._read(path, About)) is not None and about.parent_id == session_id
        ]

    def _read(self, path: Path, type_: type[_Read]) -> _Read | None:
        try:
            return read_document(path, type_, self._drift)
        except SessionError:
            self._drift.note("unreadable file", 1)
            return None
