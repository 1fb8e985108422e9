"""Child threads of a session: files of their own among the sessions of the same home.

Their messages come right after the message whose call spawned them; those whose call is unknown
come last. A child is found by its id, which names its file; where nothing tells the id, by the
time in it: only files begun while the session ran are asked for their parent.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.codex import locate
from pytest_agentv.adapters.codex.compressed import open_session
from pytest_agentv.adapters.codex.forks import time_of
from pytest_agentv.adapters.codex.records import Record
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.errors import AgentvError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from pytest_agentv.adapters.codex.about import About
    from pytest_agentv.transcript.model import Message

    Reader: TypeAlias = Callable[[Path], Iterator[Message]]

_FOLDERS = ("sessions", "archived_sessions")
# Agents may spawn agents; a longer chain than this is no real one.
_MAX_NESTING = 20
_MAX_ASKED = 200
_HEAD_SIZE = 1 << 20


class Children:
    """The child threads of one session, each told once."""

    def __init__(self, session: Path, read: Reader) -> None:
        """``read`` gives the messages of a child's file."""
        self._session = session
        self._read = read
        self._files: dict[str, Path] | None = None
        # Each thread once, in their order.
        self._of_call: dict[str, dict[str, None]] = {}
        self._loose: dict[str, None] = {}
        self._told_already = {locate.session_id_of(session).lower()}
        self._nesting = 0

    def spawned(self, thread: str, call_id: str | None) -> None:
        """Note that a call spawned a thread; which call it was may be unknown."""
        if call_id is None:
            self._loose[thread.lower()] = None
            return
        self._of_call.setdefault(call_id, {})[thread.lower()] = None

    def leave_out(self, call_ids: Iterable[str]) -> None:
        """Tell nothing of the threads that calls spawned: the calls were taken back."""
        for call_id in call_ids:
            self._told_already.update(self._of_call.pop(call_id, ()))

    def after(self, message: Message) -> Iterator[Message]:
        """Messages of the threads that a message's calls spawned."""
        for call in message.tool_calls:
            # A copy: a thread that is told may itself name more threads of the same call.
            for thread in [*self._of_call.get(call.id or "", ())]:
                yield from self._told(thread)

    def rest(self, about: About) -> Iterator[Message]:
        """Messages of all children not told yet."""
        for thread in [*self._loose, *(one for each in self._of_call.values() for one in each)]:
            yield from self._told(thread)
        for thread in self._unnamed(about):
            yield from self._told(thread)

    def _told(self, thread: str) -> Iterator[Message]:
        path = self._known_files().get(thread)
        if path is None or thread in self._told_already or self._nesting >= _MAX_NESTING:
            return
        self._told_already.add(thread)
        self._nesting += 1
        for message in self._read(path):
            # What an agent was told is no person's prompt.
            origin = "injected" if message.origin == "human" else message.origin
            yield msgspec.structs.replace(message, agent_id=thread, origin=origin)
            yield from self.after(message)
        self._nesting -= 1

    def _known_files(self) -> dict[str, Path]:
        """Files of other sessions by their ids, which are in lower case."""
        if self._files is None:
            home = _home_of(self._session)
            if home is not None:
                found = ((ref.session_id, ref.path) for ref in locate.sessions(home, None, {}))
            else:
                siblings = sorted(self._session.parent.glob("rollout-*"))
                found = ((locate.session_id_of(path), path) for path in siblings)
            self._files = {thread.lower(): path for thread, path in found}
        return self._files

    def _unnamed(self, about: About) -> list[str]:
        """Threads that name this session as their parent, though it does not name them."""
        if about.started is None or about.ended is None or about.session_id is None:
            return []
        first, last = (time.timestamp() * 1000 for time in (about.started, about.ended))
        begun_meanwhile = (
            thread
            for thread in sorted(self._known_files())
            if thread not in self._told_already and first <= (time_of(thread) or 0) <= last
        )
        return [
            thread
            for thread in islice(begun_meanwhile, _MAX_ASKED)
            if _parent_of(self._known_files()[thread]) == about.session_id
        ]


def _home_of(session: Path) -> Path | None:
    """The home of Codex that a file lies in."""
    for folder in session.absolute().parents:
        if folder.name in _FOLDERS:
            return folder.parent
    return None


def _parent_of(path: Path) -> str | None:
    """The thread that a file's head names as its parent."""
    try:
        file = open_session(path, limit=_HEAD_SIZE)
        with RecordFile(path, Record, Drift(), file=file) as records:
            for _, record in islice(records.records(), 1):
                if record.type == "session_meta" and record.payload is not None:
                    return record.payload.parent_thread_id or _spawned_by(record.payload.source)
    except AgentvError:
        pass
    return None


def _spawned_by(source: Any) -> str | None:
    """The parent in ``{"subagent": {"thread_spawn": {"parent_thread_id": …}}}``."""
    for key in ("subagent", "thread_spawn", "parent_thread_id"):
        source = source.get(key) if isinstance(source, dict) else None
    return source if isinstance(source, str) else None
