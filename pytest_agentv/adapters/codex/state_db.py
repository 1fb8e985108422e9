"""What Codex's own database knows of its sessions: the folder that each ran in.

It spares opening thousands of files, and is never needed: it may be stale, locked, broken or
of a version nobody knows. No path in it is ever opened; it is asked about files found on disk.
"""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.sqlite import columns, opened_copy
from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

# The number counts generations of the schema.
_NAME = re.compile(r"state_([0-9]{1,9})\.sqlite")
_MAX_ROWS = 200_000
# Windows has no longer paths, and other systems hardly any.
_MAX_PATH = 32_767
_MAX_CONFIG = 4 << 20


class Threads:
    """The folders that sessions ran in, by a session's id or its file's name."""

    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._by_name: dict[str, str] = {}

    def add(self, thread_id: object, rollout_path: object, cwd: object) -> None:
        """Take a row over, if it says anything of use."""
        if not isinstance(cwd, str) or not 0 < len(cwd) <= _MAX_PATH:
            return
        if isinstance(thread_id, str) and thread_id:
            self._by_id[thread_id.lower()] = cwd
        if isinstance(rollout_path, str) and len(rollout_path) <= _MAX_PATH:
            # Absolute on the machine that wrote it, which may be another one.
            self._by_name[re.split(r"[\\/]", rollout_path)[-1]] = cwd

    def cwd(self, session_id: str, path: Path) -> str | None:
        """The folder a session ran in; None if the database does not say."""
        return self._by_id.get(session_id.lower()) or self._by_name.get(path.name)


def known_threads(home: Path, environ: Mapping[str, str]) -> Threads:
    """The rows of the newest database that can be read; none if there is no such."""
    for folder in _folders(home, environ):
        for database in _databases(folder):
            with contextlib.suppress(SessionError), opened_copy(database) as connection:
                threads = _threads(connection)
                if threads is not None:
                    return threads
    return Threads()


def _threads(connection: sqlite3.Connection) -> Threads | None:
    existing = columns(connection, "threads")
    if "cwd" not in existing or not existing & {"id", "rollout_path"}:
        return None
    names = [
        name if name in existing else f"NULL AS {name}" for name in ("id", "rollout_path", "cwd")
    ]
    query = f"SELECT {', '.join(names)} FROM threads LIMIT {_MAX_ROWS}"  # noqa: S608 (names of ours)
    threads = Threads()
    for row in connection.execute(query):
        threads.add(*row)
    return threads


def _databases(folder: Path) -> list[Path]:
    """Newest generation first."""
    try:
        names = [one.name for one in folder.iterdir()]
    except (OSError, ValueError):  # ValueError: a NUL in a configured path
        return []
    generations = [(int(found[1]), found[0]) for found in map(_NAME.fullmatch, names) if found]
    return [folder / name for _, name in sorted(generations, reverse=True)]


def _folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Where the database may be, as Codex itself looks for it."""
    configured = _config(home).get("sqlite_home")
    from_environ = environ.get("CODEX_SQLITE_HOME")
    folders = []
    if isinstance(configured, str) and configured:
        user = environ.get("HOME") or environ.get("USERPROFILE")
        at_home = user and re.match(r"~[\\/]", configured)
        folders.append(Path(user, configured[2:]) if user and at_home else home / configured)
    if from_environ:
        folders.append(Path(from_environ))
    return list(dict.fromkeys([*folders, home / "sqlite", home]))


def _config(home: Path) -> dict[str, Any]:
    try:
        with open_regular(home / "config.toml") as file:
            return tomllib.loads(file.read(_MAX_CONFIG).decode("utf-8"))
    except (SessionError, ValueError, RecursionError):  # errors of TOML and UTF-8 are ValueErrors
        return {}
