"""What a file is before anybody knows whose: its form, its first records, its tables.

Every adapter is asked whether a file is its own. They all look at the same probe, so that a
large document is read once and not once per adapter. Nothing here raises for what a file holds.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.records import BOM, MAX_LINE, UNREADABLE, Drift, decoded, is_oversize
from pytest_agentv.adapters.sqlite import tables_of
from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

_HEAD = 1 << 12
SQLITE = b"SQLite format 3\0"
_PARQUET = b"PAR1"
# So many records tell whose they are, and so many bytes of them are read for it.
_MAX_RECORDS = 50
_MAX_BYTES = 16 << 20
# Larger documents than any adapter reads are nobody's.
_MAX_DOCUMENT = 256 << 20
_MAX_NAMES = 10_000
# Documents beyond this size are not kept for the next who asks.
_KEPT_SIZE = 8 << 20
_BLANK = b" \t\r\n"

_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class Probe(msgspec.Struct, frozen=True):
    """What a file or folder looks like."""

    # Its first bytes, without a mark of UTF-8 and white space.
    head: bytes = b""
    # The fields of a file that is one JSON object, their values not decoded yet.
    fields: dict[str, msgspec.Raw] = {}
    # The first items of a file that is one JSON list.
    items: list[Any] = []
    # The objects on the first lines of a file of lines. One object on one line is both this
    # and ``fields``.
    records: list[dict[str, Any]] = []
    # The tables of an SQLite database.
    tables: frozenset[str] = frozenset()
    # What a folder holds: names of files and folders.
    names: frozenset[str] = frozenset()
    is_parquet: bool = False

    @property
    def is_database(self) -> bool:
        """Whether it is an SQLite database, be there tables that can be seen or not."""
        return self.head.startswith(SQLITE)

    @property
    def has_lines(self) -> bool:
        """Whether it is a file of lines, and not one object on one."""
        return bool(self.records) and (len(self.records) > 1 or not self.fields)

    def value(self, name: str) -> Any:
        """A field of the document; None if it is missing."""
        return None if name not in self.fields else _value(self.fields[name])

    def begins(self, name: str, start: bytes) -> bool:
        """Whether a field is there and its JSON begins so: ``[`` for a list."""
        return bytes(self.fields.get(name, b"")).startswith(start)


_NOTHING = Probe()
_last: tuple[object, Probe] = (None, _NOTHING)


def probe(path: Path) -> Probe:
    """What a file or folder looks like; one that cannot be read looks like nothing."""
    global _last  # noqa: PLW0603 (adapters are asked one after another of the same file)
    try:
        status = os.stat(path)  # noqa: PTH116 (a path object is no safer)
        state = (str(path), status.st_size, status.st_mtime_ns, status.st_ino)
        if _last[0] == state:
            return _last[1]
        found = _folder(path) if os.path.isdir(path) else _file(path)  # noqa: PTH112
    except (SessionError, OSError, ValueError):
        return _NOTHING
    if status.st_size <= _KEPT_SIZE:
        _last = (state, found)
    return found


def _folder(path: Path) -> Probe:
    with os.scandir(path) as entries:
        names = frozenset(entry.name for _, entry in zip(range(_MAX_NAMES), entries, strict=False))
    return Probe(names=names)


def _file(path: Path) -> Probe:
    with open_regular(path) as file:
        head = file.read(_HEAD).removeprefix(BOM).lstrip(_BLANK)
        if head.startswith(SQLITE):
            return Probe(head=head, tables=tables_of(path))
        if head.startswith(_PARQUET):
            return Probe(head=head, is_parquet=True)
        if head[:1] == b"{":
            file.seek(0)
            records, is_whole = _lines(file)
            if is_whole or not records:
                file.seek(0)
                return Probe(head=head, fields=_fields(_whole(file)), records=records)
            return Probe(head=head, records=records)
        if head[:1] == b"[":
            file.seek(0)
            return Probe(head=head, items=_items(_whole(file)))
        return Probe(head=head)


def _lines(file: BinaryIO) -> tuple[list[dict[str, Any]], bool]:
    """The objects on the first lines, and whether the first of them is the whole file."""
    records: list[dict[str, Any]] = []
    lines = size = 0
    for raw in iter(partial(file.readline, MAX_LINE), b""):
        size += len(raw)
        if len(raw) == MAX_LINE and not lines:
            return [], True  # too long for a record: it may be a document
        line = raw.removeprefix(BOM).strip(_BLANK)
        if not line:
            continue
        lines += 1
        value = None if is_oversize(raw) else decoded(line, Drift(), 1)
        if isinstance(value, dict):
            records.append(value)
        elif lines == 1 and not line.startswith(b'{"'):
            return [], True  # an object written over several lines
        if lines >= _MAX_RECORDS or (size > _MAX_BYTES and lines > 1):
            return records, False
    return records, lines == 1


def _whole(file: BinaryIO) -> bytes:
    raw = file.read(_MAX_DOCUMENT + 1)
    return b"" if len(raw) > _MAX_DOCUMENT or is_oversize(raw) else raw.removeprefix(BOM)


def _fields(raw: bytes) -> dict[str, msgspec.Raw]:
    try:
        return _decode_fields(raw)
    except UNREADABLE:
        value = decoded(raw, Drift(), 1)
    if not isinstance(value, dict):
        return {}
    return {name: msgspec.Raw(msgspec.json.encode(one)) for name, one in value.items()}


def _items(raw: bytes) -> list[Any]:
    try:
        return [_value(one) for one in _decode_items(raw)[:_MAX_RECORDS]]
    except UNREADABLE:
        value = decoded(raw, Drift(), 1)
    return value[:_MAX_RECORDS] if isinstance(value, list) else []


def _value(raw: msgspec.Raw) -> Any:
    value = decoded(bytes(raw), Drift(), 1)
    return value if isinstance(value, (dict, list, str, int, float, bool)) else None
