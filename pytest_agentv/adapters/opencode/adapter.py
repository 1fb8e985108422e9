"""OpenCode's adapter: which of its three forms a session has, and where sessions lie."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionRef, SessionSummary
from pytest_agentv.adapters.opencode import PROVIDER
from pytest_agentv.adapters.opencode.database import Database
from pytest_agentv.adapters.opencode.files import Export, Storage
from pytest_agentv.adapters.opencode.records import moment
from pytest_agentv.adapters.opencode.session import Teller
from pytest_agentv.adapters.opencode.tools import TOOLS, unlisted_tool
from pytest_agentv.adapters.places import data_home, file_ref, files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import Project
from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.sqlite import opened_copy
from pytest_agentv.adapters.told import Told
from pytest_agentv.errors import Location, SessionError, SessionNotFound, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pytest_agentv.adapters.base import ReadOptions
    from pytest_agentv.adapters.opencode.records import About

__all__ = ["TOOLS", "OpenCodeAdapter", "unlisted_tool"]

_TABLES = frozenset(("session", "message", "part"))
_STORAGE = frozenset(("session", "message", "part"))
_LATER_TABLES = frozenset(("session", "session_message"))
_JSON = ".json"
_PREFIX = "ses_"
_PROMPT = 5000


class OpenCodeAdapter:
    """Sessions of OpenCode: in its database, in the files before it, or exported."""

    name = "opencode"
    provider = PROVIDER
    tested = ("1.0.0", "1.17.9")

    def __init__(self) -> None:
        # What a database says of its sessions, so that a list copies it once.
        self._summaries: dict[tuple[Path, str, float], SessionSummary] = {}

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """OPENCODE_DB, a file, else the folder opencode in XDG_DATA_HOME or ~/.local/share."""
        data = data_home(environ)
        folder = data and data / "opencode"
        configured = environ.get("OPENCODE_DB")
        if not configured or configured == ":memory:":
            return folder
        return folder / configured if folder else Path(configured)

    def session_id_of(self, path: Path) -> str:
        """The id that the file of a session is named by."""
        return path.stem

    def claims(self, path: Path) -> bool:
        """Whether a file is a database, an export, or the file of a session."""
        found = probe(path)
        if found.tables:
            return found.tables >= _TABLES or found.tables >= _LATER_TABLES
        if found.begins("info", b"{") and found.begins("messages", b"["):
            return _is_export(found.value("info"), found.value("messages"))
        id_ = found.value("id") if "id" in found.fields else None
        names = {"projectID", "directory", "time"}
        return isinstance(id_, str) and id_.startswith(_PREFIX) and names <= set(found.fields)

    def claims_folder(self, path: Path) -> bool:
        """Whether a folder is the one with files for sessions, messages and parts."""
        return probe(path).names >= _STORAGE

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Each session once: the database has taken over what was in files."""
        wanted = None if project is None else Project(project)
        found: set[str] = set()
        for path in _databases(home):
            with contextlib.suppress(SessionError):
                for row in self._rows(path):
                    found.add(row.session_id)
                    if wanted is None or wanted.has(self.summarize(row).project or ""):
                        yield row
        for ref, about in _stored(home / "storage"):
            if ref.session_id not in found and (
                wanted is None or wanted.has(about.directory or "")
            ):
                yield ref

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The sessions of a database or of a folder of files; another file has one."""
        if path.is_dir() or probe(path).is_database:
            refs = [ref for ref, _ in _stored(path)] if path.is_dir() else self._rows(path)
            if not refs:
                raise SessionUnreadable("holds no session", at=Location(path))
            yield from refs
            return
        about = _file(path, Drift()).about
        ref = file_ref(about.id or path.stem, path)
        if ref is not None:
            yield ref

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        if ref.row is None:
            told = _told(ref, include_subagents=False, until_opening=True)
            return SessionSummary(told.started, told.cwd, told.opening)
        key = (ref.path, str(ref.row), ref.modified)
        if key not in self._summaries:
            for _ in self._rows(ref.path):
                pass
        return self._summaries.get(key, SessionSummary())

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        told = _told(ref, include_subagents=options.include_subagents)
        return ToldSession(told, ref, tested=self.tested[1])

    def _rows(self, path: Path) -> list[SessionRef]:
        refs = []
        file = file_ref("", path)
        size = file.size if file is not None else 0
        with opened_copy(path) as connection:
            database = Database(connection, Drift())
            for about in database.sessions():
                ref = _ref(path, about, size)
                told = Told(Drift(), PROVIDER)
                Teller(told, database, include_subagents=False).session(about, until_opening=True)
                prompt = told.opening if told.opening is None else told.opening[:_PROMPT]
                summary = SessionSummary(_started(about), about.directory, prompt)
                self._summaries[path, ref.session_id, ref.modified] = summary
                refs.append(ref)
        return refs


def _databases(home: Path) -> list[Path]:
    """The database that somebody named, else those of all channels of the client."""
    try:
        return [home] if home.is_file() else sorted(home.glob("opencode*.db"))
    except (OSError, ValueError):  # ValueError: a NUL in a configured path
        return []


def _stored(storage: Path) -> Iterator[tuple[SessionRef, About]]:
    """The sessions in files, without those of sub-agents."""
    for path in files_below(storage / "session", _JSON, depth=1):
        ref = file_ref(path.stem, path)
        if ref is None or not path.stem.startswith(_PREFIX):
            continue
        with contextlib.suppress(SessionError):
            about = Storage(path, Drift()).about
            if about.parent_id is None:
                yield ref, about


def _told(ref: SessionRef, *, include_subagents: bool, until_opening: bool = False) -> Told:
    drift = Drift()
    told = Told(drift, PROVIDER)
    if not probe(ref.path).is_database:
        file = _file(ref.path, drift)
        file.about.id = file.about.id or ref.session_id
        teller = Teller(told, file, include_subagents=include_subagents)
        teller.session(file.about, until_opening=until_opening)
        return told
    with opened_copy(ref.path, keep=True) as connection:
        database = Database(connection, drift)
        about = database.session(None if ref.row is None else str(ref.row))
        if about is None:
            raise SessionNotFound(f"has no session {ref.row!r}", at=Location(ref.path))
        teller = Teller(told, database, include_subagents=include_subagents)
        teller.session(about, until_opening=until_opening)
    return told


def _file(path: Path, drift: Drift) -> Export | Storage:
    fields = probe(path).fields
    is_storage = "id" in fields and "messages" not in fields
    return Storage(path, drift) if is_storage else Export(path, drift)


def _ref(path: Path, about: About, size: int) -> SessionRef:
    """A row, as large as its file and as new as the session."""
    updated = about.time.updated or about.time.created if about.time else None
    id_ = about.id or ""
    return SessionRef(id_, path, size, (updated or 0) / 1000, id_)


def _started(about: About) -> datetime | None:
    return moment(about.time.created) if about.time else None


def _is_export(info: object, messages: object) -> bool:
    if not isinstance(info, dict) or not isinstance(messages, list):
        return False
    heads = [one.get("info") for one in messages[:50] if isinstance(one, dict) and "parts" in one]
    is_own = isinstance(info.get("id"), str) and ("directory" in info or "projectID" in info)
    return is_own or any(isinstance(head, dict) and "role" in head for head in heads)
