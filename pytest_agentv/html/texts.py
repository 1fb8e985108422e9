"""Texts and figures as a page shows them: cut to size, and unknown where nothing is known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import msgspec

UNKNOWN = "unknown"

_SECOND, _MINUTE, _HOUR = 1_000, 60_000, 3_600_000
_THOUSAND, _MILLION, _BILLION = 10**3, 10**6, 10**9
# From here on two digits behind the point say nothing any more.
_TEN_SECONDS = 10 * _SECOND
_CENT = 0.01
# How much of a text is looked at to fill one line: blanks are many and vanish.
_BLANKS = 4


@dataclass(frozen=True, slots=True)
class Clip:
    """A text, or its beginning and its end with the number of characters between them."""

    head: str
    left_out: int = 0
    tail: str = ""

    def __bool__(self) -> bool:
        return bool(self.head)


def clip(text: str, limit: int) -> Clip:
    """At most so many characters of a text; of a longer one the middle is left out."""
    if len(text) <= limit:
        return Clip(text)
    tail = limit // 4
    head = limit - tail
    return Clip(text[:head], len(text) - limit, text[len(text) - tail :])


def line_of(text: str, limit: int = 160) -> str:
    """The beginning of a text on one line."""
    looked_at = text[: _BLANKS * limit]
    line = " ".join(looked_at.split())
    return line if len(line) <= limit and len(looked_at) == len(text) else f"{line[:limit]}…"


def json_of(value: Any) -> str:
    """A value as JSON of several lines."""
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # an adapter of a third party let in what no file can hold
        return json.dumps(value, indent=2)


def plural(number: int, noun: str) -> str:
    """So many of something."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(milliseconds: float | None) -> str:
    """How long something took."""
    if milliseconds is None:
        return UNKNOWN
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _TEN_SECONDS:
        return f"{milliseconds / _SECOND:.1f} s"
    seconds = round(milliseconds / _SECOND)
    if milliseconds < _MINUTE:
        return f"{seconds} s"
    if milliseconds < _HOUR:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600:,} h {seconds % 3600 // 60:02} min"


def tokens(number: float | None) -> str:
    """How many tokens, with three digits."""
    if number is None:
        return UNKNOWN
    for unit, letter in ((_BILLION, "G"), (_MILLION, "M"), (_THOUSAND, "k")):
        if number >= unit:
            return f"{number / unit:,.3g}{letter}" if number < unit * 1000 else f"{number:.3g}"
    return f"{number:.0f}"


def cost(dollars: float | None) -> str:
    """What something cost."""
    if dollars is None:
        return UNKNOWN
    return f"${dollars:,.2f}" if dollars == 0 or abs(dollars) >= _CENT else f"${dollars:.2g}"


def number(value: float | None) -> str:
    """A count, or a mean of counts."""
    if value is None:
        return UNKNOWN
    return f"{value:,.1f}".removesuffix(".0")


def share(value: float | None) -> str:
    """A rate from 0 to 1."""
    return UNKNOWN if value is None else f"{value * 100:.0f} %"


def score(value: float | None) -> str:
    """A score from 0 to 1."""
    return UNKNOWN if value is None else f"{value:.2f}"


def moment(timestamp: str | None) -> datetime | None:
    """The time that a timestamp means; None if it means none."""
    try:
        found = datetime.fromisoformat((timestamp or "").replace("Z", "+00:00"))
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def clock(timestamp: str | None) -> str:
    """A time for people, in UTC; what is no time is shown as it stands."""
    found = moment(timestamp)
    return f"{found:%Y-%m-%d %H:%M:%S} UTC" if found else timestamp or UNKNOWN


def since(start: datetime | None, timestamp: str | None) -> str:
    """How long after its beginning something in a session was; empty if nobody knows."""
    found = moment(timestamp)
    if start is None or found is None or found < start:
        return ""
    seconds = int((found - start).total_seconds())
    hours = f"{seconds // 3600}:" if seconds >= _HOUR // _SECOND else ""
    minutes = seconds % 3600 // 60
    return f"+{hours}{minutes:02}:{seconds % 60:02}" if hours else f"+{minutes}:{seconds % 60:02}"
