"""Names and forms of figures in tables, and times by the clock here."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pytest_agentv.report.figures import amount, duration, money, points

if TYPE_CHECKING:
    from collections.abc import Callable

# What the figures of cases are called, and how they are shown.
METRICS_SHOWN: dict[str, tuple[str, Callable[[float | None], str | None]]] = {
    "score": ("score", points),
    "duration_ms": ("time", duration),
    "cost_usd": ("cost", money),
    "input_tokens": ("tokens in", amount),
    "output_tokens": ("tokens out", amount),
    "total_tokens": ("tokens", amount),
    "tool_calls": ("tool calls", amount),
    "tool_errors": ("tool errors", amount),
    "llm_calls": ("llm calls", amount),
}


def moment(timestamp: str | None, *, form: str = "%Y-%m-%d %H:%M") -> str | None:
    """A time by the clock here: ``2026-03-29 21:10``; what is no time is shown as it is."""
    if not timestamp:
        return None
    try:
        when = datetime.fromisoformat(timestamp.replace("Z", "+00:00")).astimezone()
    except (ValueError, OverflowError, OSError):
        return timestamp
    return when.strftime(form)


def short_moment(timestamp: str | None) -> str | None:
    """The same without a year: ``03-29 21:10``."""
    return moment(timestamp, form="%m-%d %H:%M")
