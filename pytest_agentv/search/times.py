"""Times as people type them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

RIGHT_TIMES = "2026-03-29, 2026-03-29T21:10, 30m, 12h, 7d, 2w"

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGO = re.compile(r"(\d{1,6})([mhdw])")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def moment_typed(text: str) -> datetime:
    """The moment, with a time zone; one typed without is of this machine's. Else ValueError."""
    text = text.strip()
    ago = _AGO.fullmatch(text)
    try:
        if ago:
            passed = timedelta(**{_UNITS[ago.group(2)]: int(ago.group(1))})
            return datetime.now().astimezone() - passed
        return datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text)).astimezone()
    except (ValueError, OverflowError, OSError) as exc:
        raise ValueError(f"{text!r} is no time; right are {RIGHT_TIMES}") from exc


def end_typed(text: str) -> datetime:
    """The moment that something ends at: of a day its end, else as typed."""
    moment = moment_typed(text)
    try:
        return moment + timedelta(days=1) if _DAY.fullmatch(text.strip()) else moment
    except OverflowError:
        return moment
