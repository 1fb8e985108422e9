"""Figures of many cases in a few numbers: mean and percentiles of what is known."""

from __future__ import annotations

from math import floor, fsum, isfinite
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_agentv.results.model import Row


class Distribution(Struct, frozen=True, kw_only=True):
    """What a figure comes to over some cases. Of nothing known there is nothing but counts."""

    # Cases that say it, and cases that do not.
    known: int
    unknown: int
    # Of those that say it, how many know no more than that it was at least so much.
    lower_bounds: int = 0
    mean: float | None = None
    min: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, interpolated between neighbours.

    With n values the first is at 0 and the last at 1, as in numpy and in spreadsheets.
    """
    place = share * (len(ordered) - 1)
    below = floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    # Never outside of the two, as rounding would have it.
    part = place - below
    return min(max(low * (1 - part) + high * part, low), high)


def distribution(values: Iterable[float | None]) -> Distribution:
    """What values come to; None is unknown, and left out."""
    every = list(values)
    ordered = sorted(one for one in every if one is not None and isfinite(one))
    known = len(ordered)
    if not known:
        return Distribution(known=0, unknown=len(every))
    middle = mean(ordered)
    return Distribution(
        known=known,
        unknown=len(every) - known,
        mean=min(max(middle, ordered[0]), ordered[-1]),
        min=ordered[0],
        p50=percentile(ordered, 0.5),
        p90=percentile(ordered, 0.9),
        p95=percentile(ordered, 0.95),
        p99=percentile(ordered, 0.99),
        max=ordered[-1],
    )


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value, however large they are."""
    try:
        return fsum(values) / len(values)
    except OverflowError:  # the sum is no number any more, though the mean is one
        half = len(values) * 2
        return 2 * fsum(one / half for one in values)


def input_tokens(row: Row) -> int | None:
    """Tokens of all prompts."""
    return None if row.token_usage is None else row.token_usage.input


def output_tokens(row: Row) -> int | None:
    """Tokens that models wrote, or a lower bound of them."""
    return None if row.token_usage is None else row.token_usage.output


def total_tokens(row: Row) -> int | None:
    """Input and output; unknown if either is."""
    read, written = input_tokens(row), output_tokens(row)
    return None if read is None or written is None else read + written


METRICS: dict[str, Callable[[Row], float | None]] = {
    "score": lambda row: row.score,
    "duration_ms": lambda row: row.duration_ms,
    "cost_usd": lambda row: row.cost_usd,
    "input_tokens": input_tokens,
    "output_tokens": output_tokens,
    "total_tokens": total_tokens,
    "tool_calls": lambda row: row.tool_calls,
    "tool_errors": lambda row: row.tool_errors,
    "llm_calls": lambda row: row.llm_calls,
}
_MAY_BE_BOUNDS = ("output_tokens", "total_tokens")


def is_bound(name: str, row: Row) -> bool:
    """Whether a figure of a case is no more than a lower bound."""
    usage = row.token_usage
    return (
        name in _MAY_BE_BOUNDS
        and usage is not None
        and usage.output_complete is False
        and METRICS[name](row) is not None
    )


def distributions(rows: Sequence[Row]) -> dict[str, Distribution]:
    """What every figure comes to over some cases."""
    return {
        name: replace(
            distribution(map(figure, rows)),
            lower_bounds=sum(is_bound(name, row) for row in rows),
        )
        for name, figure in METRICS.items()
    }
