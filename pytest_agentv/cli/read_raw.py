"""The records of a session as the client wrote them: byte by byte in a pipe, harmless on a screen.

No more than one record is held, and of the last so many their places only.
"""

from __future__ import annotations

import sys
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pytest_agentv.adapters.records import MAX_LINE
from pytest_agentv.cli.console import put
from pytest_agentv.transcript.times import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import BinaryIO


class RawRecord(NamedTuple):
    """The bytes of a line, its end included, and where they stand."""

    offset: int
    raw: bytes


class _Timed(msgspec.Struct):
    """Every client writes the time of a record under this key."""

    timestamp: str | None = None


_decode = msgspec.json.Decoder(_Timed).decode


def raw_records(file: BinaryIO, *, start: int = 0, only_whole: bool = False) -> Iterator[RawRecord]:
    """The lines of a file as it is now: it may grow meanwhile. A line too long comes in pieces.

    With ``only_whole`` a last line that has no end yet is left out.
    """
    size = file.seek(0, 2)
    offset = file.seek(start)
    for line in iter(partial(file.readline, MAX_LINE), b""):
        raw = line[: size - offset]
        if only_whole and not raw.endswith(b"\n") and len(raw) < MAX_LINE:
            return
        yield RawRecord(offset, raw)
        offset += len(raw)
        if offset >= size:
            return


def recent(records: Iterable[RawRecord], since: datetime | None) -> Iterator[RawRecord]:
    """Records from a moment on. One that says no time is as old as the one before it."""
    known = None
    for record in records:
        if since is not None:
            known = _time_of(record.raw) or known
        if since is None or (known is not None and known >= since):
            yield record


def put_records(
    file: BinaryIO,
    records: Iterable[RawRecord],
    *,
    since: datetime | None = None,
    last: int | None = None,
) -> int:
    """Print records of a file, or some of them; how many they were."""
    found = recent(records, since)
    if last is not None:
        places = deque(((one.offset, len(one.raw)) for one in found), maxlen=last)
        found = (_record_at(file, offset, length) for offset, length in places)
    count = 0
    for count, record in enumerate(found, 1):  # noqa: B007 (the count is what is returned)
        _put(record.raw)
    sys.stdout.flush()
    return count


def _put(raw: bytes) -> None:
    if sys.stdout.isatty():
        put(raw.decode("utf-8", "replace").rstrip("\r\n"))
    else:
        sys.stdout.buffer.write(raw)


def _record_at(file: BinaryIO, offset: int, length: int) -> RawRecord:
    file.seek(offset)
    return RawRecord(offset, file.read(length))


def _time_of(raw: bytes) -> datetime | None:
    try:
        return moment(_decode(raw).timestamp)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
