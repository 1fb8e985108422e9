"""Sessions that Entire keeps in a repository: a branch whose files are those of other clients.

This is a place and no form: what lies there is recognised by what it holds, and read by the
adapter that it belongs to. Git is asked for the names and contents of objects and nothing else,
so that nothing of the repository runs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.base import SessionRef
from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.records import Drift, record_of
from pytest_agentv.catalogue import ADAPTERS
from pytest_agentv.errors import Location, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from pytest_agentv.adapters.base import Adapter, ReadOptions, SessionSummary
    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.stream import Head, SessionStream, Tail
    from pytest_agentv.transcript.tools.table import Table

NAME = "entire"
TOOLS: Table = {}  # every session is another client's
_BRANCHES = (
    "refs/heads/entire/checkpoints/v1",
    "refs/remotes/origin/entire/checkpoints/v1",
)
_FILE = re.compile(
    r"([0-9a-f]{2})/([0-9a-f]{4,38})/(?:(\d{1,6})/)?"
    r"(?:(metadata\.json)|(?:full|transcript)\.jsonl(?:\.(\d{1,6}))?)"
)
_ENTRY = re.compile(rb"\d+ blob ([0-9a-f]{40,64}) +(\d{1,15})\t([^\0]+)", re.DOTALL)
_SECONDS = 60
_MAX_LISTING = 64 << 20
_MAX_NOTE = 1 << 20
_MAX_SESSION = 1 << 30
# A missing object must not be fetched: that would run what the repository says.
_SETTINGS = ("-c", "core.fsmonitor=false")
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


class _Note(msgspec.Struct, gc=False):
    """What Entire notes of a session; of all fields those that are read here."""

    session_id: str | None = None
    created_at: str | None = None


class _Checkpoint(msgspec.Struct):
    """One copy of a session: objects of its parts in their order, and of the note on it."""

    name: str
    parts: list[tuple[int, str]] = []
    size: int = 0
    note: str | None = None


class EntireAdapter:
    """Sessions of any client in the branch entire/checkpoints/v1 of a git repository."""

    name = NAME
    provider = NAME
    tested = ("1", "1")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """The repository that somebody works in."""
        del environ
        return Path.cwd()

    def claims(self, path: Path) -> bool:
        """No file is one of its own: those of the branch are other clients'."""
        del path
        return False

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The sessions of a repository."""
        found = list(self.sessions(path))
        if not found:
            raise SessionUnreadable(f"has no branch {_BRANCHES[0]}", at=Location(path))
        yield from found

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Each session once: its newest copy, of those the largest."""
        repository = project or home
        newest: dict[str, SessionRef] = {}
        for checkpoint, note in _noted(repository):
            session_id = note.session_id or checkpoint.name
            time = from_text(note.created_at)
            ref = SessionRef(
                session_id,
                repository,
                checkpoint.size,
                time.timestamp() if time is not None and time.tzinfo is not None else 0.0,
                checkpoint.name,
            )
            known = newest.get(session_id)
            if known is None or (known.modified, known.size) <= (ref.modified, ref.size):
                newest[session_id] = ref
        yield from newest.values()

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """What the adapter of the session says."""
        session = _Taken(ref)
        return session.adapter.summarize(session.ref)

    def read(self, ref: SessionRef, options: ReadOptions) -> EntireSession:
        """The session, read by its own adapter."""
        return EntireSession(_Taken(ref), options)


