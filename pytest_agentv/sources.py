"""Sessions by what people call them: a file, a folder, a glob, ``claude:latest``.

A name becomes sessions of which no more is read than their heads.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.base import ReadOptions, calling, provider_of, refs_of
from pytest_agentv.adapters.discovery import (
    find_sessions,
    latest_session,
    nothing_found,
    session_by_id,
)
from pytest_agentv.errors import Location, SessionNotFound, SessionUnreadable
from pytest_agentv.transcript.reading import TranscriptFile, is_transcript_file
from pytest_agentv.transcript.stream import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn, TypeAlias

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.registry import Registry
    from pytest_agentv.transcript.model import Message, Transcript
    from pytest_agentv.transcript.stream import Head, SessionStream, Tail

    # Adapters cost time to load, and most names need none of them.
    FindRegistry: TypeAlias = Callable[[], Registry]

_LATEST = "latest"
# What may be meant for a session, but does not say whose it is.
_WHOSE = re.compile(r"(?=.*[0-9])[0-9a-fA-F-]{4,}")
# How like a client's name a word alone is that stands for it.
_CLOSE = 0.8
# What files of sessions are called, below a folder that somebody names.
_ENDINGS = (".jsonl", ".jsonl.zst", ".traj", ".traj.json")
# More digits than these are no number of a line.
_LINE_LENGTH = 10
# A folder with both is a session of Copilot's; besides them it holds what the agent made.
_EVENTS, _WORKSPACE = "events.jsonl", "workspace.yaml"
# Where Claude Code keeps the sub-agents of a session: X/subagents/ beside X.jsonl.
_SUBAGENTS = "subagents"
_AS_USUAL = ReadOptions()


@dataclass(frozen=True, eq=False, slots=True)
class RecordedSession:
    """One session that can be graded, and what is known of it without reading it."""

    provider: str
    session_id: str | None
    test_id: str | None
    # The file, and the line in it where the file holds several.
    at: Location
    load: Callable[[], Transcript] = field(repr=False)
    # The same, of which no more is held than a message.
    stream: Callable[[], SessionStream] = field(repr=False)


class Place(NamedTuple):
    """A file or folder with sessions, and which of them if it is one of several."""

    path: Path
    row: int | str | None = None
    # Whose it is, where the name says so; else that is told by what the file holds.
    client: str | None = None

    @property
    def is_line(self) -> bool:
        """Whether it is a line of a file, as somebody named it."""
        return self.row is not None and self.client is None


def places_named(
    what: str, registry: FindRegistry, *, folder: Path, root: Path | None = None
) -> list[Place]:
    """The places that a name stands for, in sorted order; SessionNotFound if there are none.

    ``root`` is the project's folder: the current one, if none is given.
    """
    if is_client(what, registry, folder=folder):
        client, _, session = what.partition(":")
        ref = session_of(registry().adapter(client), session, root=root)
        return [Place(ref.path, ref.row, client)]
    _, line = of_file(what, folder=folder)
    return [Place(path, line) for path in paths_named(what, registry, folder=folder)]


def paths_named(what: str, registry: FindRegistry, *, folder: Path) -> list[Path]:
    """The files that a path or glob stands for."""
    path = folder / _expanded(what)
    if not what.strip():
        raise SessionNotFound("names nothing")
    if not _exists(path):
        file, line = of_file(what, folder=folder)
        if line is not None:
            return [folder / _expanded(file)]
        # Not Path.glob: a pattern may be absolute. The folder itself is no pattern.
        names = glob.glob(_expanded(what), root_dir=folder, recursive=True)  # noqa: PTH207
        found = (folder / one for one in sorted(names))
        files = [file for one in found for file in _files_of(one, registry)]
        if not files:
            raise SessionNotFound(f"no such file, folder, glob or session{_hint(what, registry)}")
        return files
    files = _files_of(path, registry)
    if not files:
        raise SessionNotFound("the folder holds no .jsonl file, and is no session itself")
    return files


def _hint(what: str, registry: FindRegistry) -> str:
    """What lacks to the name of a session: whose it is, or what ``client_meant`` says."""
    if _WHOSE.fullmatch(what):
        return f"; say whose session it is, as claude:{what}"
    return client_meant(what, registry)


def client_meant(what: str, registry: FindRegistry) -> str:
    """What lacks to the name of a client's session: the client, which one, or a letter."""
    from difflib import get_close_matches  # noqa: PLC0415 (only where there is an error)

    if what == _LATEST:
        return f"; say whose session it is, as claude:{what}"
    # Not every shell takes quotes away.
    client, colon, session = what.strip("\"'").partition(":")
    # Without a colon it is more likely a file that is not there.
    cutoff = 0.6 if colon else _CLOSE
    close = get_close_matches(client[:100], registry().names, n=1, cutoff=cutoff)
    return f"; did you mean {close[0]}:{session or _LATEST}?" if close else ""


