"""Values out of sessions that many vendors write alike: arguments, contents, statuses, names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.records import UNREADABLE
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from pytest_agentv.adapters.records import Drift

# What stands for a value that cannot even be written down.
TOO_DEEP = "[nested too deep]"
ENCODED_CONTENT = ("image", "image_url", "input_image", "audio", "input_audio", "file", "document")


def parsed_arguments(arguments: Any, drift: Drift, line: int) -> Any:
    """Arguments as a value: some vendors write them as a text of JSON."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] == "{":
        try:
            arguments = msgspec.json.decode(arguments)
        except (*UNREADABLE, UnicodeEncodeError):
            return arguments  # of a tool that takes a text, which merely begins like JSON
    if too_deep(arguments):
        drift.note("tool input nested too deep", line)
        return None
    return arguments


def status_of(exit_code: int | None, *, is_error: bool | None = None) -> str:
    """The status of a call that was answered; a non-zero exit code is an error in any case."""
    if exit_code or is_error:
        return "error"
    return "unknown" if exit_code is None and is_error is None else "ok"


def text_of(content: Any) -> str:
    """The text of a content: a text, a block, or a list of both; anything else as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for text in map(_block_text, content) if text)
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return str(content["text"])
    return json_text(content)


def json_text(value: Any) -> str:
    """Anything as JSON: what is not understood stays readable."""
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return TOO_DEEP


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """A content as blocks: what is none of them is a block of text."""
    several = content if isinstance(content, list) else [content]
    return [
        one if isinstance(one, dict) else {"type": "text", "text": text_of(one)}
        for one in several
        if one is not None
    ]


def attachments_of(content: Any) -> list[Attachment]:
    """What a content holds besides text, described."""
    blocks = content if isinstance(content, list) else []
    kinds = ((_attached_kind(one), one) for one in blocks if isinstance(one, dict))
    return [
        Attachment(kind=kind, media_type=_media_type(one))
        for kind, one in kinds
        if kind is not None
    ]


def _attached_kind(block: dict[str, Any]) -> str | None:
    """What a block holds besides text; of one whose type is none, nobody knows."""
    kind = block.get("type")
    if kind in ENCODED_CONTENT:
        return str(kind)
    is_known = isinstance(kind, str) or "type" not in block or "text" in block
    return None if is_known else "unknown"


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else "" if text is None else json_text(text)


def _media_type(block: dict[str, Any]) -> str | None:
    for name in ("media_type", "mimeType", "mime_type"):
        if isinstance(block.get(name), str):
            return str(block[name])[:80]
    source = block.get("source") or block.get("image_url")
    if isinstance(source, dict):
        if isinstance(source.get("media_type"), str):
            return str(source["media_type"])[:80]
        source = source.get("url")
    if isinstance(source, str) and source.startswith("data:"):
        return source[5:85].partition(";")[0] or None
    return None