class _Taken:
    """A session that was taken out of a repository into a folder of its own."""

    def __init__(self, ref: SessionRef) -> None:
        folder = tempfile.mkdtemp(prefix="agentv-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        # Adapters name sessions by their files; the id is nobody's path.
        name = re.sub(r"[^A-Za-z0-9._-]", "-", ref.session_id)[:100].lstrip(".") or "session"
        path = Path(folder) / f"{name}.jsonl"
        checkpoint = _checkpoints(ref.path).get(str(ref.row))
        if checkpoint is None or not checkpoint.parts:
            raise SessionUnreadable(f"has no checkpoint {ref.row!r}", at=Location(ref.path))
        if checkpoint.size > _MAX_SESSION:
            message = f"has a session of more than {_MAX_SESSION >> 30} GiB"
            raise SessionUnreadable(message, at=Location(ref.path))
        with path.open("wb") as file:
            for _, blob in sorted(checkpoint.parts):
                _write_blob(ref.path, blob, file)
        self.adapter = _adapter_of(path, ref)
        self.ref = SessionRef(name, path, path.stat().st_size, ref.modified)


class EntireSession:
    """A session of another client's as a stream; its file is kept until it is read."""

    def __init__(self, taken: _Taken, options: ReadOptions) -> None:
        self._taken = taken
        self._stream: SessionStream = taken.adapter.read(taken.ref, options)

    @property
    def head(self) -> Head:
        """Source and first prompt."""
        return self._stream.head

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        return self._stream.messages()

    @property
    def tail(self) -> Tail:
        """Everything that follows the conversation."""
        return self._stream.tail


def _adapter_of(path: Path, ref: SessionRef) -> Adapter:
    """The adapter that claims a file, whatever its name says."""
    others = [one for one in ADAPTERS if one.name != NAME]
    adapters: list[Adapter] = [getattr(one.imported(), one.adapter)() for one in others]
    claims = [adapter for adapter in adapters if adapter.claims(path)]
    if len(claims) != 1:
        names = ", ".join(adapter.name for adapter in claims) or "none"
        message = f"the session {ref.session_id!r} is claimed by {names} of the adapters"
        raise SessionUnreadable(message, at=Location(ref.path))
    return claims[0]


def _noted(repository: Path) -> Iterator[tuple[_Checkpoint, _Note]]:
    found = [one for one in _checkpoints(repository).values() if one.parts]
    notes = _blobs(repository, [one.note for one in found if one.note is not None])
    for checkpoint in found:
        yield checkpoint, notes.get(checkpoint.note or "", _Note())


def _checkpoints(repository: Path) -> dict[str, _Checkpoint]:
    """The copies of sessions by checkpoint and number."""
    commit = next(filter(None, (_commit(repository, one) for one in _BRANCHES)), None)
    if commit is None:
        return {}
    listing = _git(repository, "ls-tree", "-r", "-z", "--long", commit, limit=_MAX_LISTING)
    found: dict[str, _Checkpoint] = {}
    for entry in listing.split(b"\0"):
        parts = _ENTRY.fullmatch(entry)
        named = None if parts is None else _FILE.fullmatch(parts[3].decode("utf-8", "replace"))
        if parts is None or named is None:
            continue
        name = f"{named[1]}{named[2]}" + (f"/{named[3]}" if named[3] else "")
        checkpoint = found.setdefault(name, _Checkpoint(name))
        blob, size = parts[1].decode(), int(parts[2])
        if named[4]:
            checkpoint.note = blob if size <= _MAX_NOTE else None
        else:
            checkpoint.parts = [*checkpoint.parts, (int(named[5] or 0), blob)]
            checkpoint.size += size
    return found


def _commit(repository: Path, branch: str) -> str | None:
    try:
        arguments = ("rev-parse", "--verify", "--quiet", f"{branch}^{{commit}}")
        return _git(repository, *arguments, limit=1 << 10).decode().strip() or None
    except SessionUnreadable:
        return None


def _blobs(repository: Path, blobs: list[str]) -> dict[str, _Note]:
    """The notes in objects; those that are none are left out."""
    if not blobs:
        return {}
    asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
    answer = _git(repository, "cat-file", "--batch", limit=_MAX_LISTING, given=asked)
    found: dict[str, _Note] = {}
    position = 0
    while (end := answer.find(b"\n", position)) >= 0:
        name, _, size = (*answer[position:end].split(b" "), b"", b"")[:3]
        length = int(size) if size.isdigit() else 0
        content = answer[end + 1 : end + 1 + length]
        position = end + 1 + (length + 1 if size.isdigit() else 0)
        note = record_of(content, _Note, Drift())
        if note is not None:
            found[name.decode("ascii", "replace")] = note
    return found


def _write_blob(repository: Path, blob: str, file: BinaryIO) -> None:
    command = _command(repository, "cat-file", "blob", blob)
    file.flush()
    try:
        subprocess.run(  # noqa: S603 (no shell, and only the names of objects)
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as exc:
        raise _unusable(repository) from exc


def _git(repository: Path, *arguments: str, limit: int, given: bytes = b"") -> bytes:
    """What git prints, but never more than so many bytes, and never for ever."""
    with tempfile.TemporaryFile() as asked:
        asked.write(given)
        asked.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 (as above)
                _command(repository, *arguments),
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except OSError as exc:
            raise _unusable(repository) from exc
        timer = threading.Timer(_SECONDS, process.kill)
        timer.start()
        try:
            with process:
                assert process.stdout is not None
                answer = process.stdout.read(limit + 1)
                if len(answer) > limit:
                    process.kill()
        finally:
            timer.cancel()
    if process.returncode != 0 or len(answer) > limit:
        raise _unusable(repository)
    return answer


def _command(repository: Path, *arguments: str) -> list[str]:
    return ["git", *_SETTINGS, "-C", str(repository), *arguments]


def _environment() -> dict[str, Any]:
    return {**os.environ, **_ENVIRONMENT}


def _unusable(repository: Path) -> SessionUnreadable:
    return SessionUnreadable("git cannot read it", at=Location(repository))
