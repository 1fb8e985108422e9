"""Dates as people write them, read by formats such as ``DD/MM/YYYY``; nothing is guessed."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

# Read without being asked for: no other reading of them is possible.
PLAIN_FORMATS = ("YYYY-MM-DD", "DD-MMM-YYYY")

_PARTS = {
    "YYYY": r"(?P<year>[0-9]{4})",
    "MMM": r"(?P<name>[A-Za-z]{3})",
    "MM": r"(?P<month>[0-9]{1,2})",
    "DD": r"(?P<day>[0-9]{1,2})",
}
_PART = re.compile("|".join(_PARTS))
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_TIME = r"(?:[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?)?"


def is_format(text: str) -> bool:
    """Whether a text names each of year, month and day once, and so is the format of a date."""
    parts = sorted(_PART.findall(text))
    return parts in (["DD", "MM", "YYYY"], ["DD", "MMM", "YYYY"])


def read_date(value: Any, formats: tuple[str, ...]) -> date | None:
    """The day that a text names in one of some formats; a time of day behind it does not count."""
    if not isinstance(value, str):
        return None
    for one in formats:
        pattern = _PART.sub(lambda part: _PARTS[part[0]], re.escape(one).replace(r"\-", "-"))
        match = re.fullmatch(pattern + _TIME, value.strip())
        found = _day(match.groupdict()) if match else None
        if found is not None:
            return found
    return None


def _day(parts: dict[str, str]) -> date | None:
    name = parts.get("name", "").lower()
    month = int(parts["month"]) if "month" in parts else _number_of(name)
    try:
        return date(int(parts["year"]), month, int(parts["day"]))
    except ValueError:  # of the 31st of February, or of a month that is none
        return None


def _number_of(name: str) -> int:
    return _MONTHS.index(name) + 1 if name in _MONTHS else 0
