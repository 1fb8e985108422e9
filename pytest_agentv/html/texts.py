"""Texts and figures as a page shows them: cut to size, and unknown where nothing is known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.report import figures
from pytest_agentv.results.repeats import percent
from pytest_agentv.transcript.times import moment

if TYPE_CHECKING:
    from datetime import datetime

UNKNOWN = "unknown"

_HOUR = 3_600  # seconds
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
    return figures.duration(milliseconds) or UNKNOWN


def tokens(number: float | None) -> str:
    """How many tokens."""
    return figures.amount(number) or UNKNOWN


def cost(dollars: float | None) -> str:
    """What something cost."""
    return figures.money(dollars) or UNKNOWN


def number(value: float | None) -> str:
    """A count, or a mean of counts."""
    if value is None:
        return UNKNOWN
    return f"{value:,.1f}".removesuffix(".0")


def share(value: float | None) -> str:
    """A rate from 0 to 1."""
    return UNKNOWN if value is None else percent(value)


def score(value: float | None) -> str:
    """A score from 0 to 1."""
    return figures.points(value) or UNKNOWN


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
    hours = f"{seconds // 3600}:" if seconds >= _HOUR else ""
    minutes = seconds % 3600 // 60
    return f"+{hours}{minutes:02}:{seconds % 60:02}" if hours else f"+{minutes}:{seconds % 60:02}"
