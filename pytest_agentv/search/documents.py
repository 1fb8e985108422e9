"""What of a session can be found: a document for each thing that was said or called.

Roles: `title`; `user` is what a person typed, `system` what the client added; `assistant`; `tool`
is a call; `thinking` and `output` are there by choice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.adapters.clock import from_text
from pytest_agentv.search.tokens import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.search.settings import Choices
    from pytest_agentv.transcript.model import Message, ToolCall
    from pytest_agentv.transcript.stream import SessionStream

ROLES = ("title", "user", "assistant", "system", "tool", "thinking", "output")

# Characters of a document; what follows is cut off, and counted.
MAX_TEXT = 65_536
# Of the texts in the arguments of a call.
_MOST_VALUES = 1_000
_LONGEST_WORD = 500
_SURROGATES = re.compile("[\ud800-\udfff]")


class Document(NamedTuple):
    """One thing that was said or called."""

    role: str
    # The tool's native name and its kind, of a call.
    tool: str | None
    kind: str | None
    # Seconds since 1970; what says no time is as old as what comes before it.
    time: int | None
    # In the file of the session.
    line: int | None
    # The sub-agent; None on the main thread.
    thread: str | None
    # What a call touches, a line each.
    paths: str | None
    text: str
    # Of names in the text, to be indexed beside it.
    parts: str = ""
    is_cut: bool = False


def documents_of(stream: SessionStream, choices: Choices) -> Iterator[Document]:
    """The documents of a session in order; a message without a text is none."""
    source = stream.head.source
    time = seconds(source.timestamp)
    if source.title and source.title.strip():
        yield _document("title", source.title, time=time)
    for message in stream.messages():
        time = seconds(message.timestamp) or time
        if message.agent_id is None or choices.subagents:
            yield from _of_message(message, choices, time)


def seconds(timestamp: str | None) -> int | None:
    """A time in seconds since 1970; None if it is none, or could be anywhere."""
    time = from_text(timestamp)
    return None if time is None or time.tzinfo is None else int(time.timestamp())


def storable(text: str) -> str:
    """A text that a database takes: surrogates have no encoding."""
    return text if text.isascii() else _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


def cut_off(text: str, limit: int) -> str:
    """The beginning of a text. Half a word is none: of a secret it would hide what it is."""
    if len(text) <= limit:
        return text
    blank = next(
        (one for one in range(limit, max(limit - _LONGEST_WORD, 0), -1) if text[one].isspace()),
        limit,
    )
    return text[:blank]


def _of_message(message: Message, choices: Choices, time: int | None) -> Iterator[Document]:
    about: dict[str, Any] = {"time": time, "line": message.line, "thread": message.agent_id}
    if choices.thinking and message.thinking and message.thinking.strip():
        yield _document("thinking", message.thinking, **about)
    if message.content and not message.content.isspace():
        yield _document(_role(message), message.content, **about)
    for call in message.tool_calls:
        about["line"] = message.line if call.line is None else call.line
        about["time"] = seconds(call.timestamp) or time
        named = {"tool": call.tool, "kind": call.kind, "paths": "\n".join(call.paths) or None}
        yield _document("tool", _words_of_call(call), **named, **about)
        if choices.tool_output and call.output and not call.output.isspace():
            yield _document("output", call.output, **named, **about)


def _role(message: Message) -> str:
    if message.role != "user":
        return message.role if message.role in ROLES else "system"
    is_typed = message.origin != "injected" and message.agent_id is None
    return "user" if is_typed else "system"


def _document(role: str, text: str, **about: Any) -> Document:
    paths, thread, tool = about.get("paths"), about.get("thread"), about.get("tool")
    kind = about.get("kind")
    stored = storable(cut_off(text, MAX_TEXT))
    return Document(
        role=role,
        tool=None if tool is None else storable(tool),
        kind=None if kind is None else storable(kind),
        time=about.get("time"),
        line=about.get("line"),
        thread=None if thread is None else storable(thread),
        paths=None if paths is None else storable(paths[:MAX_TEXT]),
        text=stored,
        parts=parts_of(stored),
        is_cut=len(text) > MAX_TEXT,
    )


def _words_of_call(call: ToolCall) -> str:
    """The texts in the arguments of a call: its command, path, contents; not their keys."""
    found: list[str] = []
    left = [call.input]
    for _ in range(_MOST_VALUES):
        if not left:
            break
        value = left.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            left.extend(reversed(value.values()))
        elif isinstance(value, (list, tuple)):
            left.extend(reversed(value))
    return "\n".join(found)
