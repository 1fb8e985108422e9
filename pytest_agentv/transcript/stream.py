"""A session as a stream: what is known first, the messages one by one, what is known last.

An adapter reads a session into one of these, so that importing never holds a session in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from pytest_agentv.transcript.model import Message, Source, TokenUsage, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator


# The fields of a transcript that follow its messages, in their order.
TAIL_FIELDS = Transcript.__struct_fields__[Transcript.__struct_fields__.index("output") + 1 :]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What stands before the messages."""

    source: Source
    input: str | None = None
    test_id: str | None = None


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """What stands after the messages."""

    token_usage: TokenUsage | None = None
    duration_ms: int | None = None
    cost_usd: float | None = None
    privacy: dict[str, Any] | None = None
    drift: dict[str, int] = msgspec.field(default_factory=dict)
    left_out: dict[str, int] = msgspec.field(default_factory=dict)
    # For messages to people only: the line of the first record of each kind of drift.
    drift_lines: dict[str, int] = msgspec.field(default_factory=dict)


class SessionStream(Protocol):
    """One session being read.

    ``messages`` may be iterated once. ``tail`` is complete when they are exhausted.
    """

    @property
    def head(self) -> Head:
        """Source and first prompt."""

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""

    @property
    def tail(self) -> Tail:
        """Tokens, duration, cost, drift."""


class TranscriptStream:
    """A transcript in memory, as a stream."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    @property
    def head(self) -> Head:
        """Source, first prompt and test id."""
        one = self._transcript
        return Head(source=one.source, input=one.input, test_id=one.test_id)

    def messages(self) -> Iterator[Message]:
        """The conversation."""
        return iter(self._transcript.output)

    @property
    def tail(self) -> Tail:
        """Everything that follows the conversation."""
        return Tail(**{name: getattr(self._transcript, name) for name in TAIL_FIELDS})


def load(stream: SessionStream) -> Transcript:
    """Read a whole stream into a transcript."""
    head = stream.head
    output = tuple(stream.messages())
    tail = stream.tail
    return Transcript(
        test_id=head.test_id,
        source=head.source,
        input=head.input,
        output=output,
        **{name: getattr(tail, name) for name in TAIL_FIELDS},
    )