def is_client(what: str, registry: FindRegistry, *, folder: Path) -> bool:
    """Whether a name is that of a client's session, as ``claude:latest``, and not of a file."""
    client, colon, _ = what.partition(":")
    if not colon or _exists(folder / what):
        return False
    return client in registry().names


def of_file(what: str, *, folder: Path) -> tuple[str, int | None]:
    """The file of a name, and its line if it is ``FILE:LINE``: one session of several there."""
    file, _, line = what.rpartition(":")
    is_line = bool(file) and line.isascii() and line.isdigit() and len(line) < _LINE_LENGTH
    if not is_line or _exists(folder / _expanded(what)):
        return what, None
    return (file, int(line)) if (folder / _expanded(file)).is_file() else (what, None)


def sessions_named(
    what: str, registry: FindRegistry, *, folder: Path, options: ReadOptions = _AS_USUAL
) -> Iterator[RecordedSession]:
    """The sessions that a name stands for, file by file."""
    with naming(what):
        places = places_named(what, registry, folder=folder)
    for place in places:
        yield from sessions_in(place, registry, options=options)


def sessions_in(
    place: Place | Path, registry: FindRegistry, *, options: ReadOptions = _AS_USUAL
) -> Iterator[RecordedSession]:
    """The sessions of one file: of transcripts, or of a vendor's own form, read as asked."""
    place = place if isinstance(place, Place) else Place(place)
    found = _sessions_in(place, registry, options)
    if not place.is_line:
        yield from found
        return
    session = next((one for one in found if one.at.line == place.row), None)
    if session is None:
        raise SessionNotFound(f"has no session on line {place.row}", at=Location(place.path))
    yield session


def _sessions_in(
    place: Place, registry: FindRegistry, options: ReadOptions
) -> Iterator[RecordedSession]:
    path, row, client = place
    if not path.is_dir() and is_transcript_file(path):
        file = TranscriptFile(path)
        for number, head in enumerate(file.heads):
            yield RecordedSession(
                provider=head.source.provider,
                session_id=head.source.session_id,
                test_id=head.test_id,
                at=Location(path, number + 1),
                load=partial(file.transcript, number),
                stream=partial(file.stream, number),
            )
        return
    adapter = registry().adapter_of(path) if client is None else registry().adapter(client)
    with calling(adapter):
        refs = [ref for ref in refs_of(adapter, path) if place.is_line or row in (None, ref.row)]
    for ref in refs:
        with calling(adapter):
            provider = provider_of(adapter, ref)
        yield RecordedSession(
            provider=provider,
            session_id=ref.session_id,
            test_id=None,
            at=ref.at,
            load=partial(_read, adapter, ref, options),
            stream=partial(AdapterStream, adapter, ref, options),
        )


def renamed(session: RecordedSession, clean: Callable[[str], str]) -> RecordedSession:
    """The same session, under names that may be shown."""
    id_ = session.session_id
    return replace(
        session,
        provider=clean(session.provider),
        session_id=None if id_ is None else clean(id_),
    )


