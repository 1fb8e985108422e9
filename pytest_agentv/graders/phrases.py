"""How graders put values and places into words: short enough for one line of a failure text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Characters of a value that a phrase shows, and of a text on each side of what was found.
_SHOWN = 60
_AROUND = 60
_HIT = 120

_SMALL = 1e-6


def shown(value: object) -> str:
    """A value as it would be written, shortened."""
    if isinstance(value, str):
        return repr(str(value) if len(value) <= _SHOWN else f"{value[: _SHOWN - 1]}…")
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def listed(values: tuple[str, ...], *, most: int = 5) -> str:
    """Several values, those after the first few only counted."""
    some = ", ".join(map(shown, values[:most]))
    return some if len(values) <= most else f"{some} and {len(values) - most} more"


def joined(phrases: Iterable[str], *, most: int = 5) -> str:
    """Several phrases, each once, those after the first few only counted."""
    every = list(dict.fromkeys(phrases))
    more = [f"and {len(every) - most:,} more"] if len(every) > most else []
    return "; ".join(every[:most] + more)


def counted(count: int, noun: str) -> str:
    """A number of things: "1 word", "1,204 characters"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def number(value: float) -> str:
    """A number for people: thousands apart, no digits that say nothing."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.6f}".rstrip("0") if abs(value) >= _SMALL else f"{value:.3g}"


def excerpt(text: str, start: int = 0, end: int = 0) -> str:
    """What stands around a place of a text, on one line."""
    left = max(0, start - _AROUND)
    right = min(len(text), max(start, min(end, start + _HIT)) + _AROUND)
    cut = text[left:right].replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")
    return f"{'…' if left else ''}{cut}{'…' if right < len(text) else ''}"
