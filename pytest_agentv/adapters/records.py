"""Reading a vendor's JSON lines: whatever is good is kept, whatever is not is counted.

Records are decoded into structs that name just the fields an adapter needs; everything else is
skipped at scanning speed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from pytest_agentv.adapters.lenient import lenient
from pytest_agentv.errors import Location, SessionEmpty, SessionUnreadable
from pytest_agentv.files import UTF16_MARKS, open_regular
from pytest_agentv.jsontext import objects_in, shallow_json, strict_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO, TypeAlias

    from typing_extensions import Self

    # Where a record stands in its file: offset and length in bytes, line.
    Place: TypeAlias = tuple[int, int, int]

Record = TypeVar("Record", bound=msgspec.Struct)

# Longer records are skipped and counted. None so long was ever seen, but a limit there must be.
MAX_LINE = 64 << 20

# Lines beyond this size are looked at before they are decoded.
ROOMY = 4 << 20
_MAX_VALUES = 2_000_000
_MAX_REASONS = 50
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
BOM = b"\xef\xbb\xbf"
_UNUSABLE: Any = object()
_NO_MESSAGE = "holds no message at all: neither a prompt nor a response"


class Drift:
    """What an adapter met and did not understand: how often, and on which line first."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.first_line: dict[str, int] = {}

    def note(self, reason: str, line: int, times: int = 1) -> None:
        """Count one more of ``reason``."""
        if reason not in self.counts and len(self.counts) >= _MAX_REASONS:
            reason = "other"  # a hostile file may have a new reason on every line
        self.counts[reason] = self.counts.get(reason, 0) + times
        self.first_line[reason] = min(line, self.first_line.get(reason, line))

    def include(self, other: Drift) -> None:
        """Take over what another pass over the same records found: the same again counts once."""
        for reason, count in other.counts.items():
            self.counts[reason] = max(count, self.counts.get(reason, 0))
            self.first_line.setdefault(reason, other.first_line[reason])


def no_message(drift: Drift, *, at: Location, why: str = _NO_MESSAGE) -> SessionUnreadable:
    """The error that a session holds no message.

    If all of it is understood, nobody said anything; else there may have been something.
    """
    return (SessionUnreadable if drift.counts else SessionEmpty)(why, at=at)


def read_document(
    path: Path, type_: type[Record], drift: Drift, *, limit: int = MAX_LINE
) -> Record:
    """A session file that is one JSON object; raises SessionUnreadable if it is none."""
    raw = read_whole(path, limit=limit)
    if is_oversize(raw):
        raise SessionUnreadable("holds too many values for one document", at=Location(path))
    record = record_of(raw, type_, drift)
    if record is None:
        raise SessionUnreadable("is no JSON object", at=Location(path))
    return record


def read_json(path: Path, drift: Drift, *, limit: int = MAX_LINE) -> Any:
    """A session file that is one JSON document of any kind, as plain values."""
    raw = read_whole(path, limit=limit)
    value = _UNUSABLE if is_oversize(raw) else decoded(raw, drift, 1)
    if value is _UNUSABLE:
        raise SessionUnreadable("is no JSON document", at=Location(path))
    return value


def text_lines(path: Path, *, offset: int = 0, number: int = 1) -> Iterator[tuple[int, str]]:
    """The lines of a session that is a text, with their numbers; from a place on that is known."""
    with open_regular(path) as file:
        file.seek(offset)
        for line, raw in enumerate(iter(partial(file.readline, MAX_LINE), b""), number):
            yield line, raw.decode("utf-8", "replace").rstrip("\r\n")


def read_whole(path: Path, *, limit: int = MAX_LINE) -> bytes:
    """The bytes of a file that has to be read at once; raises SessionUnreadable for a huge one."""
    with open_regular(path) as file:
        try:
            raw = file.read(limit + 1)
        except OSError as exc:
            message = f"cannot be read: {exc.strerror}"
            raise SessionUnreadable(message, at=Location(path)) from exc
    if len(raw) > limit:
        message = f"is a single document of more than {limit >> 20} MiB"
        raise SessionUnreadable(message, at=Location(path))
    if raw[:2] in UTF16_MARKS:
        raise SessionUnreadable("is UTF-16 text; sessions are UTF-8", at=Location(path, 1))
    return raw.removeprefix(BOM)


def record_of(
    raw: bytes | msgspec.Raw, type_: type[Record], drift: Drift, line: int = 1
) -> Record | None:
    """A record from a JSON object, without the fields that do not fit; None if it is no object."""
    try:
        return msgspec.json.decode(raw, type=type_)
    except UNREADABLE:
        value = decoded(bytes(raw), drift, line)
    return lenient(value, type_, drift, line) if isinstance(value, dict) else None


