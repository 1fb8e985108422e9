"""A session as Markdown for people: every foreign text in a fence that it cannot get out of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.report.clean import one_line, visible
from pytest_agentv.report.markdown import cell, code, fence, table
from pytest_agentv.views.entries import is_answered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.transcript.model import Message, ToolCall
    from pytest_agentv.transcript.stored import AnyTranscript

_TITLE = 100
_LABELS = {"user": "User", "assistant": "Assistant", "system": "System"}
_ORIGINS = {"injected": "Context", "command": "Command"}


def markdown(transcript: AnyTranscript) -> Iterator[bytes]:
    """A session as Markdown, in pieces."""
    source = transcript.source
    title = source.title or transcript.input or source.session_id or source.provider
    yield f"# Session {code(one_line(title, limit=_TITLE))}\n\n".encode()
    yield f"{table(('', ''), _facts(transcript), texts=2)}\n\n".encode()
    for number, message in enumerate(transcript.output, 1):
        yield "".join(f"{part}\n\n" for part in _message(number, message)).encode()


def _facts(transcript: AnyTranscript) -> Iterator[tuple[str, str]]:
    source, usage = transcript.source, transcript.token_usage
    calls = sum(len(one.tool_calls) for one in transcript.output)
    texts = {
        "Client": f"{source.provider} {source.version or ''}".strip(),
        "Model": source.model,
        "Session": source.session_id,
        "Started": source.timestamp,
        "Ended": source.ended_at,
        "Folder": source.cwd,
        "Branch": source.git_branch,
    }
    yield from ((name, cell(text)) for name, text in texts.items() if text)
    figures = {
        "Messages": f"{len(transcript.output):,}",
        "Tool calls": f"{calls:,}",
        "Duration": _seconds(transcript.duration_ms),
        "Input tokens": usage and _number(usage.input),
        "Output tokens": usage and _number(usage.output),
        "Cost": None if transcript.cost_usd is None else f"${transcript.cost_usd:,.4f}",
    }
    yield from ((name, text) for name, text in figures.items() if text)


def _message(number: int, message: Message) -> Iterator[str]:
    label = _ORIGINS.get(message.origin or "") or _LABELS.get(message.role) or code(message.role)
    about = [
        *([code(message.timestamp)] if message.timestamp else []),
        *([f"line {message.line}"] if message.line is not None else []),
        *([f"sub-agent {code(message.agent_id)}"] if message.agent_id is not None else []),
    ]
    yield f"## {number}. {label}"
    if about:
        yield ", ".join(about)
    if message.thinking:
        yield f"Thinking:\n\n{_fenced(message.thinking)}"
    if message.content:
        yield _fenced(message.content)
    for attachment in message.attachments:
        described = (attachment.kind, attachment.name, attachment.media_type)
        yield f"Attachment: {code(' '.join(one for one in described if one))}"
    for call in message.tool_calls:
        yield from _call(call)


def _call(call: ToolCall) -> Iterator[str]:
    about = [
        call.kind,
        call.status,
        *([f"exit code {call.exit_code}"] if call.exit_code is not None else []),
        *([seconds] if (seconds := _seconds(call.duration_ms)) else []),
    ]
    yield f"### Tool call: {code(call.tool)}"
    yield code(", ".join(about))
    if call.command is not None:
        yield _fenced(call.command, language="sh")
    elif call.input is not None:
        value = msgspec.to_builtins(call.input)
        text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        yield _fenced(text, language="" if isinstance(value, str) else "json")
    if call.output:
        yield f"Result:\n\n{_fenced(call.output)}"
    elif is_answered(call):
        yield "No output"
    else:
        yield "Never answered"


def _fenced(text: str, *, language: str = "text") -> str:
    shown = visible(text).rstrip("\n")
    ticks = fence(shown)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _seconds(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else f"{milliseconds / 1000:,.1f} s"


def _number(count: int | None) -> str | None:
    return None if count is None else f"{count:,}"
