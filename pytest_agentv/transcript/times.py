"""The times of a transcript, compared and counted with."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated

import msgspec

# A time that says its zone; one that does not could be anywhere.
_Time = Annotated[datetime, msgspec.Meta(tz=True)]


def moment(timestamp: str | None) -> datetime | None:
    """The moment that a timestamp stands for, in UTC; None if it is none, or could be anywhere."""
    if timestamp is None:
        return None
    try:
        return msgspec.convert(timestamp, _Time).astimezone(timezone.utc)
    except (msgspec.ValidationError, UnicodeEncodeError):  # half a character is no time either
        return None
    except OverflowError:  # in its own zone it has a year, in UTC none
        return None