def session_of(adapter: Adapter, which: str, *, root: Path | None = None) -> SessionRef:
    """A client's session: the latest, or one by its id."""
    refs = find_sessions(adapter, os.environ, root=root)
    if not refs:
        raise SessionNotFound(nothing_found(adapter, os.environ, root=root))
    if which == _LATEST:
        return latest_session(adapter, refs)
    return session_by_id(refs, which, listed_by=f"agentv import {adapter.name} --list")


class AdapterStream:
    """A stream of an adapter's: it works while it is asked, and what fails then is our error."""

    def __init__(self, adapter: Adapter, ref: SessionRef, options: ReadOptions) -> None:
        self._adapter = adapter
        self._path = ref.path
        with self._reading():
            self._stream = adapter.read(ref, options)

    @property
    def head(self) -> Head:
        """Source and first prompt."""
        with self._reading():
            return self._stream.head

    def messages(self) -> Iterator[Message]:
        """The conversation."""
        with self._reading():
            yield from self._stream.messages()

    @property
    def tail(self) -> Tail:
        """Everything that follows the conversation."""
        with self._reading():
            return self._stream.tail

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        with readable(self._path), calling(self._adapter):
            yield


@contextlib.contextmanager
def naming(what: str) -> Iterator[None]:
    """Around the search for what a name stands for: an error says which name it was."""
    try:
        yield
    except SessionNotFound as exc:
        raise SessionNotFound(f"{what!r}: {exc.message}", at=exc.at) from exc


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Around everything that reads a session: what the system refuses is an error of ours."""
    try:
        yield
    except OSError as exc:
        message = f"cannot be read: {exc.strerror or exc}"
        raise SessionUnreadable(message, at=Location(path)) from exc


def _expanded(what: str) -> str:
    # Shells leave the tilde of `--transcript=~/a.jsonl` alone.
    return os.path.expanduser(what)  # noqa: PTH111 (a path would lose a final slash)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        return False


def _files_of(path: Path, registry: FindRegistry) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = _files_below(path)
    if not found:
        return [path] if registry().claims(path) else []
    of_sessions = {one.parent for one in found if one.name == _EVENTS and _has_workspace(one)}
    known = set(found)
    return sorted(
        one for one in found if not _lies_beside(one, of_sessions) and not _is_part(one, known)
    )


def _files_below(folder: Path) -> list[Path]:
    """All that is called like a session; a link that leads nowhere is found wanting when read.

    Not Path.rglob, which leaves out folders that it may not enter: a session that nobody can see
    is not one that nobody has.
    """
    return [
        Path(below) / name
        for below, _, names in os.walk(folder, onerror=_refuse)
        for name in names
        if name.endswith(_ENDINGS)
    ]


def _refuse(error: OSError) -> NoReturn:
    message = f"cannot be read: {error.strerror or error}"
    raise SessionUnreadable(message, at=Location(Path(error.filename))) from error


def _has_workspace(events: Path) -> bool:
    return events.with_name(_WORKSPACE).is_file()


def _lies_beside(path: Path, folders: set[Path]) -> bool:
    """Whether a file is in the folder of a session, but is not that session."""
    below = path.parent.parents if path.name == _EVENTS else path.parents
    return bool(folders) and not folders.isdisjoint(below)


def _is_part(path: Path, files: set[Path]) -> bool:
    """Whether a file is of a sub-agent of one of these, and so of no session of its own."""
    if _SUBAGENTS not in path.parts:
        return False
    owners = (folder.parent for folder in path.parents if folder.name == _SUBAGENTS)
    return any(owner.with_name(f"{owner.name}.jsonl") in files for owner in owners if owner.name)


def _read(adapter: Adapter, ref: SessionRef, options: ReadOptions) -> Transcript:
    with calling(adapter):
        return load(adapter.read(ref, options))
