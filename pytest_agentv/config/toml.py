"""TOML files of people: read once while they do not change, and with the lines of their keys."""

from __future__ import annotations

import os
import stat
import sys
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pytest_agentv.errors import Location, SessionError, SettingsError
from pytest_agentv.files import read_small

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Values of more lines than these have no line of their own in messages, nor what follows them.
_LONGEST = 500
_LARGEST = 5 << 20
# One of them is on the last line of a value that has several.
_ENDS = ("]", "}", '"""', "'''")


class TomlFile:
    """What a file says, and where."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.document: dict[str, Any] = tomllib.loads(text)

    def table(self, *names: str) -> Any:
        """A table in tables; an empty one if it is not there."""
        found: Any = self.document
        for name in names:
            found = found.get(name, {}) if isinstance(found, dict) else {}
        return found

    def at(self, *names: str) -> Location:
        """Where a key stands; where a table begins, for what is not found in it."""
        for length in range(len(names), 0, -1):
            if names[:length] in self._lines:
                return Location(self.path, self._lines[names[:length]])
        return Location(self.path)

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        """The lines of all keys: each statement is parsed by itself, which says where it ends."""
        lines: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        statement: list[str] = []
        for number, line in enumerate(self.text.split("\n"), start=1):
            statement.append(line)
            if len(statement) > 1 and not any(end in line for end in _ENDS):
                continue
            try:
                said = tomllib.loads("\n".join(statement))
            except ValueError:
                if len(statement) > _LONGEST:
                    break
                continue
            first = number - len(statement) + 1
            if statement[0].lstrip().startswith("["):
                table = _innermost(said)
                paths = [table[:length] for length in range(1, len(table) + 1)]
            else:
                paths = [table + path for path in _paths(said)]
            for path in paths:
                lines.setdefault(path, first)
            statement = []
        return lines


def read_toml(path: Path) -> TomlFile | None:
    """A file, None if there is none; SettingsError if it cannot be read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            if path == Path(os.devnull):  # as people say that there is no file
                return None
            raise SettingsError("is no regular file", at=Location(path))
        return _read(path, (status.st_mtime_ns, status.st_size, status.st_ino))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as exc:  # TOML errors are ValueErrors
        reason = exc.strerror if isinstance(exc, OSError) else exc
        raise SettingsError(f"cannot be read: {reason}", at=Location(path)) from exc


@lru_cache(maxsize=8)
def _read(path: Path, _state: tuple[int, int, int]) -> TomlFile:
    try:
        raw = read_small(path, limit=_LARGEST)
    except SessionError as exc:
        raise SettingsError(exc.message, at=exc.at) from exc
    return TomlFile(path, raw.decode("utf-8").replace("\r\n", "\n"))


def _innermost(said: Any) -> tuple[str, ...]:
    """The name of the table that a header opens."""
    names = []
    while said:
        if isinstance(said, list):
            said = said[0]
            continue
        ((name, said),) = said.items()
        names.append(name)
    return tuple(names)


def _paths(said: Any) -> list[tuple[str, ...]]:
    """The keys of a statement, those of tables in it as well."""
    if not isinstance(said, dict):
        return []
    return [
        path
        for name, value in said.items()
        for path in [(name,), *((name, *rest) for rest in _paths(value))]
    ]
