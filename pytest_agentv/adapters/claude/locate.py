"""Where Claude Code keeps its sessions, and which of them are of one project."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.base import SessionRef
from pytest_agentv.adapters.ids import is_uuid
from pytest_agentv.adapters.places import folders_in
from pytest_agentv.adapters.projects import worktrees
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# A longer name is cut here, and a hash follows that differs between versions of the client.
_NAME_LIMIT = 200
# Records to look at for the folder a session ran in; metadata may come first.
_RECORDS_TO_CWD = 50


def projects_folder(environ: Mapping[str, str]) -> Path | None:
    """The folder with one folder per project."""
    configured = environ.get("CLAUDE_CONFIG_DIR")
    if configured:
        return Path(unicodedata.normalize("NFC", configured)) / "projects"
    home = user_home(environ)
    return home and home / ".claude" / "projects"


def folder_name(project: str) -> str:
    """The name of a project's folder, up to the length at which the client adds a hash."""
    # The client counts in UTF-16, where one character may be two units.
    units = re.sub(r"[^A-Za-z0-9]", lambda match: "-" * _utf16_units(match.group()), project)
    return units[:_NAME_LIMIT]


def sessions(projects: Path, project: Path | None) -> Iterator[SessionRef]:
    """All sessions, or those of one project and its git worktrees."""
    if project is None:
        for folder in folders_in(projects):
            yield from _sessions_in(folder)
        return
    places = [_canonical(place) for place in (project, *worktrees(project))]
    names = {folder_name(place) for place in places}
    matching = [folder for folder in folders_in(projects) if _has_name(folder.name, names)]
    found = [
        ref
        for folder in matching
        for ref in _sessions_in(folder)
        if not _is_of_another(ref.path, places, names)
    ]
    if not found:
        # A folder may have been renamed; the records themselves say where they were made.
        everywhere = (ref for folder in folders_in(projects) for ref in _sessions_in(folder))
        found = [ref for ref in everywhere if _cwd(ref.path) in places]
    yield from found


def _is_of_another(path: Path, places: list[str], names: set[str]) -> bool:
    """Whether a session is of another project whose folder has the same name: my-app, my_app."""
    cwd = _cwd(path)
    return cwd is not None and cwd not in places and folder_name(cwd) in names


class _Cwd(msgspec.Struct):
    cwd: str | None = None


def _cwd(path: Path) -> str | None:
    try:
        with RecordFile(path, _Cwd, Drift()) as file:
            for count, (_, record) in enumerate(file.records()):
                if record.cwd is not None:
                    return unicodedata.normalize("NFC", record.cwd)
                if count >= _RECORDS_TO_CWD:
                    break
    except SessionError:
        pass
    return None


def _canonical(project: Path) -> str:
    return unicodedata.normalize("NFC", os.path.realpath(project))


def _has_name(name: str, names: set[str]) -> bool:
    cut = name[:_NAME_LIMIT] if len(name) > _NAME_LIMIT else name
    return cut in names


def _sessions_in(folder: Path) -> Iterator[SessionRef]:
    try:
        with os.scandir(folder) as entries:
            files = sorted(
                (one for one in entries if one.name.endswith(".jsonl")), key=lambda one: one.name
            )
    except OSError:
        return
    for one in files:
        session_id = one.name.removesuffix(".jsonl")
        if not is_uuid(session_id):  # sub-agents and other things lie here too
            continue
        try:
            if not one.is_file():
                continue
            status = one.stat()
        except OSError:
            continue
        yield SessionRef(session_id, Path(one.path), status.st_size, status.st_mtime)


def _utf16_units(character: str) -> int:
    return len(character.encode("utf-16-le", "surrogatepass")) // 2