def decoded(raw: bytes, drift: Drift, line: int) -> Any:
    """The value of a JSON text, repaired where that is possible; a mark if it is not."""
    try:
        return msgspec.json.decode(raw)
    except UNREADABLE:
        reason, strict = "text repaired", strict_json(raw)
        if strict is None and (flat := shallow_json(raw)) is not None:
            reason, strict = "value nested too deep", strict_json(flat)
    if strict is None:
        return _UNUSABLE
    try:
        value = msgspec.json.decode(strict)
    except UNREADABLE:
        return _UNUSABLE
    drift.note(reason, line)
    return value


def is_oversize(raw: bytes) -> bool:
    """Whether a long line is too long, or would take a hundred times its size in memory."""
    if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
        return True
    return raw.count(b"{") + raw.count(b"[") > _MAX_VALUES


def shown(name: object) -> str:
    """A name out of a session for a drift reason: short, and printable."""
    return repr(str(name)[:40])


class RecordFile(Generic[Record]):
    """A session file as records of one type: all of them in one pass, or one by its place.

    What counts is the file as it was when opened: a live session may grow meanwhile.
    """

    # Lines that hold nothing; to decode them takes its time, and a file may have millions.
    passed_over: tuple[bytes, ...] = (b"\n", b"\r\n")

    def __init__(
        self, path: Path, type_: type[Record], drift: Drift, *, file: BinaryIO | None = None
    ) -> None:
        """``file``: what to read in place of the file itself, which may be compressed."""
        self.path = path
        self.drift = drift
        self._type = type_
        self._decode = msgspec.json.Decoder(type_).decode
        self._file = open_regular(path) if file is None else file
        self.size = self._file.seek(0, 2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def records(self) -> Iterator[tuple[Place, Record]]:
        """Every record and its place."""
        try:
            yield from self._records()
        except OSError as exc:
            raise self._unreadable(exc) from exc

    def _records(self) -> Iterator[tuple[Place, Record]]:
        decode = self._decode
        passed_over = self.passed_over
        size = self.size
        offset = self._start()
        for line, raw in enumerate(iter(partial(self._file.readline, MAX_LINE), b""), 1):
            if offset + len(raw) > size:  # written after we opened it
                raw = raw[: size - offset]  # noqa: PLW2901 (the rest is none of our business)
            length = len(raw)
            end = offset + length
            if length > ROOMY and is_oversize(raw):
                self.drift.note("oversize record", line)
                end += 0 if raw.endswith(b"\n") else self._skip_line()
            elif raw not in passed_over:
                try:
                    record = decode(raw)
                except UNREADABLE:
                    yield from self._salvaged(raw, offset, line)
                else:
                    yield (offset, length, line), record
            if end >= size:
                return
            offset = end

    def records_at(self, places: list[Place]) -> list[tuple[int, Record]]:
        """Line and record for places that ``records`` named; what has changed since is counted."""
        decode = self._decode
        found = []
        for offset, length, line in places:
            try:
                self._file.seek(offset)
                raw = self._file.read(length)
            except OSError as exc:
                raise self._unreadable(exc) from exc
            try:
                found.append((line, decode(raw)))
            except UNREADABLE:
                value = decoded(raw, self.drift, line)
                if isinstance(value, dict):
                    found.append((line, lenient(value, self._type, self.drift, line)))
                else:
                    self.drift.note("record changed while it was read", line)
        return found

    def _unreadable(self, exc: OSError) -> SessionUnreadable:
        return SessionUnreadable(f"cannot be read: {exc.strerror}", at=Location(self.path))

    def _start(self) -> int:
        self._file.seek(0)
        mark = self._file.read(len(BOM))
        if mark[:2] in UTF16_MARKS:
            message = "is UTF-16 text; sessions are UTF-8"
            raise SessionUnreadable(message, at=Location(self.path, 1))
        return self._file.seek(len(BOM) if mark == BOM else 0)

    def _skip_line(self) -> int:
        skipped = 0
        for raw in iter(partial(self._file.readline, MAX_LINE), b""):
            skipped += len(raw)
            if raw.endswith(b"\n"):
                break
        return skipped

    def _salvaged(self, raw: bytes, offset: int, line: int) -> Iterator[tuple[Place, Record]]:
        """What can be had of a line that is not one good record."""
        if not raw.strip():
            return
        value = decoded(raw, self.drift, line)
        if isinstance(value, dict):
            yield (offset, len(raw), line), lenient(value, self._type, self.drift, line)
        elif value is not _UNUSABLE:
            self.drift.note("record that is no object", line)
        else:
            yield from self._objects(raw, offset, line)

    def _objects(self, raw: bytes, offset: int, line: int) -> Iterator[tuple[Place, Record]]:
        """Records that stand on one line: glued together, or one after a torn one."""
        found = list(objects_in(raw))
        if sum(end - start for start, end in found) < len(raw.strip()):
            torn = not raw.endswith(b"\n")
            self.drift.note("unfinished last line" if torn else "unreadable line", line)
        for start, end in found:
            value = decoded(raw[start:end], self.drift, line)
            if isinstance(value, dict):
                yield (
                    (offset + start, end - start, line),
                    lenient(value, self._type, self.drift, line),
                )
            else:
                self.drift.note("unreadable line", line)
