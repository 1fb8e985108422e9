"""The session that ``agentv read`` is asked for: by a path, as a client's, or by an id alone."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import PackedSessions, ReadOptions, calling, ref_of
from pytest_agentv.adapters.discovery import find_sessions, session_by_id
from pytest_agentv.adapters.records import MAX_LINE
from pytest_agentv.cli.console import say
from pytest_agentv.errors import AmbiguousSession, Location, SessionNotFound, SessionUnreadable
from pytest_agentv.files import open_regular
from pytest_agentv.plugins import registry
from pytest_agentv.sources import (
    is_client,
    of_file,
    only_line,
    paths_named,
    session_of,
    sessions_in,
)
from pytest_agentv.transcript.reading import is_transcript_file
from pytest_agentv.transcript.stream import TranscriptStream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.stream import Head, SessionStream, Tail


# How often somebody who waits for a file looks at it, in seconds.
POLL = 0.3


@dataclass(frozen=True)
class KeptTranscript:
    """A file with the transcript of one session, or a line of one with several."""

    path: Path
    line: int | None = None

    def stream(self, options: ReadOptions) -> SessionStream:
        """The session; a transcript has sub-agents in it or not."""
        del options
        found = list(only_line(self.line, sessions_in(self.path, registry), of=self.path))
        if len(found) != 1:
            message = f"holds {len(found)} sessions; agentv read shows one: FILE:1 is the first"
            raise AmbiguousSession(message, at=Location(self.path))
        return TranscriptStream(found[0].load())


@dataclass(frozen=True)
class ClientSession:
    """A session that a client wrote, or still writes: read anew as often as it is wanted."""

    adapter: Adapter
    ref: SessionRef

    @property
    def path(self) -> Path:
        """Its file."""
        return self.ref.path

    def stream(self, options: ReadOptions) -> SessionStream:
        """The session as it is now."""
        with self.reading():
            return _CalledStream(self, self.adapter.read(self.ref, options))

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Around everything that the adapter does: what goes wrong is an error of ours."""
        try:
            with calling(self.adapter):
                yield
        except OSError as exc:
            message = f"cannot be read: {exc.strerror or exc}"
            raise SessionUnreadable(message, at=Location(self.path)) from exc

    def open_records(self) -> BinaryIO:
        """The bytes of its records."""
        if not isinstance(self.adapter, PackedSessions):
            return open_regular(self.path)
        with self.reading():
            return self.adapter.open_records(self.path)


class _CalledStream:
    """A stream of an adapter's: it works while it is asked, and may fail then."""

    def __init__(self, session: ClientSession, stream: SessionStream) -> None:
        self._session = session
        self._stream = stream

    @property
    def head(self) -> Head:
        """Source and first prompt."""
        with self._session.reading():
            return self._stream.head

    def messages(self) -> Iterator[Message]:
        """The conversation."""
        with self._session.reading():
            yield from self._stream.messages()

    @property
    def tail(self) -> Tail:
        """Everything that follows the conversation."""
        with self._session.reading():
            return self._stream.tail


def session_named(what: str, *, may_wait: bool = False) -> KeptTranscript | ClientSession:
    """The one session that a name stands for.

    With ``may_wait`` a file without a whole line is waited for: nobody can know whose it is yet.
    """
    folder = Path.cwd()
    if is_client(what, registry, folder=folder):
        client, _, which = what.partition(":")
        adapter = registry().adapter(client)
        return ClientSession(adapter, session_of(adapter, which))
    try:
        paths = paths_named(what, registry, folder=folder)
    except SessionNotFound as exc:
        if os.path.lexists(what) or not what.strip():
            raise SessionNotFound(f"{what!r}: {exc.message}") from exc
        return _session_with_id(what)
    if len(paths) > 1:
        raise AmbiguousSession(f"{what!r} names {len(paths)} files; agentv read shows one session")
    if is_transcript_file(paths[0]):
        return KeptTranscript(paths[0], of_file(what, folder=folder)[1])
    if may_wait:
        _wait_for_a_line(paths[0])
    return _session_in(paths[0])


def _wait_for_a_line(path: Path) -> None:
    has_said = False
    while not registry().claims(path) and not _has_line(path):
        if not has_said:
            say(f"agentv: {Location(path)}: has no whole line yet; waiting")
            has_said = True
        time.sleep(POLL)


def _has_line(path: Path) -> bool:
    with open_regular(path) as file:
        line = file.readline(MAX_LINE)
    return line.endswith(b"\n") or len(line) == MAX_LINE


def _session_in(path: Path) -> ClientSession:
    """The session of a file that a client wrote."""
    adapter = registry().adapter_of(path)
    with calling(adapter):
        return ClientSession(adapter, ref_of(adapter, path))


def _session_with_id(what: str) -> ClientSession:
    """The session of whichever client that has an id, or the only one that begins so."""
    adapters = registry().adapters
    found = [(adapter, ref) for adapter in adapters for ref in _sessions_of(adapter)]
    try:
        wanted = session_by_id((ref for _, ref in found), what)
    except SessionNotFound as exc:
        names = ", ".join(adapter.name for adapter in adapters)
        raise SessionNotFound(
            f"{what!r} is no file, folder or glob, and no session ({names}) has an id that "
            "begins so"
        ) from exc
    return next(ClientSession(adapter, ref) for adapter, ref in found if ref is wanted)


def _sessions_of(adapter: Adapter) -> list[SessionRef]:
    with contextlib.suppress(SessionNotFound):  # it has no home here
        return find_sessions(adapter, os.environ)
    return []
