"""The session that ``agentv read`` is asked for: by a path, as a client's, or by an id alone."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import PackedSessions, ReadOptions, calling, refs_of
from pytest_agentv.adapters.discovery import find_sessions, session_by_id
from pytest_agentv.adapters.probe import SQLITE
from pytest_agentv.adapters.records import MAX_LINE
from pytest_agentv.cli.console import say
from pytest_agentv.errors import AmbiguousSession, Location, SessionNotFound, SessionUnreadable
from pytest_agentv.files import open_regular
from pytest_agentv.importing import Redacted
from pytest_agentv.plugins import registry
from pytest_agentv.sources import (
    AdapterStream,
    client_meant,
    is_client,
    of_file,
    paths_named,
    readable,
    session_of,
)
from pytest_agentv.transcript.reading import TranscriptFile, is_transcript_file

if TYPE_CHECKING:
    from typing import BinaryIO

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.redact import Redactor
    from pytest_agentv.transcript.stream import SessionStream


# How often somebody who waits for a file looks at it, in seconds.
POLL = 0.3
# So many files of a folder are named.
_NAMED = 5


@dataclass(frozen=True)
class KeptTranscript:
    """A file with the transcript of one session, or a line of one with several."""

    path: Path
    line: int | None = None
    redactor: Redactor | None = None

    def stream(self, options: ReadOptions) -> SessionStream:
        """The session; a transcript has sub-agents in it or not."""
        del options
        return Redacted(self._stream, self.redactor).learned()

    def _stream(self) -> SessionStream:
        file = TranscriptFile(self.path)
        count = len(file.heads)
        if self.line is not None:
            if not 1 <= self.line <= count:
                raise SessionNotFound(f"has no session on line {self.line}", at=Location(self.path))
            return file.stream(self.line - 1)
        if count != 1:
            message = f"holds {count} sessions; agentv read shows one: FILE:1 is the first"
            raise AmbiguousSession(message, at=Location(self.path))
        return file.stream(0)


@dataclass(frozen=True)
class ClientSession:
    """A session that a client wrote, or still writes: read anew as often as it is wanted."""

    adapter: Adapter
    ref: SessionRef
    redactor: Redactor | None = None

    @property
    def path(self) -> Path:
        """Its file."""
        return self.ref.path

    def stream(self, options: ReadOptions) -> SessionStream:
        """The session as it is now."""
        read = partial(AdapterStream, self.adapter, self.ref, options)
        return Redacted(read, self.redactor).learned()

    def open_records(self) -> BinaryIO:
        """The bytes of its records."""
        if self.path.is_dir():
            files = sorted(one for one in self.path.rglob("*") if one.is_file())
            names = ", ".join(one.relative_to(self.path).as_posix() for one in files[:_NAMED])
            more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
            message = f"is a folder, and --raw prints one file; look at those in it: {names}{more}"
            raise SessionUnreadable(message, at=Location(self.path))
        if not isinstance(self.adapter, PackedSessions):
            file = open_regular(self.path)
            if file.read(len(SQLITE)) == SQLITE:
                file.close()
                message = "is a database, which has no records to print; read it without --raw"
                raise SessionUnreadable(message, at=Location(self.path))
            file.seek(0)
            return file
        with readable(self.path), calling(self.adapter):
            return self.adapter.open_records(self.path)


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
    if not paths[0].is_dir() and is_transcript_file(paths[0]):
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
        refs = refs_of(adapter, path)
    if len(refs) != 1:
        message = f"holds {len(refs)} sessions; agentv read shows one"
        raise AmbiguousSession(message, at=Location(path))
    return ClientSession(adapter, refs[0])


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
            f"begins so{client_meant(what, registry)}"
        ) from exc
    return next(ClientSession(adapter, ref) for adapter, ref in found if ref is wanted)


def _sessions_of(adapter: Adapter) -> list[SessionRef]:
    with contextlib.suppress(SessionNotFound):  # it has no home here
        return find_sessions(adapter, os.environ)
    return []
