"""Flat entries: what was said, called and answered, one after another, and filters for them.

An entry knows the line of its record in the session file, so that a reader can show the original.
"""

from __future__ import annotations

from collections import deque
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from pytest_agentv.transcript.model import Usage  # noqa: TC001 (msgspec looks it up)
from pytest_agentv.transcript.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from pytest_agentv.transcript.model import Message, ToolCall

EntryRole = Literal["user", "assistant", "system", "tool_call", "tool_result"]
ENTRY_ROLES: tuple[str, ...] = get_args(EntryRole)

# The argument that says best what a call is about.
_MAIN_ARGUMENTS = ("command", "query", "pattern", "url", "path")


class CallMade(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The tool call of an entry."""

    id: str | None
    name: str
    input: Any


class CallResult(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """What is known of a result besides its text; ``id`` is that of the call."""

    id: str | None
    name: str
    status: str
    exit_code: int | None = None
    duration_ms: int | None = None


class Entry(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, rename="camel"
):
    """One thing that was said, called or answered.

    ``timestamp`` is None where the session does not say when. ``usage`` stands on the first entry
    of a model response only, so that a sum over entries counts each response once.
    """

    role: str
    # Factories, because omit_defaults would drop what the form always has.
    timestamp: str | None = msgspec.field(default_factory=lambda: None)
    text: str = msgspec.field(default_factory=str)
    thinking: str | None = None
    tool_call: CallMade | None = None
    tool_result: CallResult | None = None
    provider: str | None = msgspec.field(default_factory=lambda: None)
    model: str | None = None
    usage: Usage | None = None
    id: str | None = None
    line: int | None = None
    origin: str | None = None
    agent_id: str | None = None


def entries(messages: Iterable[Message], *, provider: str | None = None) -> Iterator[Entry]:
    """The entries of a conversation in order: a message, then each of its calls with its result.

    A message that has nothing but calls gives no entry of its own.
    """
    for message in messages:
        usage = message.usage
        if message.content or message.thinking or not message.tool_calls:
            yield _said(message, provider=provider)
            usage = None
        for call in message.tool_calls:
            yield _called(message, call, usage=usage, provider=provider)
            usage = None
            if is_answered(call):
                yield _answered(message, call, provider=provider)


def filtered(
    found: Iterable[Entry],
    *,
    since: datetime | None = None,
    roles: Collection[str] | None = None,
    last: int | None = None,
) -> Iterator[Entry]:
    """Entries from a moment on, then those of some roles, then the last so many of these.

    An entry without a time is as old as the one before it.
    """
    if since is not None:
        found = _since(found, since)
    if roles is not None:
        found = (entry for entry in found if entry.role in roles)
    if last is not None:
        found = deque(found, maxlen=max(last, 0))
    return iter(found)


def is_answered(call: ToolCall) -> bool:
    """Whether a call got an answer, be it one without a text."""
    return call.output is not None or call.status != "unknown"


def answered_at(call: ToolCall) -> str | None:
    """When a call was answered, if the session says so: not the tool's own clock, but the log's."""
    start = moment(call.timestamp)
    if start is None or call.duration_ms is None or call.duration_source != "timestamps":
        return None
    try:
        end = start + timedelta(milliseconds=call.duration_ms)
    except OverflowError:
        return None
    return f"{end.isoformat(timespec='milliseconds')[:-6]}Z"


def main_argument(call: ToolCall) -> str:
    """What a call is about, in a word: its command, file, address; empty if it has none."""
    candidates = (call.args.get(name) for name in _MAIN_ARGUMENTS)
    return next((one for one in candidates if isinstance(one, str) and one), "")


def _since(found: Iterable[Entry], since: datetime) -> Iterator[Entry]:
    known = None
    for entry in found:
        known = moment(entry.timestamp) or known
        if known is not None and known >= since:
            yield entry


def _said(message: Message, *, provider: str | None) -> Entry:
    return Entry(
        role=message.role,
        timestamp=message.timestamp,
        text=message.content,
        thinking=message.thinking,
        provider=provider,
        model=message.model,
        usage=message.usage,
        id=message.id,
        line=message.line,
        origin=message.origin,
        agent_id=message.agent_id,
    )


def _called(
    message: Message, call: ToolCall, *, usage: Usage | None, provider: str | None
) -> Entry:
    return Entry(
        role="tool_call",
        timestamp=call.timestamp or message.timestamp,
        text=main_argument(call),
        tool_call=CallMade(id=call.id, name=call.tool, input=call.input),
        provider=provider,
        model=message.model,
        usage=usage,
        id=message.id,
        line=message.line if call.line is None else call.line,
        agent_id=message.agent_id,
    )


def _answered(message: Message, call: ToolCall, *, provider: str | None) -> Entry:
    return Entry(
        role="tool_result",
        timestamp=answered_at(call),
        text=call.output or "",
        tool_result=CallResult(
            id=call.id,
            name=call.tool,
            status=call.status,
            exit_code=call.exit_code,
            duration_ms=call.duration_ms,
        ),
        provider=provider,
        id=message.id,
        agent_id=message.agent_id,
    )
