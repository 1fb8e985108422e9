"""Tokens of responses: what each of a response's records says, made one figure."""

from __future__ import annotations

from pytest_agentv.adapters.claude.records import UsageRecord
from pytest_agentv.transcript.model import TokenUsage, Usage


def largest(one: UsageRecord | None, other: UsageRecord) -> UsageRecord:
    """The larger of each figure: the records of one response repeat each other, or grow."""
    if one is None or one == other:
        return other
    return UsageRecord(
        _larger(one.input_tokens, other.input_tokens),
        _larger(one.output_tokens, other.output_tokens),
        _larger(one.cache_creation_input_tokens, other.cache_creation_input_tokens),
        _larger(one.cache_read_input_tokens, other.cache_read_input_tokens),
    )


def usage_of(record: UsageRecord) -> Usage:
    """Tokens in our meaning: the input includes what came from the cache or went into it."""
    fresh = record.input_tokens
    cached = record.cache_read_input_tokens
    written = record.cache_creation_input_tokens
    return Usage(
        input=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output=record.output_tokens,
        cached=cached,
        cache_write=written,
    )


def total_usage(counted: TokenUsage | None, stated: list[UsageRecord]) -> TokenUsage | None:
    """A run's tokens: what its `result` records state, else what its responses add up to.

    A run of several turns states its tokens so far each time, or each turn's; the latter is seen
    by the last statement being less than what was counted.
    """
    if not stated:
        return counted
    totals = Totals()
    last = usage_of(stated[-1])
    so_far = counted is None or (last.input or 0) >= (counted.input or 0)
    for usage in [last] if so_far else map(usage_of, stated):
        totals.add(usage, complete=True)
    return totals.usage


class Totals:
    """The tokens of a session, added up response by response."""

    def __init__(self) -> None:
        self._input: int | None = None
        self._output: int | None = None
        self._cached: int | None = None
        self._cache_write: int | None = None
        self._incomplete = 0

    def add(self, usage: Usage | None, *, complete: bool) -> None:
        """Count one response; ``complete``: what it says of its output tokens is final."""
        if usage is None:
            self._incomplete += 1
            return
        if usage.input is not None:
            self._input = usage.input + (self._input or 0)
        if usage.output is not None:
            self._output = usage.output + (self._output or 0)
        if usage.cached is not None:
            self._cached = usage.cached + (self._cached or 0)
        if usage.cache_write is not None:
            self._cache_write = usage.cache_write + (self._cache_write or 0)
        if not complete or usage.output is None:
            self._incomplete += 1

    @property
    def usage(self) -> TokenUsage | None:
        """The totals; None if no response told any."""
        if self._input is None and self._output is None:
            return None
        return TokenUsage(
            input=self._input,
            output=self._output,
            cached=self._cached,
            cache_write=self._cache_write,
            output_complete=None if self._output is None else not self._incomplete,
        )


def _larger(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)
