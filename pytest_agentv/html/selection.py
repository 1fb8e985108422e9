"""Which messages of a session a page shows, and how much of their texts.

A session can be larger than what a browser opens gladly. What people look for is kept first: what
decided an assertion, the beginning and the end, and what went wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentv.html.diffs import MOST_LINES
from pytest_agentv.html.texts import json_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_agentv.transcript.model import Message, ToolCall

# Characters of one text.
MOST_OF_MESSAGE = 16_000
MOST_OF_THINKING = 4_000
MOST_OF_ARGUMENTS = 4_000
MOST_OF_OUTPUT = 4_000
# What decided an assertion is shown whole up to here.
MOST_OF_EVIDENCE = 64_000
MOST_CALLS = 200
MOST_ATTACHMENTS = 20

# Of the session that a run graded, and of a page that shows one session only.
ROOM_IN_RUN = 3_000_000
ROOM_ALONE = 16_000_000

# What the page writes around a message, and around a call.
_AROUND_MESSAGE = 400
_AROUND_CALL = 600
# A line of a diff has markup of its own.
_DIFF_LINE = 40
_ENDS = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """How many characters are shown of each text of a message."""

    message: int
    thinking: int
    arguments: int
    output: int


USUAL = Limits(MOST_OF_MESSAGE, MOST_OF_THINKING, MOST_OF_ARGUMENTS, MOST_OF_OUTPUT)
WHOLE = Limits(MOST_OF_EVIDENCE, MOST_OF_EVIDENCE, MOST_OF_EVIDENCE, MOST_OF_EVIDENCE)


def selected(
    messages: Sequence[Message], *, room: int, evidence: Collection[int]
) -> dict[int, Limits]:
    """The places of the messages that are shown, with their limits, in order."""
    chosen: dict[int, Limits] = {}
    for place in _by_importance(messages, evidence):
        decides = place in evidence
        for limits in (WHOLE, USUAL) if decides else (USUAL,):
            size = _size(messages[place], limits)
            if size <= room:
                chosen[place] = limits
                room -= size
                break
    return dict(sorted(chosen.items()))


def _by_importance(messages: Sequence[Message], evidence: Collection[int]) -> dict[int, None]:
    """Every place once, the most important first."""
    count = len(messages)
    failing = (place for place, one in enumerate(messages) if any(c.failed for c in one.tool_calls))
    return dict.fromkeys(
        [
            *(place for place in sorted(evidence) if place < count),
            *range(min(_ENDS, count)),
            *range(max(0, count - _ENDS), count),
            *failing,
            *range(count),
        ]
    )


def _size(message: Message, limits: Limits) -> int:
    """About how many characters a message takes on the page."""
    texts = min(len(message.content), limits.message)
    texts += min(len(message.thinking or ""), limits.thinking)
    calls = message.tool_calls[:MOST_CALLS]
    return _AROUND_MESSAGE + texts + sum(_size_of_call(call, limits) for call in calls)


def _size_of_call(call: ToolCall, limits: Limits) -> int:
    if call.kind in ("edit", "write"):
        lines = min(_longest(call.input, call.args), MOST_LINES * _DIFF_LINE)
        return _AROUND_CALL + lines + _size_of_output(call, limits)
    arguments = min(_longest(call.input, call.args), limits.arguments)
    return _AROUND_CALL + arguments + _size_of_output(call, limits)


def _size_of_output(call: ToolCall, limits: Limits) -> int:
    return min(len(call.output or ""), limits.output)


def _longest(*values: Any) -> int:
    return max(len(json_of(one)) for one in values)
