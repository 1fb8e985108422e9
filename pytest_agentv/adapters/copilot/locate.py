"""Where Copilot keeps its sessions, and which of them are of one project."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.base import SessionRef
from pytest_agentv.adapters.copilot.records import Context
from pytest_agentv.adapters.copilot.workspace import workspace_of
from pytest_agentv.adapters.ids import UUID_PATTERN, one_of_each
from pytest_agentv.adapters.places import client_home
from pytest_agentv.adapters.projects import Project
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EVENTS = "events.jsonl"
_SUFFIXES = (".jsonl", ".json")
_FOLDERS = ("session-state", "history-session-state")
# Programs that run Copilot may choose the id of a session themselves.
_ANY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_OLD_NAME = re.compile(rf"session_(?P<id>{UUID_PATTERN})_[0-9]+")
# Events to look at for the folder a session ran in.
_EVENTS_TO_CWD = 50


def home(environ: Mapping[str, str]) -> Path | None:
    """The folder with everything of Copilot's; its sessions are in folders of it."""
    return client_home(environ, "COPILOT_HOME", usual=".copilot")


def sessions(main: Path, project: Path | None, environ: Mapping[str, str]) -> Iterator[SessionRef]:
    """All sessions, or those of one project and its git worktrees."""
    folders = [main / name for name in _FOLDERS]
    if main == home(environ) and not environ.get("COPILOT_HOME"):
        folders += _other_folders(environ)
    # A newer version takes over the files of an older one and goes on.
    every = (ref for folder in folders for ref in _sessions_in(folder))
    found = one_of_each(every, rank=_length)
    wanted = None if project is None else Project(project)
    for ref in found:
        if wanted is None or any(map(wanted.has, _places(ref.path))):
            yield ref


def session_id_of(path: Path) -> str:
    """The id of a session by the name of its file or folder."""
    name = path.parent.name if path.name == _EVENTS else path.stem
    old = _OLD_NAME.fullmatch(name)
    return name if old is None else old["id"]


def _other_folders(environ: Mapping[str, str]) -> list[Path]:
    """Where sessions may lie besides: versions up to 0.0.421 followed XDG_STATE_HOME."""
    folders = []
    state = environ.get("XDG_STATE_HOME")
    if state:
        folders += [Path(state) / ".copilot" / name for name in _FOLDERS]
    user = user_home(environ)
    if user is not None:
        folders.append(user / ".copilot-cli" / "sessions")
    return folders


def _sessions_in(folder: Path) -> Iterator[SessionRef]:
    for entry in _entries(folder):
        path = Path(entry.path)
        try:
            # Links are not followed: they may lead anywhere.
            if entry.is_dir(follow_symlinks=False):
                path /= _EVENTS  # without it the folder is no session
            elif path.suffix not in _SUFFIXES:
                continue
            status = path.lstat()
        except OSError:
            continue
        session_id = session_id_of(path)
        if stat.S_ISREG(status.st_mode) and _ANY_ID.fullmatch(session_id):
            yield SessionRef(session_id, path, status.st_size, status.st_mtime)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _length(ref: SessionRef) -> tuple[bool, int]:
    # The size of the old form cannot be compared with that of events.
    return ref.path.suffix == ".jsonl", ref.size


class _Start(msgspec.Struct):
    context: Context | str | None = None


class _Event(msgspec.Struct):
    type: str | None = None
    data: _Start | None = None


def _places(path: Path) -> list[str]:
    """The folders that a session says it ran in: its own one and that of its repository."""
    workspace = workspace_of(path)
    places = [workspace.cwd, workspace.git_root]
    if not any(places) and path.suffix == ".jsonl":
        context = _context(path)
        places = [context.cwd, context.git_root]
    return [place for place in places if place]


def _context(path: Path) -> Context:
    try:
        with RecordFile(path, _Event, Drift()) as file:
            for count, (_, event) in enumerate(file.records()):
                if event.data is not None and isinstance(event.data.context, Context):
                    return event.data.context
                if count >= _EVENTS_TO_CWD:
                    break
    except SessionError:
        pass
    return Context()
