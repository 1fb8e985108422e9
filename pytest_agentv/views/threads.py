"""Which part of a conversation is shown: the main thread and its sub-agents, apart or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.transcript.model import Message, Transcript


def selected(transcript: Transcript, *, subagents: bool, thinking: bool) -> Transcript:
    """The transcript without what its sub-agents wrote, or without thinking."""
    if subagents and thinking:
        return transcript
    messages: Iterable[Message] = transcript.output
    if not subagents:
        messages = (one for one in messages if one.agent_id is None)
    if not thinking:
        messages = (_without_thinking(one) for one in messages)
    return msgspec.structs.replace(transcript, output=tuple(messages))


def threads(messages: Iterable[Message]) -> dict[str | None, list[Message]]:
    """The messages of the main thread under None, and those of each sub-agent under its id.

    The main thread comes first, sub-agents in the order in which they spoke.
    """
    found: dict[str | None, list[Message]] = {None: []}
    for message in messages:
        found.setdefault(message.agent_id, []).append(message)
    if not found[None]:
        del found[None]
    return found


def _without_thinking(message: Message) -> Message:
    return message if message.thinking is None else msgspec.structs.replace(message, thinking=None)
