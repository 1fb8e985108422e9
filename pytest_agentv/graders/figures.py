"""What a session took: tokens, time, calls. Each figure says how sure it is.

Vendors leave figures out, or log a part only. A figure is therefore a range: what is known is both
ends of it, a lower bound has no upper end, and of the unknown there is neither, but a reason.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

from msgspec import Struct

from pytest_agentv.transcript.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.transcript.model import TokenUsage, ToolCall, Transcript, Usage

# Kinds of tools that look at something and change nothing.
EXPLORING = frozenset({"read", "search", "fetch", "web_search"})
# How calls end that failed; one that was denied or cancelled is nobody's mistake.
ERRORS = ("error", "timeout")
# How calls end of which one knows it.
KNOWN_ENDS = frozenset(get_args(Status)) - {"unknown"}


class Figure(Struct, frozen=True, gc=False):
    """A quantity of a session: at least ``low``, at most ``high``."""

    low: float = 0
    # None: nobody knows how much it may be.
    high: float | None = None
    # Why it is not known, or not exactly.
    why: str = ""

    @property
    def exact(self) -> float | None:
        """The quantity, if it is known."""
        return self.high if self.high == self.low else None


def known(value: float) -> Figure:
    """A figure that the session states."""
    return Figure(value, value)


def count(value: Any) -> int | None:
    """A count of a transcript; None for anything that cannot be one."""
    return value if type(value) is int and value >= 0 else None


def amount(value: Any) -> float | None:
    """An amount of money of a transcript; None for anything that cannot be one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if 0 <= value < math.inf else None


def duration_ms(transcript: Transcript) -> Figure:
    """How long the session took."""
    duration = count(transcript.duration_ms)
    return (
        Figure(why="the session does not say how long it took")
        if duration is None
        else known(duration)
    )


def input_tokens(transcript: Transcript) -> Figure:
    """All prompt tokens, cached ones included."""
    return _tokens(transcript.token_usage, "input")


def output_tokens(transcript: Transcript) -> Figure:
    """All tokens that the model wrote; a lower bound where the session logged a part only."""
    usage = transcript.token_usage
    figure = _tokens(usage, "output")
    if usage is not None and usage.output_complete is False:
        return Figure(figure.low, None, "the session logged a part of its output tokens only")
    return figure


def total_tokens(transcript: Transcript) -> Figure:
    """Input and output together."""
    return together(input_tokens(transcript), output_tokens(transcript))


def uncached_tokens(transcript: Transcript) -> Figure:
    """Prompt tokens that did not come from a cache."""
    usage = transcript.token_usage
    prompt = input_tokens(transcript)
    cached = None if usage is None else count(usage.cached)
    if prompt.high is None:
        return Figure(why=prompt.why)
    if cached is None:
        return Figure(0, prompt.high, "the session does not say how many tokens were cached")
    if cached > prompt.high:
        return Figure(why="the session counts more cached tokens than input tokens")
    return known(prompt.high - cached)


def tool_calls(transcript: Transcript) -> Figure:
    """How many tools were called, by sub-agents too."""
    return known(len(transcript.tool_calls()))


def tool_errors(transcript: Transcript) -> Figure:
    """How many calls failed; those that nobody knows the end of may have failed, too."""
    return errors_among(transcript.tool_calls())


def errors_among(calls: Iterable[ToolCall]) -> Figure:
    """The same of these calls."""
    failed = unsure = 0
    for call in calls:
        if call.status in ERRORS:
            failed += 1
        elif call.status not in KNOWN_ENDS:
            unsure += 1
    why = f"of {unsure:,} calls nobody knows how they ended" if unsure else ""
    return Figure(failed, failed + unsure, why)


def llm_calls(transcript: Transcript) -> Figure:
    """How many answers the model gave: the assistant's messages, sub-agents' included."""
    return known([message.role for message in transcript.output].count("assistant"))


def exploration_ratio(transcript: Transcript) -> float | None:
    """The share of calls that only looked at something; None if there was no call."""
    calls = transcript.tool_calls()
    return sum(call.kind in EXPLORING for call in calls) / len(calls) if calls else None


def together(*figures: Figure) -> Figure:
    """The sum: as sure as the least sure of them."""
    low = math.fsum(one.low for one in figures)
    why = "; ".join(dict.fromkeys(one.why for one in figures if one.why))
    highs = [one.high for one in figures if one.high is not None]
    return Figure(low, math.fsum(highs) if len(highs) == len(figures) else None, why)


def _tokens(usage: TokenUsage | Usage | None, name: str) -> Figure:
    tokens = None if usage is None else count(getattr(usage, name))
    if tokens is None:
        return Figure(why=f"the session does not say how many {name} tokens it took")
    return known(tokens)
