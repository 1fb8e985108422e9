"""Times as vendors write them, and as transcripts do: UTC, to the millisecond."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated

import msgspec

# A time that says its zone; one that does not could be anywhere.
Time = Annotated[datetime, msgspec.Meta(tz=True)]

_LENGTH = len("2026-03-29T21:10:11.969Z")


def moment(text: str | None) -> datetime | None:
    """A time without its zone, which is UTC; None if it is none, or says no zone."""
    if text is None:
        return None
    try:
        if len(text) == _LENGTH and text[-1] == "Z" and text[4] == text[7] == "-":
            return datetime.fromisoformat(text[:-1])
        time: datetime = msgspec.convert(text, Time)
        return time.astimezone(timezone.utc).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def timestamp(time: datetime | None) -> str | None:
    """A time as transcripts write it."""
    if time is None:
        return None
    if time.tzinfo is not None:
        try:
            time = time.astimezone(timezone.utc).replace(tzinfo=None)
        except OverflowError:  # in its own zone it has a year, in UTC none
            return None
    return time.isoformat(timespec="milliseconds") + "Z"


def normalized(text: str | None, time: datetime | None) -> str | None:
    """A vendor's time, which is also known as ``time``; most are written as ours already."""
    if time is None or text is None:
        return None
    return text if len(text) == _LENGTH and text[-1] == "Z" else timestamp(time)


def milliseconds(start: datetime, end: datetime) -> int:
    """From one time to another."""
    return round((end - start).total_seconds() * 1000)
