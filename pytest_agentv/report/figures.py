"""Figures as people read them, on a screen and on a page: short, with their units.

Of None there is nothing to say; how that looks is a matter of who shows it.
"""

from __future__ import annotations

from datetime import datetime

_SECOND = 1_000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_HUNDRED = 100
_THOUSAND = 1_000
_EXACT = 10_000
_CENT = 0.01


def duration(ms: float | None) -> str | None:
    """A time: ``45ms``, ``1.2s``, ``3m05s``, ``2h10m``."""
    if ms is None:
        return None
    if ms < _SECOND:
        return f"{ms:.0f}ms"
    if ms < _MINUTE - _SECOND / 20:  # what would be rounded to a minute is one
        return f"{ms / _SECOND:.1f}s"
    seconds = round(ms / _SECOND)
    if ms < _HOUR - _SECOND / 2:
        return f"{seconds // 60}m{seconds % 60:02}s"
    minutes = round(ms / _MINUTE)
    return f"{minutes // 60:,}h{minutes % 60:02}m"


def amount(number: float | None) -> str | None:
    """A count: ``310``, ``1,204``, ``15.2k``, ``215k``, ``1.3M``."""
    if number is None:
        return None
    if number < _EXACT:
        return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"
    for unit in ("k", "M"):
        number /= _THOUSAND
        if round(number) < _THOUSAND:
            return f"{number:.1f}{unit}" if round(number, 1) < _HUNDRED else f"{number:.0f}{unit}"
    return f"{number / _THOUSAND:,.1f}G"


def money(usd: float | None) -> str | None:
    """US dollars: ``$1.25``, ``$0.0042``."""
    if usd is None:
        return None
    return f"${usd:,.2f}" if usd >= _CENT or not usd else f"${usd:.2g}"


def points(score: float | None, *, digits: int = 2) -> str | None:
    """A score from 0 to 1. What is not quite 1 is not shown as 1."""
    if score is None:
        return None
    shown = f"{score:.{digits}f}"
    return shown if score >= 1 or float(shown) < 1 else f"{1 - 10**-digits:.{digits}f}"


def moment(timestamp: str | None, *, form: str = "%Y-%m-%d %H:%M") -> str | None:
    """A time by the clock here: ``2026-03-29 21:10``; what is no time is shown as it is."""
    if not timestamp:
        return None
    try:
        when = datetime.fromisoformat(timestamp.replace("Z", "+00:00")).astimezone()
    except (ValueError, OverflowError, OSError):
        return timestamp
    return when.strftime(form)
