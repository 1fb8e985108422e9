"""Where clients keep their sessions: homes and data folders of every system, files in them."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_agentv.adapters.base import SessionRef
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import SessionError
from pytest_agentv.files import read_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Folders below a vendor's that are looked into, one in another.
MAX_DEPTH = 8


def client_home(environ: Mapping[str, str], *variables: str, usual: str) -> Path | None:
    """A client's own folder: what the first of some variables says, else one in the user's home."""
    named = next((environ[one] for one in variables if environ.get(one)), None)
    if named is not None:
        return Path(named)
    home = user_home(environ)
    return home and home / usual


class InUsersHome:
    """An adapter whose client has a folder of its own in the user's home."""

    # The folder, and the variables that name another one: the first of them that is set counts.
    usual_home: ClassVar[str]
    home_variables: ClassVar[tuple[str, ...]]

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """What a variable of the client's says, else its folder in the user's home."""
        return client_home(environ, *self.home_variables, usual=self.usual_home)


class Homeless:
    """An adapter of files that lie where somebody put them: nobody knows where to look."""

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """There is none."""
        del environ
        return None

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """None: whoever has sessions names their files."""
        del home, project
        return iter(())


def data_home(environ: Mapping[str, str]) -> Path | None:
    """Where programs keep data of the user's: XDG_DATA_HOME, else ~/.local/share."""
    if environ.get("XDG_DATA_HOME"):
        return Path(environ["XDG_DATA_HOME"])
    home = user_home(environ)
    return home and home / ".local" / "share"


def config_home(environ: Mapping[str, str], app: str) -> Path | None:
    """Where a program keeps its settings, as the library platformdirs has it."""
    home = user_home(environ)
    if environ.get("XDG_CONFIG_HOME"):
        return Path(environ["XDG_CONFIG_HOME"]) / app
    if sys.platform == "win32" and environ.get("LOCALAPPDATA"):
        return Path(environ["LOCALAPPDATA"]) / app
    if home is not None and sys.platform == "darwin":
        return home / "Library" / "Application Support" / app
    return home and home / ".config" / app


def files_below(folder: Path, *endings: str, depth: int = MAX_DEPTH) -> Iterator[Path]:
    """The regular files below a folder whose names end so, sorted; links are not followed."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except (OSError, ValueError):  # ValueError: a NUL in a name that a session says
        return
    for entry in entries:
        # Neither looks at the disk again, nor raises, where links are not followed.
        if entry.is_dir(follow_symlinks=False):
            if depth:
                yield from files_below(Path(entry.path), *endings, depth=depth - 1)
        elif entry.name.endswith(endings) and entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder, sorted; links are not followed: they may run in a circle."""
    try:
        with os.scandir(folder) as found:
            return sorted(Path(one.path) for one in found if one.is_dir(follow_symlinks=False))
    except OSError:
        return []


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of a file; none if it cannot be read."""
    try:
        return read_part(path, 0, size)
    except (SessionError, OSError):
        return b""


def file_ref(session_id: str, path: Path, *, row: int | str | None = None) -> SessionRef | None:
    """A session by its file; None if the file is gone or is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return SessionRef(session_id, path, status.st_size, status.st_mtime, row)


def folder_ref(session_id: str, folder: Path, *endings: str) -> SessionRef:
    """A session by its folder: as large as its files, as new as the newest of them."""
    size, modified = 0, 0.0
    for path in files_below(folder, *endings):
        found = file_ref(session_id, path)
        if found is not None:
            size += found.size
            modified = max(modified, found.modified)
    return SessionRef(session_id, folder, size, modified)


def row_refs(path: Path, rows: list[tuple[int, str | None]]) -> Iterator[SessionRef]:
    """A session for each row of a file, by line and id; one without an id is named by its file."""
    status = path.stat()
    for number, id_ in rows:
        alone = path.stem if len(rows) == 1 else f"{path.stem}-{number}"
        row = number if len(rows) > 1 else None
        yield SessionRef(id_ or alone, path, status.st_size, status.st_mtime, row)
