"""The runs of a session: how long each took and which tokens it used.

A session is left and taken up again. Copilot writes down the tokens of a run when it ends, never
before: of a run that was killed only the output tokens of its responses are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.clock import milliseconds
from pytest_agentv.adapters.copilot.records import UsageRecord
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.copilot.records import Data, TokenCount, TokenDetails

_FIELDS = UsageRecord.__struct_fields__


class Runs:
    """The runs of one session, told of in their order."""

    def __init__(self) -> None:
        self.duration_ms: int | None = None
        self._is_open = False
        self._began: datetime | None = None
        self._totals: dict[str, int | None] = {}
        # Of the run that is open.
        self._responses = 0
        self._output: int | None = None
        # Of runs whose end is missing.
        self._killed_output: int | None = None
        self._was_killed = False

    def begin(self, time: datetime | None, last: datetime | None) -> None:
        """A run begins; ``last``: when something was heard of the one before."""
        if self._is_open:
            self.stop(last)
        self._is_open = True
        self._began = time

    def go_on(self, time: datetime | None) -> None:
        """Something is said: there must be a run, though nothing says that it began."""
        if not self._is_open:
            self.begin(time, None)

    def response(self, time: datetime | None, output_tokens: int | None) -> None:
        """A response of the model, a sub-agent's as well."""
        if not self._is_open:
            self.begin(time, None)
        self._responses += 1
        self._output = _sum(self._output, output_tokens)

    def shut_down(self, time: datetime | None, data: Data) -> None:
        """The run ends and says what it used."""
        usages = _usages(data)
        if usages or not self._responses:
            for usage in usages:
                self._add(usage)
            self._responses, self._output = 0, None
        self.stop(time)

    def stop(self, time: datetime | None) -> None:
        """The run is over, whether it says so or not."""
        if self._responses:
            self._was_killed = True
            self._killed_output = _sum(self._killed_output, self._output)
        if self._is_open and self._began is not None and time is not None and time >= self._began:
            self.duration_ms = milliseconds(self._began, time) + (self.duration_ms or 0)
        self._is_open = False
        self._began = None
        self._responses, self._output = 0, None

    @property
    def usage(self) -> TokenUsage | None:
        """The tokens of all runs; of the input nothing, if one of them does not say."""
        if self._was_killed:
            output = _sum(self._totals.get("output_tokens"), self._killed_output)
            return None if output is None else TokenUsage(output=output, output_complete=False)
        if not self._totals:
            return None
        total = self._totals
        return TokenUsage(
            input=total["input_tokens"],
            output=total["output_tokens"],
            cached=total["cache_read_tokens"],
            cache_write=total["cache_write_tokens"],
            reasoning=total["reasoning_tokens"],
            output_complete=None if total["output_tokens"] is None else True,
        )

    def _add(self, usage: UsageRecord) -> None:
        """Add up; what one part does not say is unknown of the whole."""
        for name in _FIELDS:
            stated = getattr(usage, name)
            so_far = self._totals.get(name, 0)
            self._totals[name] = None if stated is None or so_far is None else so_far + stated


def _usages(data: Data) -> list[UsageRecord]:
    metrics = (data.model_metrics or {}).values()
    usages = [model.usage for model in metrics if model.usage is not None]
    if len(usages) < len(metrics):
        usages = []  # of one model it says nothing: what the others used is not all
    if usages or data.token_details is None:
        return usages
    return [_usage(data.token_details)]


def _usage(details: TokenDetails) -> UsageRecord:
    fresh, cached = _count(details.input), _count(details.cache_read)
    written = _count(details.cache_write)
    return UsageRecord(
        input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output_tokens=_count(details.output),
        cache_read_tokens=cached,
        cache_write_tokens=written,
    )


def _count(tokens: TokenCount | None) -> int | None:
    return None if tokens is None else tokens.token_count


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)
