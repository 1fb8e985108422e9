"""Recognising files of Claude Code's, by several records and never by the first line alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.claude.session import ON_DISK, PRINTED
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.claude.session import Dialect

# A session may begin with dozens of summaries, or with an image of a megabyte.
_MAX_RECORDS = 500
_MAX_BYTES = 16 << 20

# Records that no other client writes; a file may consist of nothing else.
_OWN_TYPES = frozenset({"file-history-snapshot", "queue-operation", "ai-title", "custom-title"})


class _Message(msgspec.Struct):
    role: str | None = None
    content: msgspec.Raw = msgspec.Raw()


class _Record(msgspec.Struct):
    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    sessionId: str | None = None  # noqa: N815 (the vendor's name, beside the stream's own)
    session_id: str | None = None
    leafUuid: str | None = None  # noqa: N815
    parent_tool_use_id: Any = msgspec.UNSET
    total_cost_usd: float | None = None
    tools: Any = msgspec.UNSET
    message: _Message | None = None


def dialect_of(path: Path) -> Dialect | None:
    """How Claude Code wrote a file; None if it did not. Never raises for what a file holds."""
    try:
        with RecordFile(path, _Record, Drift()) as file:
            for count, (place, record) in enumerate(file.records(), 1):
                dialect = _dialect(record)
                if dialect is not None:
                    return dialect
                if count >= _MAX_RECORDS or place[0] >= _MAX_BYTES:
                    break
    except SessionError:
        pass
    return None


def _dialect(record: _Record) -> Dialect | None:
    is_message = record.type in ("user", "assistant") and _has_content(record.message)
    if record.session_id is not None and record.sessionId is None:
        is_printed = (
            (is_message and record.parent_tool_use_id is not msgspec.UNSET)
            # Cursor's agent prints such a record too, without a list of tools.
            or (record.subtype == "init" and record.tools is not msgspec.UNSET)
            or (record.type == "result" and record.total_cost_usd is not None)
        )
        return PRINTED if is_printed else None
    is_own = (
        (is_message and record.uuid is not None and record.sessionId is not None)
        or (record.type in _OWN_TYPES)
        or (record.type == "summary" and record.leafUuid is not None)
    )
    return ON_DISK if is_own else None


def _has_content(message: _Message | None) -> bool:
    return message is not None and bytes(message.content)[:1] in (b'"', b"[")
