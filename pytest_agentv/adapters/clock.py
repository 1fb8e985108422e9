"""Times as vendors write them, and as transcripts do: UTC, to the millisecond."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Annotated

import msgspec

Time = Annotated[datetime, msgspec.Meta(tz=True)]

_MILLISECOND = timedelta(milliseconds=1)
_LENGTH = len("2026-03-29T21:10:11.969Z")


def moment(text: str | None) -> datetime | None:
    """A time without its zone, which is UTC; None if it is none or says no zone."""
    if text is None:
        return None
    try:
        if len(text) == _LENGTH and text[-1] == "Z":
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
        time = time.astimezone(timezone.utc).replace(tzinfo=None)
    return time.isoformat(timespec="milliseconds") + "Z"


def normalized(text: str | None) -> str | None:
    """A vendor's time as transcripts write it; most are written so already."""
    time = moment(text)
    if time is None or text is None:
        return None
    return text if len(text) == _LENGTH and text[-1] == "Z" else timestamp(time)


def milliseconds(start: datetime, end: datetime) -> int:
    """From one time to another."""
    return (end - start) // _MILLISECOND
