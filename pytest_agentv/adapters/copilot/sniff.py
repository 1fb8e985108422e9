"""Recognising files of Copilot's, by several records and never by the first line alone."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.copilot.known import PASSED_TYPES, READ_TYPES
from pytest_agentv.adapters.records import Drift, RecordFile, read_document
from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

_MAX_RECORDS = 500
_MAX_BYTES = 16 << 20
# So many events make a session; fewer may be a coincidence of names.
_ENOUGH = 2
_PRODUCER = "copilot"
_TYPES = PASSED_TYPES | READ_TYPES
# The keys of the old form stand at its beginning, before the messages.
_HEAD = 1 << 12
_DOCUMENT_KEYS = (b'"sessionId"', b'"chatMessages"')


class Form(Enum):
    """How a session is written."""

    EVENTS = "events"
    DOCUMENT = "document"


class _Start(msgspec.Struct, rename="camel"):
    producer: Any = None
    copilot_version: Any = None


class _Event(msgspec.Struct, rename="camel"):
    type: str | None = None
    data: _Start | None = None
    id: str | None = None
    timestamp: Any = None
    parent_id: Any = msgspec.UNSET


class _Document(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    chat_messages: msgspec.Raw = msgspec.Raw()


def form_of(path: Path) -> Form | None:
    """How Copilot wrote a file; None if it did not. Never raises for what a file holds."""
    try:
        if _may_be_document(path):
            document = read_document(path, _Document, Drift())
            is_old = document.session_id and bytes(document.chat_messages).startswith(b"[")
            return Form.DOCUMENT if is_old else None
        return Form.EVENTS if _has_events(path) else None
    except SessionError:
        return None


def _may_be_document(path: Path) -> bool:
    with open_regular(path) as file:
        head = file.read(_HEAD)
    return all(key in head for key in _DOCUMENT_KEYS)


def _has_events(path: Path) -> bool:
    found = 0
    with RecordFile(path, _Event, Drift()) as file:
        for count, (place, event) in enumerate(file.records(), 1):
            if _is_start(event):
                return True
            found += _is_event(event)
            if found >= _ENOUGH:
                return True
            if count >= _MAX_RECORDS or place[0] >= _MAX_BYTES:
                break
    return False


def _is_event(event: _Event) -> bool:
    return (
        event.type in _TYPES
        and event.data is not None
        and event.id is not None
        and event.timestamp is not None
        and event.parent_id is not msgspec.UNSET
    )


def _is_start(event: _Event) -> bool:
    """Whether an event says by itself which client writes here."""
    if event.type != "session.start" or event.data is None or not _is_event(event):
        return False
    producer = event.data.producer
    return event.data.copilot_version is not None or (
        isinstance(producer, str) and producer.startswith(_PRODUCER)
    )
