"""Records that sessions are full of, each kind with its own few fields.

A line is first decoded as one of these: the decoder itself finds the kind by its tags, and skips
what nobody reads. What is none of them, or has a field of another type, is decoded once more, as
a record of any kind. A field of theirs has the name and the meaning that it has there.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from pytest_agentv.adapters.clock import Time  # noqa: TC001 (a struct needs it at run time)
from pytest_agentv.adapters.codex.records import Number, Part, TokenInfo  # noqa: TC001


class _Kind(msgspec.Struct, gc=False, tag_field="type"):
    """What has its kind as its type."""


class Said(_Kind, gc=False, tag="message"):
    """A message: an item."""

    id: str | None = None
    role: str | None = None
    content: str | list[Part] | None = None


class Thought(_Kind, gc=False, tag="reasoning"):
    """What the model thought: an item. Mostly encrypted, which is skipped."""

    id: str | None = None
    content: str | list[Part] | None = None
    summary: str | list[Part] | None = None


class FunctionCall(_Kind, gc=False, tag="function_call"):
    """A call with arguments."""

    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: Any = None
    call_id: str | None = None


class CustomCall(_Kind, gc=False, tag="custom_tool_call"):
    """A call with a text of its own form."""

    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    input: Any = None
    call_id: str | None = None


class FunctionOutput(_Kind, gc=False, tag="function_call_output"):
    """The output of a call."""

    id: str | None = None
    call_id: str | None = None
    output: str | list[Part] | Part | None = None


class CustomOutput(_Kind, gc=False, tag="custom_tool_call_output"):
    """The output of a custom call."""

    id: str | None = None
    name: str | None = None
    call_id: str | None = None
    output: str | list[Part] | Part | None = None


class TokenCount(_Kind, gc=False, tag="token_count"):
    """All tokens so far: an event."""

    info: TokenInfo | None = None


class ShownPrompt(_Kind, gc=False, tag="user_message"):
    """A prompt, as the screen shows it."""

    message: str | None = None
    kind: str | None = None


class ShownAnswer(_Kind, gc=False, tag="agent_message"):
    """A text of a response, as the screen shows it."""

    message: str | None = None


class ShownThought(_Kind, gc=False, tag="agent_reasoning"):
    """A thought, as the screen shows it."""

    text: str | None = None


class TurnStarted(_Kind, gc=False, tag="task_started"):
    """A turn begins."""

    turn_id: str | None = None


class TurnComplete(_Kind, gc=False, tag="task_complete"):
    """A turn is over."""

    turn_id: str | None = None


class TurnContext(msgspec.Struct, gc=False):
    """The settings of a turn, which have no type."""

    type: None = None
    turn_id: str | None = None
    cwd: str | None = None
    model: str | None = None
    summary: str | list[Part] | None = None


FrequentItem: TypeAlias = Said | Thought | FunctionCall | FunctionOutput | CustomCall | CustomOutput
FrequentEvent: TypeAlias = (
    TokenCount | ShownPrompt | ShownAnswer | ShownThought | TurnStarted | TurnComplete
)


class ItemRecord(_Kind, gc=False, tag="response_item"):
    """An item in its wrapper."""

    payload: FrequentItem
    timestamp: Time | None = None
    ordinal: Number | None = None


class EventRecord(_Kind, gc=False, tag="event_msg"):
    """An event in its wrapper."""

    payload: FrequentEvent
    timestamp: Time | None = None
    ordinal: Number | None = None


class ContextRecord(_Kind, gc=False, tag="turn_context"):
    """The settings of a turn in their wrapper."""

    payload: TurnContext
    timestamp: Time | None = None
    ordinal: Number | None = None


FrequentRecord: TypeAlias = ItemRecord | EventRecord | ContextRecord
