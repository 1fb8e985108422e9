"""Sessions of every client whose adapter is tested by its fixtures alone.

A folder below ``tests/data`` is named as the adapter. In it stand sessions, files or folders, and
beside each its transcript. A database is kept as the statements that make it (``.sql``).
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pytest_agentv.catalogue import ADAPTERS

DATA = Path(__file__).parents[1] / "data"
# These have tests of their own, and goldens that are compared there.
OLD = ("claude", "codex", "copilot", "entire")
NAMES = [one.name for one in ADAPTERS if one.name not in OLD]
_GOLDEN = ".transcript.json"
_PLACES = "places.json"


class Fixture(NamedTuple):
    """A session, whose it is, and the transcript that it must become."""

    adapter: str
    path: Path
    golden: Path

    @property
    def id(self) -> str:
        """As a test's parameter."""
        return f"{self.adapter}-{self.path.name}"

    def made(self, folder: Path) -> Path:
        """The session as a client writes it: the same, but a database is made in a folder."""
        if self.path.suffix != ".sql":
            return self.path
        database = folder / f"{self.path.stem}.db"
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(self.path.read_text(encoding="utf-8"))
            connection.commit()
        return database


def _golden_of(path: Path) -> Path:
    name = path.name if path.is_dir() else path.name.partition(".")[0]
    return path.with_name(f"{name}{_GOLDEN}")


def fixtures(*names: str) -> list[Fixture]:
    """The sessions of some adapters, or of all that have no other tests."""
    return [
        Fixture(name, path, _golden_of(path))
        for name in names or NAMES
        for path in sorted((DATA / name).glob("*"))
        if not path.name.endswith((_GOLDEN, _PLACES))
    ]


def places() -> list[tuple[str, dict[str, Any]]]:
    """Where sessions of each adapter lie: a fixture, its place below a home, the environment."""
    return [
        (name, place)
        for name in NAMES
        if (DATA / name / _PLACES).is_file()  # a test finds who has none
        for place in json.loads((DATA / name / _PLACES).read_text(encoding="utf-8"))
    ]
