"""What OpenCode keeps of sessions, messages and their parts; the same in all its stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from pytest_agentv.adapters.clock import from_epoch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


class Times(msgspec.Struct):
    """Milliseconds since 1970."""

    created: float | None = None
    updated: float | None = None
    completed: float | None = None
    start: float | None = None
    end: float | None = None


class Revert(msgspec.Struct):
    """From where on a session is taken back, until somebody goes on."""

    message_id: str | None = msgspec.field(default=None, name="messageID")
    part_id: str | None = msgspec.field(default=None, name="partID")


class About(msgspec.Struct):
    """A session."""

    id: str | None = None
    parent_id: str | None = msgspec.field(default=None, name="parentID")
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    time: Times | None = None
    revert: Revert | None = None


class Folders(msgspec.Struct):
    """Where a message was answered."""

    cwd: str | None = None


class Info(msgspec.Struct):
    """A message without what it says."""

    id: str | None = None
    role: str | None = None
    model_id: str | None = msgspec.field(default=None, name="modelID")
    path: Folders | None = None
    cost: float | None = None
    tokens: dict[str, Any] | None = None
    time: Times | None = None
    # Of a response: whether it is a summary that the client asked for.
    summary: Any = None
    error: dict[str, Any] | None = None


class State(msgspec.Struct):
    """How far a call has come."""

    status: str | None = None
    input: Any = None
    output: str | None = None
    error: str | None = None
    time: Times | None = None
    metadata: dict[str, Any] | None = None
    attachments: list[Any] | None = None


class Part(msgspec.Struct):
    """A text, a thought, a call or anything else that a message is made of."""

    id: str | None = None
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    # Of a call.
    call_id: str | None = msgspec.field(default=None, name="callID")
    tool: str | None = None
    state: State | None = None
    # Of a file.
    mime: str | None = None
    filename: str | None = None
    # Of a task that a person gave to a sub-agent.
    prompt: str | None = None


class Stored(NamedTuple):
    """A message with its parts."""

    info: Info
    parts: list[Part]


class Store(Protocol):
    """Where sessions are kept."""

    def messages(self, session_id: str) -> Iterator[Stored]:
        """The messages of a session in their order."""

    def children(self, session_id: str) -> list[str]:
        """The sessions of its sub-agents."""


def moment(milliseconds: float | None) -> datetime | None:
    """The time that a clock of OpenCode's says."""
    return from_epoch(milliseconds, per_second=1000)
