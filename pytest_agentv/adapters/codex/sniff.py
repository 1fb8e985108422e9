"""Recognising files of Codex's, by several records and never by the first line alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.codex.compressed import open_session
from pytest_agentv.adapters.codex.document import document_records, is_document
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.errors import AgentvError

if TYPE_CHECKING:
    from pathlib import Path

# A session may begin with records of others, or with an image of a megabyte.
_MAX_RECORDS = 200
_MAX_BYTES = 8 << 20
# So many records of Codex's make a session of its.
_ENOUGH = 2

_WRAPPED = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
)
_ITEMS = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
    }
)


class _Payload(msgspec.Struct):
    type: str | None = None
    cli_version: str | None = None
    originator: str | None = None
    id: str | None = None


class _Record(msgspec.Struct):
    type: str | None = None
    record_type: str | None = None
    id: str | None = None
    timestamp: str | None = None
    instructions: Any = msgspec.UNSET
    git: Any = msgspec.UNSET
    payload: _Payload | None = None


def is_session(path: Path) -> bool:
    """Whether Codex wrote a file. Never raises for what a file holds."""
    try:
        return _has_items(path) if is_document(path) else _has_records(path)
    except (AgentvError, OSError):
        return False


def _has_records(path: Path) -> bool:
    found = 0
    is_bare = False
    file = open_session(path, limit=_MAX_BYTES)
    with RecordFile(path, _Record, Drift(), file=file) as records:
        for count, (place, record) in enumerate(records.records(), 1):
            payload = record.payload
            if payload is not None:
                if record.type == "session_meta" and (payload.cli_version or payload.originator):
                    return True
                found += record.type in _WRAPPED
            elif _is_bare_head(record):
                is_bare, found = True, found + 1
            elif is_bare:
                found += record.type in _ITEMS or record.record_type == "state"
            if found >= _ENOUGH:
                return True
            if count >= _MAX_RECORDS or place[0] >= _MAX_BYTES:
                break
    return False


def _is_bare_head(record: _Record) -> bool:
    has_key = record.instructions is not msgspec.UNSET or record.git is not msgspec.UNSET
    return record.type is None and record.id is not None and bool(record.timestamp) and has_key


def _has_items(path: Path) -> bool:
    records = (record for _, _, record in document_records(path, Drift()))
    head = next(records, None)
    return (
        head is not None
        and head.id is not None
        and any(record.type in _ITEMS for record in records)
    )
