"""Sessions where somebody says that they are, instead of where their client keeps them.

A place may be a folder, a file or a glob. A folder is what the adapter calls its home, or the one
above that, or one within, or any folder with files that the adapter knows: whatever a person calls
the place of their sessions.
"""

from __future__ import annotations

import glob
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import FolderSessions, refs_of
from pytest_agentv.adapters.places import MAX_DEPTH, file_ref, files_below, folder_ref, folders_in
from pytest_agentv.adapters.projects import of_project
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentv.adapters.base import Adapter, SessionRef

# Whose home folder says where in a home a client has its own.
_SOMEBODY = Path(os.sep, "somebody")
# What files of sessions are called, in a folder that is nobody's home.
_ENDINGS = (".jsonl", ".jsonl.zst", ".json", ".traj", ".md", ".db", ".history")


def sessions_at(
    adapter: Adapter, places: Sequence[str], *, project: Path | None
) -> Iterator[SessionRef]:
    """The sessions of an adapter at places that somebody named; each once."""
    seen = set()
    for path in _found(places):
        for ref in _sessions_at(adapter, path, project):
            key = (os.path.realpath(ref.path), ref.row)
            if key not in seen:
                seen.add(key)
                yield ref


def base_of(place: str) -> Path:
    """The folder or file that a place is or begins with: what stands before the stars of a glob."""
    if os.path.lexists(place) or not glob.has_magic(place):
        return Path(place)
    parts = Path(place).parts
    wild = next(number for number, part in enumerate(parts) if glob.has_magic(part))
    return Path(*parts[:wild])


def _found(places: Iterable[str]) -> Iterator[Path]:
    for place in places:
        if os.path.lexists(place) or not glob.has_magic(place):
            yield Path(place)
        else:
            yield from map(Path, sorted(glob.iglob(place, recursive=True)))  # noqa: PTH207 (absolute)


def _sessions_at(adapter: Adapter, path: Path, project: Path | None) -> Iterator[SessionRef]:
    if path.is_dir():
        for home in _homes(adapter, path):
            if any(True for _ in _below(path, adapter.sessions(home))):
                yield from _below(path, adapter.sessions(home, project=project))
                return
    refs = _in_folder(adapter, path) if path.is_dir() else _in_file(adapter, path)
    yield from of_project(refs, project, lambda ref: adapter.summarize(ref).project)


def _below(path: Path, refs: Iterable[SessionRef]) -> Iterator[SessionRef]:
    """The sessions of a folder: a home may have others besides."""
    return (one for one in refs if one.path.is_relative_to(path))


def _in_folder(adapter: Adapter, path: Path, depth: int = MAX_DEPTH) -> Iterator[SessionRef]:
    """The sessions of a folder that is nobody's home."""
    if isinstance(adapter, FolderSessions) and adapter.claims_folder(path):
        yield from _in_file(adapter, path)
        return
    for file in files_below(path, *_ENDINGS, depth=0):
        if adapter.claims(file):
            yield from _in_file(adapter, file)
    for folder in folders_in(path) if depth else ():
        yield from _in_folder(adapter, folder, depth - 1)


def _homes(adapter: Adapter, path: Path) -> Iterator[Path]:
    """What a folder may be to an adapter: its home, what its home is in, what is in its home."""
    yield path
    usual = adapter.home({"HOME": str(_SOMEBODY), "USERPROFILE": str(_SOMEBODY)})
    if usual is not None and usual.is_relative_to(_SOMEBODY):
        yield path / usual.name
        # Of that name only: to look through any other folder above may take for ever.
        yield from (one for one in path.absolute().parents if one.name == usual.name)


def _in_file(adapter: Adapter, path: Path) -> list[SessionRef]:
    """The sessions of a file or folder that somebody named; none if it cannot be read."""
    with suppress(SessionError):
        found = (one if one.modified else _dated(one) for one in refs_of(adapter, path))
        return [ref for ref in found if ref is not None]
    return []


def _dated(ref: SessionRef) -> SessionRef | None:
    """A session with its size and age; None if it is gone."""
    if ref.path.is_dir():
        return folder_ref(ref.session_id, ref.path, "")
    return file_ref(ref.session_id, ref.path, row=ref.row)
