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
    """The main thread of a session in at most about so many bytes.

    From both ends, and no further than there is room: sessions can be very long.
    """
    messages = [
        (number, message)
        for number, message in enumerate(transcript.output, 1)
        if message.agent_id is None and (message.content or message.tool_calls)
    ]

    def block(index: int) -> str:
        return "\n".join(_lines(*messages[index], clean))

    beginning: list[str] = []
    left = int(room * _BEGINNING)
    while len(beginning) < len(messages):
        text = block(len(beginning))
        if size(text) >= left:
            break
        beginning.append(text)
        left -= size(text) + 1
    first = len(beginning)
    if first < len(messages) and not first:
        beginning.append(shortened(block(0), left))
        first, left = 1, 0
    ending: list[str] = []
    last, left = len(messages), left + room - int(room * _BEGINNING)
    while last > first:
        text = block(last - 1)
        if size(text) >= left:
            break
        ending.append(text)
        left -= size(text) + 1
        last -= 1
    if last > first and not ending:
        ending.append(shortened(block(last - 1), left))
        last -= 1
    if last > first:
        ending.append(f"[… {last - first:,} of {len(messages):,} messages left out …]")
    return "\n".join([*beginning, *reversed(ending)])


def size(text: str) -> int:
    """The length of a text in bytes, which tell more of its tokens than characters do."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def shortened(text: str, room: int) -> str:
    """A text of at most about so many bytes: what is too much goes from its middle."""
    length = size(text)
    if length <= room:
        return text
    kept = len(text) * room // length
    begin = kept * 2 // 3
    note = f"\n[… {len(text) - kept:,} characters left out …]\n"
    return f"{text[:begin]}{note}{text[len(text) - (kept - begin) :]}"


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
