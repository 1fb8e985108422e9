"""Times as transcripts write them: UTC, to the millisecond."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated

import msgspec

# A time that says its zone; one that does not could be anywhere.
Time = Annotated[datetime, msgspec.Meta(tz=True)]

# Milliseconds. A clock that says more is broken, and may even say infinity.
FOREVER = 1e15

_UTC = timezone.utc
_encode = msgspec.json.Encoder().encode
_WITH_FRACTION = len('"2026-03-29T21:10:11.969000Z"')


def timestamp(time: datetime | None) -> str | None:
    """A time as transcripts write it."""
    if time is None:
        return None
    if time.tzinfo is not _UTC:
        try:
            time = time.astimezone(_UTC)
        except OverflowError:  # in its own zone it has a year, in UTC none
            return None
    # Several times faster than isoformat(), which is for when there is no fraction.
    encoded = _encode(time)
    if len(encoded) == _WITH_FRACTION:
        return f"{encoded[1:24].decode()}Z"
    return f"{time.isoformat(timespec='milliseconds')[:-6]}Z"


def milliseconds(start: datetime, end: datetime) -> int:
    """From one time to another."""
    return round((end - start).total_seconds() * 1000)
