"""Times as transcripts write them: UTC, to the millisecond."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated

from msgspec import Meta

# A time that says its zone; one that does not could be anywhere.
Time = Annotated[datetime, Meta(tz=True)]


def timestamp(time: datetime | None) -> str | None:
    """A time as transcripts write it."""
    if time is None:
        return None
    if time.tzinfo is not timezone.utc:
        time = time.astimezone(timezone.utc)
    return time.isoformat(timespec="milliseconds")[:-6] + "Z"


def milliseconds(start: datetime, end: datetime) -> int:
    """From one time to another."""
    return round((end - start).total_seconds() * 1000)
