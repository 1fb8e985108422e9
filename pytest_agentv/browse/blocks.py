"""What is read of a session, piece by piece: what was said, thought and called.

Every text is cleaned here: nothing out of a session steers a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.report.arguments import given
from pytest_agentv.report.clean import clean, one_line
from pytest_agentv.report.figures import duration, moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.transcript.model import Attachment, Message, ToolCall

# Of a text; what is between its ends is left out, and counted.
_LONGEST = 20_000
_SUBJECT = 100
_SUBJECTS = ("command", "pattern", "query", "url", "path", "name", "content")


class Block(NamedTuple):
    """A piece of a session that can be folded."""

    # The role of a message, or `tool` or `thinking`.
    kind: str
    heading: str
    text: str
    is_folded: bool = False


def blocks_of(message: Message) -> Iterator[Block]:
    """The pieces of a message in their order."""
    agent = [] if message.agent_id is None else [f"agent {message.agent_id}"]
    if message.thinking:
        yield _block("thinking", ["thinking", *agent], message.thinking)
    if message.content.strip() or message.attachments:
        is_typed = message.origin in (None, "human")
        who = message.role if is_typed else f"{message.role} ({message.origin})"
        text = "\n".join([message.content, *map(_attached, message.attachments)])
        about = [who, moment(message.timestamp), message.model, *agent]
        yield _block(message.role, about, text, folded=message.role == "system" or not is_typed)
    for call in message.tool_calls:
        yield _of_call(call, agent)


def _of_call(call: ToolCall, agent: list[str]) -> Block:
    facts = [call.tool, _subject(call), call.status if call.status != "ok" else None]
    facts.append(None if call.exit_code in (None, 0) else f"exit {call.exit_code}")
    facts.append(duration(call.duration_ms))
    texts = [given(call.input), call.output or ""]
    return _block("tool", [*facts, *agent], "\n\n".join(filter(None, texts)), folded=True)


def _block(kind: str, facts: list[str | None], text: str, *, folded: bool = False) -> Block:
    heading = "  ".join(one_line(fact, limit=_SUBJECT) for fact in facts if fact)
    return Block(kind, heading, clean(text.rstrip(), limit=_LONGEST), folded)


def _subject(call: ToolCall) -> str | None:
    """What a call is about, in a few words."""
    values = (call.args.get(name) for name in _SUBJECTS)
    return next((one for one in values if isinstance(one, str) and one.strip()), None)


def _attached(attachment: Attachment) -> str:
    return f"[{attachment.kind}: {attachment.name or attachment.media_type or 'without a name'}]"
