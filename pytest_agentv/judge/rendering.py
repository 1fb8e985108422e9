"""A session as a text of bounded length: who said what, which tools were called, what came back.

Every part has a bound of its own, and the whole loses its middle first: how a session began and
ended tells most.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_agentv.transcript.model import Message, ToolCall, Transcript

_MOST_TEXT = 8_000
_MOST_INPUT = 2_000
_MOST_OUTPUT = 2_000
# The share of the room for how the session began.
_BEGINNING = 0.3


def rendered_transcript(transcript: Transcript, *, room: int, clean: Callable[[str], str]) -> str:
    """The main thread of a session in at most about so many characters."""
    blocks = [
        block
        for number, message in enumerate(transcript.output, 1)
        if message.agent_id is None and (block := "\n".join(_lines(number, message, clean)))
    ]
    return "\n".join(_fitting(blocks, room))


def shortened(text: str, room: int) -> str:
    """A text of at most about so many characters: what is too much goes from its middle."""
    if len(text) <= room:
        return text
    left_out = len(text) - room
    begin = room * 2 // 3
    note = f"\n[… {left_out:,} characters left out …]\n"
    return f"{text[:begin]}{note}{text[len(text) - (room - begin) :]}"


def _fitting(blocks: list[str], room: int) -> Iterator[str]:
    sizes = [len(one) + 1 for one in blocks]
    if sum(sizes) <= room:
        yield from blocks
        return
    first, left = 0, room * _BEGINNING
    while first < len(blocks) and sizes[first] <= left:
        left -= sizes[first]
        first += 1
    last, left = len(blocks), left + room * (1 - _BEGINNING)
    while last > first and sizes[last - 1] <= left:
        left -= sizes[last - 1]
        last -= 1
    yield from blocks[:first]
    yield f"[… {last - first:,} of {len(blocks):,} messages left out …]"
    yield from blocks[last:]


def _lines(number: int, message: Message, clean: Callable[[str], str]) -> Iterator[str]:
    who = message.role if message.origin in (None, "human") else f"{message.role}, {message.origin}"
    if message.content:
        yield f"[{number}] {who}: {shortened(clean(message.content), _MOST_TEXT)}"
    for call in message.tool_calls:
        yield from _call_lines(number, call, clean)


def _call_lines(number: int, call: ToolCall, clean: Callable[[str], str]) -> Iterator[str]:
    given = call.input if isinstance(call.input, str) else _json(call.input)
    yield f"[{number}] calls {clean(call.tool)}: {shortened(clean(given), _MOST_INPUT)}"
    code = "" if call.exit_code is None else f", exit code {call.exit_code}"
    output = "(unknown)" if call.output is None else shortened(clean(call.output), _MOST_OUTPUT)
    yield f"[{number}] result ({call.status}{code}): {output}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
