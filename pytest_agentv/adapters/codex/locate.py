"""Where Codex keeps its sessions, and which of them are of one project.

The files are the truth. Codex's database merely says what their names do not.
"""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionRef
from pytest_agentv.adapters.ids import UUID_PATTERN, one_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_agentv.adapters.codex.beginning import Beginning

_FOLDERS = ("sessions", "archived_sessions")
_SUFFIXES = (".jsonl", ".jsonl.zst", ".json")
_NAME = re.compile(
    r"rollout-(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9]{2}-[0-9]{2}-[0-9]{2})?"
    # The second id is there once turns were taken back: the thread goes on in another file.
    rf"-(?P<thread>{UUID_PATTERN})(?:_(?P<rollout>{UUID_PATTERN}))?\.(?:jsonl|jsonl\.zst|json)$"
)


def home(environ: Mapping[str, str]) -> Path | None:
    """The folder with everything of Codex's; its sessions are in folders of it."""
    configured = environ.get("CODEX_HOME")
    if configured:
        return Path(configured)
    user = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(user) / ".codex" if user else None


def sessions(home: Path, project: Path | None, environ: Mapping[str, str]) -> Iterator[SessionRef]:
    """All sessions, or those of one project and its git worktrees; child threads as well."""
    # One file of each thread: it may be archived, packed or copied besides.
    found = one_of_each(_files(home), rank=_age)
    if project is None:
        yield from found
        return
    # These load SQLite and the configuration, which whoever names a file does not need.
    from pytest_agentv.adapters.codex.state_db import known_threads  # noqa: PLC0415
    from pytest_agentv.adapters.projects import Project  # noqa: PLC0415

    wanted = Project(project)
    threads = known_threads(home, environ)
    for ref in found:
        cwd = threads.cwd(ref.session_id, ref.path) or _cwd(ref.path)
        if cwd is not None and wanted.has(cwd):
            yield ref


def is_own_session(ref: SessionRef) -> bool:
    """Whether a person or a program began a session, and neither another thread nor Codex."""
    beginning = _beginning(ref.path, until=lambda found: found.is_child or found.prompt is not None)
    return not beginning.is_child and not beginning.is_title_generation


def session_id_of(path: Path) -> str:
    """The id of a session, which is its thread's, by the name of its file."""
    found = _NAME.search(path.name)
    return found["thread"] if found else _stem(path)


def date_of(ref: SessionRef) -> date | None:
    """The day a session began, where it ran: names and folders are in local time."""
    found = _NAME.search(ref.path.name)
    written = found["date"] if found else "-".join(ref.path.parts[-4:-1])
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None


def _cwd(path: Path) -> str | None:
    return _beginning(path, until=lambda found: found.cwd is not None).cwd


def _beginning(path: Path, *, until: Callable[[Beginning], bool]) -> Beginning:
    from pytest_agentv.adapters.codex.beginning import read_beginning  # noqa: PLC0415 (see above)

    return read_beginning(path, until=until)


def _age(ref: SessionRef) -> tuple[str, bool, int, float, str]:
    found = _NAME.search(ref.path.name)
    # Ids of rollouts grow with time. A file only grows, so the longest copy has everything, but
    # the size of a packed one says nothing.
    rollout = (found["rollout"] or "").lower() if found else ""
    is_plain = ref.path.suffix != ".zst"
    return rollout, is_plain, ref.size, ref.modified, str(ref.path)


def _files(home: Path) -> Iterator[SessionRef]:
    folders = [str(home / name) for name in _FOLDERS if not _leads_out(home / name, home)]
    while folders:
        for entry in _entries(folders.pop()):
            # Links are not followed: they may lead out of here, or round in circles.
            if _is_folder(entry):
                folders.append(entry.path)
            elif entry.name.startswith("rollout-") and entry.name.endswith(_SUFFIXES):
                yield from _ref(entry)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _leads_out(folder: Path, home: Path) -> bool:
    return not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(home))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _ref(entry: os.DirEntry[str]) -> Iterator[SessionRef]:
    try:
        if not entry.is_file(follow_symlinks=False):
            return
        status = entry.stat(follow_symlinks=False)
    except OSError:  # gone meanwhile
        return
    path = Path(entry.path)
    yield SessionRef(session_id_of(path), path, status.st_size, status.st_mtime)


def _stem(path: Path) -> str:
    suffix = next((one for one in _SUFFIXES if path.name.endswith(one)), path.suffix)
    return path.name.removesuffix(suffix)
