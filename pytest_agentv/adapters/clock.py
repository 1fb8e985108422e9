"""Times as transcripts write them: UTC, to the millisecond."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Annotated, Any

import msgspec

# A time that says its zone; one that does not could be anywhere.
Time = Annotated[datetime, msgspec.Meta(tz=True)]

# Milliseconds. A clock that says more is broken, and may even say infinity.
FOREVER = 1e15

_UTC = timezone.utc
_EPOCH = datetime(1970, 1, 1, tzinfo=_UTC)
_text = msgspec.to_builtins
_IN_UTC = len("2026-03-29T21:10:11.969000Z")


def timestamp(time: datetime | None) -> str | None:
    """A time as transcripts write it; None for one that does not say its zone."""
    if time is None:
        return None
    # Several times faster than isoformat(). No time is so long in another zone or without one.
    text: str = _text(time)
    if len(text) == _IN_UTC:
        return text[:23] + "Z"
    if time.tzinfo is None:
        return None
    try:
        time = time.astimezone(_UTC)
    except OverflowError:  # in its own zone it has a year, in UTC none
        return None
    return f"{time.isoformat(timespec='milliseconds')[:-6]}Z"


def milliseconds(start: datetime, end: datetime) -> int:
    """From one time to another."""
    return round((end - start).total_seconds() * 1000)


def elapsed(start: datetime | None, end: datetime | None) -> int | None:
    """Milliseconds between two times, if both are known, comparable and in this order."""
    if start is None or end is None or (start.tzinfo is None) is not (end.tzinfo is None):
        return None
    try:
        passed = milliseconds(start, end)
    except OverflowError:  # in its own zone a time has a year, in UTC none
        return None
    return passed if 0 <= passed < FOREVER else None


def from_epoch(number: float | None, *, per_second: int = 1) -> datetime | None:
    """The time of a clock that counts since 1970, so many ticks a second; None if it is broken."""
    if not isinstance(number, (int, float)) or not 0 < number < FOREVER * per_second:
        return None
    try:
        return _EPOCH + timedelta(microseconds=round(number * 1_000_000 / per_second))
    except OverflowError:
        return None


def from_text(text: Any) -> datetime | None:
    """The time that a text says in ISO 8601, with or without a zone; None if it says none."""
    if type(text) is not str:
        return None
    try:
        return msgspec.convert(text.strip(), datetime)
    except (msgspec.ValidationError, UnicodeEncodeError):  # half a character is no time either
        return None
