"""A session that was read, as a stream of messages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from pytest_agentv.adapters.clock import FOREVER, timestamp
from pytest_agentv.adapters.records import no_message
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.errors import SessionUnreadable
from pytest_agentv.transcript.model import Source
from pytest_agentv.transcript.stream import Head, Tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.base import SessionRef
    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.writing import Written


class ToldSession:
    """One session of which all was told: it has been read to its end."""

    def __init__(self, told: Told, ref: SessionRef, *, tested: str | None) -> None:
        """``tested``: the newest version of the client that the adapter was checked with."""
        told.conversation.finish()
        self._told = told
        self._ref = ref
        if not len(told.conversation):
            if ref.path.is_file() and ref.path.stat().st_size == 0:
                raise SessionUnreadable("is empty", at=ref.at)
            raise self._nothing()
        if told.duration_ms is not None and not 0 <= told.duration_ms <= FOREVER:
            told.drift.note("impossible duration", 1)
            told.duration_ms = None
        if tested is not None and told.version is not None and is_newer(told.version, tested):
            told.drift.note(f"version {told.version[:40]} is newer than {tested}", 1)

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        told = self._told
        return Head(
            source=Source(
                provider=told.provider,
                session_id=told.session_id,
                model=told.model,
                version=told.version,
                title=told.title,
                timestamp=timestamp(told.started),
                ended_at=timestamp(told.ended),
                git_branch=told.git_branch,
                cwd=told.cwd,
            ),
            input=told.opening,
        )

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        return self._told.conversation.messages()

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the conversation as JSON, joined by commas."""
        return self._told.conversation.write_messages(file)

    @property
    def tail(self) -> Tail:
        """Tokens, duration, cost and what was left out."""
        told = self._told
        return Tail(
            token_usage=told.usage or told.spending.total(),
            duration_ms=told.duration_ms,
            cost_usd=told.cost_usd,
            drift=dict(told.drift.counts),
            left_out=dict(+told.left_out),  # without those that were asked for only
            drift_lines=dict(told.drift.first_line),
        )

    def _nothing(self) -> SessionUnreadable:
        """The error that there is no message, and why."""
        return no_message(self._told.drift, at=self._ref.at)
