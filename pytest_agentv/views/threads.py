"""Which part of a conversation is shown: the main thread and its sub-agents, apart or left out."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import msgspec

from pytest_agentv.transcript.model import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def chosen(
    messages: Iterable[Message],
    *,
    subagents: bool,
    thinking: bool,
    tool_calls: bool = True,
    skip: Callable[[str], None],
) -> Iterator[Message]:
    """Messages without what is not wanted; ``skip`` is told of each that is not shown at all."""
    for message in messages:
        if not subagents and message.agent_id is not None:
            skip("message of a sub-agent")
            continue
        left = message if thinking or message.thinking is None else _without(message, "thinking")
        if not tool_calls and left.tool_calls:
            left = _without(left, "tool_calls")
            if not (left.content or left.thinking or left.attachments):
                skip("message that only calls tools")
                continue
        yield left


def _without(message: Message, field: str) -> Message:
    empty = {"thinking": None, "tool_calls": ()}
    return msgspec.structs.replace(message, **{field: empty[field]})


def threads(messages: Sequence[Message]) -> dict[str | None, Sequence[Message]]:
    """The messages of the main thread under None, and those of each sub-agent under its id.

    The main thread comes first, sub-agents in the order in which they spoke.
    """
    found: dict[str | None, array[int]] = {None: array("Q")}
    for place, message in enumerate(messages):
        if message.agent_id not in found:
            found[message.agent_id] = array("Q")
        found[message.agent_id].append(place)
    if not found[None]:
        del found[None]
    return {agent_id: _Thread(messages, places) for agent_id, places in found.items()}


class _Thread(Sequence[Message]):
    """Some of the messages, by their places: a long session is not held for it."""

    def __init__(self, messages: Sequence[Message], places: array[int]) -> None:
        self._messages = messages
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Message: ...

    @overload
    def __getitem__(self, place: slice) -> list[Message]: ...

    def __getitem__(self, place: int | slice) -> Message | list[Message]:
        if isinstance(place, slice):
            return [self._messages[one] for one in self._places[place]]
        return self._messages[self._places[place]]
