"""Times as spans have them: nanoseconds since 1970, and never none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from pytest_agentv.transcript.times import moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.transcript.model import Message

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
_LARGEST = 2**64 - 1


class Clock:
    """Times one after another; where a session does not say one, the one before it stands."""

    def __init__(self, start: str | None) -> None:
        self._last = nanoseconds(start) or 0

    def at(self, timestamp: str | None) -> int:
        """The time of the next thing; 0 if none is known so far."""
        found = nanoseconds(timestamp)
        if found is not None:
            self._last = found
        return self._last

    def around(self, messages: Iterable[Message]) -> tuple[int, int]:
        """The first and the last time of messages."""
        known = [time for one in messages if (time := nanoseconds(one.timestamp)) is not None] or [
            self._last
        ]
        return min(known), max(known)

    def widened(self, start: int, end: int, *others: str | None) -> tuple[int, int]:
        """A span of time that also holds other times."""
        known = [time for one in others if (time := nanoseconds(one)) is not None]
        return min([start, *known]), max([end, *known])


def nanoseconds(timestamp: str | None) -> int | None:
    """A timestamp as nanoseconds; None where it is none, or none that spans can have."""
    time = moment(timestamp)
    if time is None:
        return None
    found = (time - _EPOCH) // _MICROSECOND * 1000
    return found if 0 < found <= _LARGEST else None


def ended(start: int, duration_ms: int | None) -> int:
    """When something ended; the time it began where that is not known."""
    end = start + (duration_ms or 0) * 1_000_000
    return end if end <= _LARGEST else start
