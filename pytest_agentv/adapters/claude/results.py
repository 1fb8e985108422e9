"""What became of a tool call, from the result the model got and what the client noted of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import FOREVER, milliseconds
from pytest_agentv.adapters.records import decoded
from pytest_agentv.adapters.values import blocks_of, text_of
from pytest_agentv.jsontext import is_utf8
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.claude.records import Block, Record, ToolUseResult
    from pytest_agentv.adapters.records import Drift

# Patterns are for calls that failed: those are few, so they are compiled when the first one comes.
# Claude Code writes no exit code of its own; a failed command's output begins with it.
_EXIT_CODE = r"\s*(?:<tool_use_error>)?(?:Error: )?Exit code (\d{1,10})\b"
_DENIED = (
    r"(?s:The user doesn't want to (?:proceed with this tool use|take this action right now)"
    r"|User rejected tool use"
    r"|User chose to stay in plan mode"
    r"|Claude requested permissions? to .{0,500}? but you haven't granted it yet"
    r"|Permission to use .{0,500}? has been (?:auto-)?denied"
    r"|This command requires approval"
    r"|This Bash command contains multiple operations\. The following parts? requires? approval)"
)
_CANCELLED = (
    r"\[Request interrupted by user"
    r"|Sibling tool call errored"
    r"|Cancelled: parallel tool call"
    r"|Interrupted by user"
)
# A command that goes on; what became of it is told elsewhere, if at all.
_BACKGROUND = (
    "Command running in background with ID: ",
    "Command was manually backgrounded by user with ID: ",
)
_BACKGROUND_WRITTEN = tuple(f'"{phrase}'.encode() for phrase in _BACKGROUND)
_TIMEOUT = "Command timed out after"
# How far into a result a phrase of the client's may begin: it comes first, after a tag or "Error:".
_PHRASE_AT = 40


def content_of(block: Block, drift: Drift, line: int) -> Any:
    """What a result holds: a text that nobody needs to read as the JSON that it is.

    The decoder has seen that it is JSON, but for characters that are none.
    """
    content = block.content
    if type(content) is not msgspec.Raw:
        return content
    written = bytes(content)
    if block.is_error or not written.startswith(b'"') or not is_utf8(written):
        return decoded(written, drift, line)
    return content


def status_of_error(record: Record, noted: ToolUseResult, output: str) -> tuple[str, int | None]:
    """Status and exit code of a call that ended in an error."""
    code = re.match(_EXIT_CODE, output)
    exit_code = int(code.group(1)) if code else None
    if record.tool_denial_kind is not None or _begins(_DENIED, output):
        return "denied", exit_code
    if noted.interrupted or _begins(_CANCELLED, output):
        return "cancelled", exit_code
    if _begins(_TIMEOUT, output):
        return "timeout", exit_code
    return "error", exit_code


def goes_on(noted: ToolUseResult, output: str | msgspec.Raw) -> bool:
    """Whether the answer of a shell, a text or its JSON, only says that a command was started."""
    if noted.background_task_id is not None:
        return True
    if isinstance(output, str):
        return output.startswith(_BACKGROUND)
    return bytes(output).startswith(_BACKGROUND_WRITTEN)


def output_of(content: Any, call_id: str | None) -> tuple[str, list[Attachment]]:
    """Text of a result that is a list of blocks, and what else it holds, described."""
    texts: list[str] = []
    attachments: list[Attachment] = []
    for block in blocks_of(content):
        kind = block.get("type")
        if kind == "text":
            texts.append(text_of(block.get("text")))
        elif kind == "tool_reference" and isinstance(block.get("tool_name"), str):
            texts.append(block["tool_name"])
        else:
            named = kind if isinstance(kind, str) else "unknown"
            attachments.append(attachment_of(named, block.get("source"), call_id=call_id))
    return "\n".join(texts), attachments


def attachment_of(
    kind: str, source: Any, *, name: str | None = None, call_id: str | None = None
) -> Attachment:
    """An image or document, described by what its source says."""
    described = source if isinstance(source, dict) else {}
    media_type, data = described.get("media_type"), described.get("data")
    encoded = data if described.get("type") == "base64" and isinstance(data, str) else None
    return Attachment(
        kind=kind[:40],
        media_type=media_type if isinstance(media_type, str) else None,
        size=None if encoded is None else _decoded_size(encoded),
        name=name,
        call_id=call_id,
    )


def duration_of(
    noted: ToolUseResult, called: datetime | None, answered: datetime | None
) -> tuple[int | None, str | None]:
    """How long a call took, in milliseconds, and whose clock says so."""
    measured = noted.duration_ms if noted.duration_ms is not None else noted.total_duration_ms
    if measured is None and noted.duration_seconds is not None:
        measured = noted.duration_seconds * 1000
    if measured is not None and 0 <= measured < FOREVER:
        return round(measured), "tool"
    if called is None or answered is None or answered < called:
        return None, None
    return milliseconds(called, answered), "timestamps"


def _begins(pattern: str, output: str) -> bool:
    anywhere = rf"(?s:.{{0,{_PHRASE_AT}}}?)(?:{pattern})"
    return re.compile(anywhere).match(output, 0, 1000) is not None


def _decoded_size(data: str) -> int:
    return max(0, len(data) * 3 // 4 - data[-2:].count("="))
