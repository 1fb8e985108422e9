"""The sessions below ``tests/data`` as files of records, every place of which can be changed.

A file is lines of JSON, one JSON document, the cells of a database, or lines of text.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adapter_fixtures import fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator

# Keys and indices; None steps into a text that holds JSON.
Steps: TypeAlias = "tuple[str | int | None, ...]"

_MARK = "\N{BLACK SCISSORS}place\N{BLACK SCISSORS}"
_RAW_MARK = json.dumps(_MARK, ensure_ascii=False).encode()
_JSON_FILES = (".json", ".jsonl", ".traj")
# Of long lists the first items: those that follow are like them.
_MAX_ITEMS = 12
_BITS = 64
# Beside these sessions lie files that belong to them.
_WITH_FOLDERS = ("claude",)


class Place(NamedTuple):
    """A value in a session: the file, the record of it, and the way to it inside the record."""

    file: str
    record: int
    steps: Steps

    def __str__(self) -> str:
        return f"{self.file}:{self.record}:{'.'.join(map(str, self.steps))}"


@dataclass
class Content:
    """A file of a session: its records as bytes, and as values where they are JSON."""

    raws: list[bytes]
    values: list[Any]
    # Of a database: table, row and column of each record; they are its cells.
    cells: list[tuple[str, int, str]] = field(default_factory=list)

    def joined(self, at: int, raw: bytes | None) -> bytes:
        """The bytes of the file with another record in place of one, or without it."""
        return b"".join((*self.raws[:at], raw or b"", *self.raws[at + 1 :]))


@dataclass
class Seed:
    """A session, whose it is, and its files by their names below a folder."""

    adapter: str
    # The file or folder that is named to the adapter.
    name: str
    files: dict[str, bytes]
    contents: dict[str, Content]

    @property
    def id(self) -> str:
        """For messages."""
        return f"{self.adapter}/{self.name}"

    def write(self, folder: Path) -> Path:
        """Make the session in a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder / self.name

    def places(self) -> Iterator[Place]:
        """Every place of every record."""
        for file, content in self.contents.items():
            for number, value in enumerate(content.values):
                yield from (Place(file, number, steps) for steps in _places(value))

    def value(self, place: Place) -> Any:
        """What stands at a place."""
        value = self.contents[place.file].values[place.record]
        for step in place.steps:
            value = json.loads(value) if step is None else value[step]
        return value

    def changed(self, place: Place, raw: bytes | None) -> bytes | None:
        """The record of a place with other JSON there, or without what stands there."""
        content = self.contents[place.file]
        if not place.steps:
            return raw if raw is None or content.cells else raw.strip(b'"') + b"\n"
        value = _with_mark(content.values[place.record], place.steps, raw)
        end = b"\n" if content.raws[place.record].endswith(b"\n") else b""
        return json.dumps(value, ensure_ascii=False).encode().replace(_RAW_MARK, raw or b"") + end


def seeds(*names: str) -> list[Seed]:
    """The sessions of some adapters."""
    found = []
    for one in fixtures(*names):
        if one.adapter in _WITH_FOLDERS and one.path.is_dir():
            continue
        if one.path.is_dir() and one.adapter == "codex":
            paths = sorted(one.path.glob("*.jsonl"))
            found += [_seed(one.adapter, path.name, paths, one.path) for path in paths]
        else:
            beside = one.path.with_suffix("")
            folders = [one.path, beside] if one.adapter in _WITH_FOLDERS else [one.path]
            paths = [path for folder in folders for path in _files(folder)]
            found.append(_seed(one.adapter, one.path.name, paths, one.path.parent))
    return found


def _files(path: Path) -> list[Path]:
    inner = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [one for one in inner if one.is_file()]


def _seed(adapter: str, name: str, paths: list[Path], folder: Path) -> Seed:
    seed = Seed(adapter, name, {}, {})
    for path in paths:
        raw = path.read_bytes()
        own = path.relative_to(folder).as_posix()
        if path.suffix == ".sql":
            seed.name = own = f"{path.stem}.db"
            raw = _database(raw.decode())
            seed.contents[own] = _cells(raw)
        else:
            seed.contents[own] = _records(path.suffix, raw)
        seed.files[own] = raw
    return seed


def _records(suffix: str, raw: bytes) -> Content:
    if suffix in _JSON_FILES:
        try:
            return Content([raw], [json.loads(raw)])
        except ValueError:
            pass
    raws = raw.splitlines(keepends=True)
    return Content(raws, [_parsed(one) for one in raws])


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode("utf-8", "replace")  # a line of text: one place


def _database(statements: str) -> bytes:
    """A database that takes any value anywhere."""
    loose = statements.replace(" NOT NULL", "").replace(" PRIMARY KEY", "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(loose)
            connection.commit()
        return path.read_bytes()


def _cells(raw: bytes) -> Content:
    content = Content([], [])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        path.write_bytes(raw)
        with closing(sqlite3.connect(path)) as connection:
            tables = connection.execute("select name from sqlite_master where type = 'table'")
            for (table,) in tables.fetchall():
                rows = connection.execute(f'select rowid, * from "{table}"')  # noqa: S608 (ours)
                columns = [one[0] for one in rows.description][1:]
                for row, *values in rows:
                    for column, value in zip(columns, values, strict=True):
                        content.cells.append((table, row, column))
                        is_text = type(value) is str
                        content.values.append(_parsed(value.encode()) if is_text else value)
                        content.raws.append(b"")
    return content


def write_cell(path: Path, cell: tuple[str, int, str], raw: bytes | None) -> None:
    """Put a value into a cell of a database, or take its row away."""
    table, row, column = cell
    with closing(sqlite3.connect(path)) as connection:
        if raw is None:
            connection.execute(f'delete from "{table}" where rowid = ?', (row,))  # noqa: S608
        else:
            change = f'update "{table}" set "{column}" = {{}} where rowid = ?'  # noqa: S608
            value = _cell_value(raw)
            cast = "cast(? as text)" if type(value) is bytes else "?"
            connection.execute(change.format(cast), (value, row))
        connection.commit()


def _cell_value(raw: bytes) -> Any:
    """As SQLite can hold it: what it has no type for is the text of it."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return raw.strip(b'"')
    if type(value) is int and value.bit_length() >= _BITS:
        return raw
    if type(value) in (dict, list) or (type(value) is str and not value.isprintable()):
        return raw if type(value) is not str else value.encode("utf-8", "surrogatepass")
    return value


def _places(value: Any) -> Iterator[Steps]:
    yield ()
    keys: list[str | int] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(min(len(value), _MAX_ITEMS)))
    for key in keys:
        yield from ((key, *steps) for steps in _places(value[key]))
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            inner = json.loads(value)
        except ValueError:
            return
        yield from ((None, *steps) for steps in _places(inner) if steps)


def _with_mark(value: Any, steps: Steps, raw: bytes | None) -> Any:
    """A copy with the mark at a place, or with nothing there."""
    step, *rest = steps
    if step is None:
        inner = json.dumps(_with_mark(json.loads(value), tuple(rest), raw), ensure_ascii=False)
        text = inner.encode().replace(_RAW_MARK, raw or b"")
        return text.decode("utf-8", "replace")
    copy = value.copy()
    if rest:
        copy[step] = _with_mark(value[step], tuple(rest), raw)
    elif raw is None:
        del copy[step]
    else:
        copy[step] = _MARK
    return copy
