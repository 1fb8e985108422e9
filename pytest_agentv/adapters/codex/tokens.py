"""Tokens of a session, from counters that are cumulative, repeated, inherited and restarted.

Codex writes the total so far, again and again. What counts is how much it grew. It starts over
when a session is resumed, and falls to nothing when the context overflows; a fork begins with the
total of its parent, which is not its own. Newer versions write what each response took, and from
then on only that counts: the total leaves out responses that merely compact the context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.codex.records import Tokens
from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.transcript.model import TokenUsage, Usage

if TYPE_CHECKING:
    from pytest_agentv.adapters.codex.records import TokenInfo


class Counts:
    """Figures added up field by field; what one part does not state is unknown of the whole."""

    def __init__(self) -> None:
        self._sums: list[int | None] | None = None

    def add(self, tokens: Tokens, before: Tokens | None = None) -> None:
        """Count tokens, or by how much they grew."""
        earlier = (0,) * 5 if before is None else _figures(before)
        sums = (0,) * 5 if self._sums is None else self._sums
        self._sums = [
            None if so_far is None or count is None else so_far + max(0, count - (then or 0))
            for so_far, count, then in zip(sums, _figures(tokens), earlier, strict=True)
        ]

    @property
    def usage(self) -> TokenUsage | None:
        """The sums; None if there are none."""
        fresh, output, cached, written, reasoning = self._sums or (None,) * 5
        if fresh is None and output is None:
            return None
        return TokenUsage(
            input=fresh,
            output=output,
            cached=cached,
            cache_write=written,
            reasoning=reasoning,
            output_complete=None if output is None else True,
        )


class Totals:
    """The tokens of one session."""

    def __init__(self) -> None:
        self._counted = Counts()
        # The counter before it began to count what is not counted yet, and now.
        self._first: Tokens | None = None
        self._last: Tokens | None = None
        self._has_own = False
        # Whether the session states what each response takes.
        self._is_stated = False
        self._response_ids = RecentIds()
        # Whether the counter goes on from that of another file, of which nothing was copied.
        self.goes_on = False

    def finish(self) -> TokenUsage | None:
        """All tokens: those of each response where the session states them, else the growth."""
        self._settle()
        return self._counted.usage

    @property
    def awaits_inherited(self) -> bool:
        """Whether a total that no response was told before is another file's."""
        return self.goes_on and self._last is None

    def count(self, info: TokenInfo) -> bool:
        """Take in a total so far: whether it is a new one."""
        total = info.total_token_usage
        before = self._last
        if total is None or total == before:
            return False
        last = info.last_token_usage
        if before is None:
            self._first = _without(total, last) if self.goes_on and last is not None else None
        elif _starts_over(total, before, last):
            self._settle()
            self._first = None
        self._last = total
        self._has_own = True
        return True

    def inherit(self, info: TokenInfo) -> None:
        """Take in a total that is another session's."""
        if info.total_token_usage is not None:
            self._first = self._last = info.total_token_usage

    def respond(self, response_id: str | None, tokens: Tokens) -> Usage | None:
        """Take in what one response took; None if it is known already."""
        if response_id is not None and not self._response_ids.add(response_id):
            return None
        self._settle()
        self._is_stated = True
        self._counted.add(tokens)
        return usage_of(tokens)

    def _settle(self) -> None:
        """Count by how much the counter grew so far."""
        if self._last is not None and self._has_own and not self._is_stated:
            self._counted.add(self._last, self._first)
        self._first, self._has_own = self._last, False


def _starts_over(total: Tokens, before: Tokens, last: Tokens | None) -> bool:
    # A figure that could not be read says nothing.
    count, earlier = total.input_tokens, before.input_tokens
    if count is not None and earlier is not None and count < earlier:
        return True
    count, earlier = total.output_tokens, before.output_tokens
    if count is not None and earlier is not None and count < earlier:
        return True
    # The counter is what the last response took: there was nothing before it.
    return last is not None and total == last and bool(last.input_tokens)


def _without(total: Tokens, last: Tokens) -> Tokens:
    """The counter as it was before the last response."""

    def before(count: int | None, took: int | None) -> int | None:
        return None if count is None else max(0, count - (took or 0))

    names = Tokens.__struct_fields__
    return Tokens(*(before(getattr(total, name), getattr(last, name)) for name in names))


def _figures(tokens: Tokens) -> tuple[int | None, ...]:
    return (
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.cached_input_tokens,
        tokens.cache_write_input_tokens,
        tokens.reasoning_output_tokens,
    )


def usage_of(tokens: Tokens | None) -> Usage | None:
    """Tokens of one response; after a compaction the client merely estimates a total."""
    if tokens is None or not (tokens.input_tokens or tokens.output_tokens):
        return None
    return Usage(
        input=tokens.input_tokens,
        output=tokens.output_tokens,
        cached=tokens.cached_input_tokens,
        cache_write=tokens.cache_write_input_tokens,
        reasoning=tokens.reasoning_output_tokens,
    )
