"""Names and forms of figures in tables, and times in few columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.report.figures import amount, duration, moment, money, points

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


def short_moment(timestamp: str | None) -> str | None:
    """A time by the clock here, without a year: ``03-29 21:10``."""
    return moment(timestamp, form="%m-%d %H:%M")
