"""States: what an assistant had before it at each turn, and what it did then.

A state repeats the conversation up to its turn. Its history is limited, so that a long session
does not become a file that grows with the square of its length.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.views.calls import CallIds
from pytest_agentv.views.encoding import encode, joined
from pytest_agentv.views.openai import chat_messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.stored import AnyTranscript

HISTORY_TOKENS = 100_000
# What a token is in bytes of JSON, about: sessions do not say it for single messages.
_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLimits:
    """How much of the conversation a state holds at most; the oldest messages go first."""

    messages: int | None = None
    tokens: int = HISTORY_TOKENS


@dataclass(slots=True, kw_only=True)
class StateStatistics:
    """What became of the messages of sessions."""

    sessions: int = 0
    messages: int = 0
    states: int = 0
    tool_actions: int = 0
    text_actions: int = 0
    histories_cut: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def skip(self, reason: str, count: int = 1) -> None:
        """Count messages that no state was made of, though one might be expected."""
        if count:
            self.skipped[reason] = self.skipped.get(reason, 0) + count


class _Group(NamedTuple):
    """A message as chat messages, its results included: a history has all of them or none."""

    encoded: bytes
    messages: int


class _History:
    """The latest messages of a thread, within limits."""

    def __init__(self, limits: HistoryLimits) -> None:
        self._limits = limits
        self._groups: deque[_Group] = deque()
        self._size = self._messages = 0
        self._ids = CallIds()
        self.is_cut = False

    def add(self, message: Message) -> None:
        """Take a message in, and let go what no longer fits."""
        pieces = list(joined(chat_messages([message], ids=self._ids)))
        group = _Group(b"".join(pieces), len(pieces))
        self._groups.append(group)
        self._size += len(group.encoded)
        self._messages += group.messages
        while self._groups and self._is_too_long():
            oldest = self._groups.popleft()
            self._size -= len(oldest.encoded)
            self._messages -= oldest.messages
            self.is_cut = True

    def encoded(self) -> bytes:
        return b",".join(group.encoded for group in self._groups)

    def _is_too_long(self) -> bool:
        most = self._limits.messages
        return self._size > self._limits.tokens * _BYTES_PER_TOKEN or (
            most is not None and self._messages > most
        )


def states(
    transcript: AnyTranscript,
    *,
    limits: HistoryLimits | None = None,
    statistics: StateStatistics | None = None,
) -> Iterator[bytes]:
    """A JSON line for each turn of the assistant; that of a sub-agent has its own history."""
    limits = limits or HistoryLimits()
    counts = statistics or StateStatistics()
    counts.sessions += 1
    histories: dict[str | None, _History] = {}
    ids = _StateIds(transcript.source.session_id or transcript.source.provider)
    for number, message in enumerate(transcript.output, 1):
        counts.messages += 1
        history = histories.setdefault(message.agent_id, _History(limits))
        if message.role == "assistant":
            action = canonical_action(message)
            if action:
                counts.states += 1
                counts.histories_cut += history.is_cut
                counts.tool_actions += bool(message.tool_calls)
                counts.text_actions += not message.tool_calls
                yield b'{"state_id":%b,"messages":[%b],"student_action":%b}\n' % (
                    encode(ids.new(message, number)),
                    history.encoded(),
                    encode(action),
                )
            else:
                counts.skip("response without text and calls")
        history.add(message)


def canonical_action(message: Message) -> str:
    """What a turn did: its calls as JSON with sorted keys, else its text."""
    if not message.tool_calls:
        return message.content
    calls = [{"name": call.tool, "input": call.input} for call in message.tool_calls]
    return json.dumps(calls, sort_keys=True)


class _StateIds:
    """``session:record``, unique also where a session uses the id of a record twice."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._given: set[str] = set()

    def new(self, message: Message, number: int) -> str:
        record = message.id or (number if message.line is None else message.line)
        id_ = f"{self._session}:{record}"
        while id_ in self._given:
            id_ = f"{id_}:{number}"
        self._given.add(id_)
        return id_
