"""The adapter of ATIF: one trajectory in a file, or one on each line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_agentv.adapters.atif import PROVIDER
from pytest_agentv.adapters.atif.records import Name, Trajectory
from pytest_agentv.adapters.atif.session import Teller
from pytest_agentv.adapters.atif.stream import AtifSession
from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.places import file_ref, files_below, head_of
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.records import Drift, RecordFile, read_document
from pytest_agentv.adapters.rowplaces import LineDrift, RowPlaces, state_of
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.catalogue import BY_PROVIDER
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import Location, SessionUnreadable
from pytest_agentv.transcript.tools.table import Reader, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.adapters.records import Place
    from pytest_agentv.transcript.tools.table import Description, Table

__all__ = ["TOOLS", "AtifAdapter"]


def _keystrokes(native: Any) -> Description:
    keys = native.get("keystrokes") if type(native) is dict else None
    return "shell", {"command": keys.strip()} if type(keys) is str else {}


# Tools of Harbor's own agent; of others' their tables tell.
TOOLS: Table = {
    "bash_command": Reader(_keystrokes),
    "mark_task_complete": Tool("other"),
}

_places = RowPlaces()
_Line = TypeVar("_Line", Name, Trajectory)

_VERSION = "ATIF-v"
# What our own export says in its ``extra``.
_EXPORTED_BY = "pytest-agentv"
_FILE = "trajectory.json"
_HEAD = 1 << 12
_ID = re.compile(rb'"session_id"\s*:\s*"([^"\\]{1,200})"')
# How Harbor calls clients that have an adapter here.
_HARBOR = {
    "claude-code": "claude-cli",
    "codex": "codex-cli",
    "gemini": "gemini-cli",
    "qwen-coder": "qwen-code",
    "copilot": "copilot-cli",
    "cursor-cli": "cursor",
    "cline-cli": "cline",
}


class AtifAdapter:
    """Trajectories of ATIF 1.0 to 1.8, of whichever agent: Harbor's and those exported here."""

    name = "atif"
    provider = PROVIDER
    tested = ("1.0", "1.8")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """The folder jobs where the command runs, else that of Harbor's in ~/.cache."""
        here = Path("jobs")
        user = user_home(environ)
        return here if user is None or here.is_dir() else user / ".cache" / "harbor" / "jobs"

    def claims(self, path: Path) -> bool:
        """Whether a file says that it is ATIF."""
        found = probe(path)
        return _is_atif(found.value("schema_version")) or any(
            _is_atif(one.get("schema_version")) and "steps" in one for one in found.records
        )

    def provider_of(self, ref: SessionRef) -> str:
        """The agent of a trajectory."""
        return _provider(_named(ref))

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """The trajectories of all trials."""
        files = files_below(home, _FILE)
        return file_sessions(files, project, lambda ref: self.summarize(ref).project, id_of=_id_of)

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The trajectory of a file, or those on its lines."""
        if probe(path).fields:
            ref = file_ref(_id(_named_document(path), path), path)
            if ref is not None:
                yield ref
            return
        names = _named_lines(path)
        if not names:
            raise SessionUnreadable("holds no trajectory of ATIF", at=Location(path))
        for line, name in names.items():
            ref = file_ref(_id(name, path), path, row=line)
            if ref is not None:
                yield ref

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        head = _read(ref, include_subagents=False, until_opening=True).head
        return SessionSummary(from_text(head.source.timestamp), head.source.cwd, head.input)

    def read(self, ref: SessionRef, options: ReadOptions) -> AtifSession:
        """The session as a stream."""
        return _read(ref, include_subagents=options.include_subagents)


def _read(ref: SessionRef, *, include_subagents: bool, until_opening: bool = False) -> AtifSession:
    drift = Drift()
    trajectory = _trajectory(ref, drift)
    if not _is_atif(trajectory.schema_version):
        raise SessionUnreadable("does not say that it is ATIF", at=ref.at)
    agent = trajectory.agent
    provider = _provider(Name(agent=agent))
    # Of an agent that nobody knows, the tools may have any vendor's names.
    told = Told(drift, provider if provider in BY_PROVIDER and provider != PROVIDER else "")
    told.session_id = trajectory.session_id or trajectory.trajectory_id or ref.session_id
    if agent is not None:
        told.version = None if agent.version in ("", "unknown") else agent.version
        told.model = agent.model_name
    version = (trajectory.schema_version or "").removeprefix(_VERSION)
    if is_newer(version, AtifAdapter.tested[1]):
        drift.note(f"version {version[:40]} is newer than {AtifAdapter.tested[1]}", 1)
    is_own = (trajectory.extra or {}).get("exported_by") == _EXPORTED_BY
    teller = Teller(told, include_subagents=include_subagents, is_own=is_own)
    teller.trajectory(trajectory, until_opening=until_opening)
    return AtifSession(told, ref, trajectory, provider=provider, is_own=is_own)


def _trajectory(ref: SessionRef, drift: Drift) -> Trajectory:
    if ref.row is None and probe(ref.path).fields:
        return read_document(ref.path, Trajectory, drift)
    found = _on_line(ref, Trajectory, drift)
    if found is None:
        raise SessionUnreadable("holds no trajectory", at=ref.at)
    return found


def _named(ref: SessionRef) -> Name:
    if ref.row is None:
        return _named_document(ref.path)
    return _on_line(ref, Name, Drift()) or Name()


def _on_line(ref: SessionRef, type_: type[_Line], drift: Drift) -> _Line | None:
    """The trajectory on the line of a session, or the only one; no other is read for it twice."""
    if not _places.has(ref.path):
        _named_lines(ref.path)
    place = _places.place(ref.path, ref.row if isinstance(ref.row, int) else None, drift)
    if place is None:
        return None
    with RecordFile(ref.path, type_, drift) as file:
        return next((found for _, found in file.records_at([place])), None)


def _named_lines(path: Path) -> dict[int, Name]:
    """What the trajectories of a file are called, by line; where they stand is remembered."""
    state, drift = state_of(path), LineDrift()
    names: dict[int, Name] = {}
    places: dict[int, Place] = {}
    with RecordFile(path, Name, drift) as file:
        for place, name in file.records():
            if _is_atif(name.schema_version):
                names[place[2]], places[place[2]] = name, place
    _places.remember(state, places, drift)
    return names


def _named_document(path: Path) -> Name:
    name = read_document(path, Name, Drift())
    if not _is_atif(name.schema_version):
        raise SessionUnreadable("does not say that it is ATIF", at=Location(path))
    return name


def _id(name: Name, path: Path) -> str:
    return name.session_id or name.trajectory_id or path.stem


def _provider(name: Name) -> str:
    agent = (name.agent and name.agent.name) or ""
    word = re.sub(r"[^a-z0-9.]+", "-", agent.lower()).strip("-.")[:40]
    return _HARBOR.get(word, word) or PROVIDER


def _is_atif(version: Any) -> bool:
    return isinstance(version, str) and version.startswith(_VERSION)


def _id_of(path: Path) -> str:
    """The id that a trajectory says at its beginning, else the name of its trial."""
    found = _ID.search(head_of(path, _HEAD))
    return found[1].decode("utf-8", "replace") if found else path.parent.parent.name
