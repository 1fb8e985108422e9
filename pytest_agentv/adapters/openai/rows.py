"""Files of chat messages: one conversation, or a row for each; as JSON, JSON lines, or Parquet.

A row keeps its messages under one of a few names, as a list, or as a text that holds one.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.chat import is_of_mini
from pytest_agentv.adapters.openai.messages import role_of
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift, RecordFile, decoded, read_json
from pytest_agentv.adapters.rowplaces import LineDrift, RowPlaces, state_of
from pytest_agentv.errors import Location, SessionError, SessionUnreadable
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.records import Place

KEYS = ("messages", "trajectory", "conversations", "conversation", "traj", "history")
_IDS = (
    "session_id", "conversation_id", "trajectory_id", "traj_id", "id", "uuid", "instance_id",
    "task_id",
)  # fmt: skip
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_SAYS = ("content", "tool_calls", "value", "function_call", "text")
# What other clients' messages have, and a chat message has not.
_OF_OTHERS = frozenset({"parts", "ts", "message", "kind", "message_type", "thought", "is_demo"})
# What other clients' documents have, whose messages look alike.
_DOCUMENTS_OF_OTHERS = frozenset({
    "schema_version", "trajectory_format", "projectHash", "sessionId", "resourceSpans", "steps",
})  # fmt: skip
# Columns of a Parquet file that are read; the others may be large.
_COLUMNS = frozenset({*KEYS, *_IDS, "model", "model_name"})
_FOOTER = 1 << 20
_BATCH = 32
_places = RowPlaces()


class Row(msgspec.Struct):
    """One conversation: its line or number, counted from 1, its id, and its messages."""

    number: int
    id: str | None
    fields: dict[str, Any]
    messages: list[Any]


def is_chat(path: Path) -> bool:
    """Whether a file holds chat messages, by what it begins with."""
    found = probe(path)
    if found.is_parquet:
        return _may_have_messages(path)
    if found.fields:
        if _DOCUMENTS_OF_OTHERS & found.fields.keys() or len(found.records) > 1:
            return False
        row = {name: found.value(name) for name in found.fields}
        return _is_row(row)
    if found.records:
        return _are_messages(found.records) or any(map(_is_row, found.records))
    return _is_conversation(found.items) or any(map(_is_row, found.items))


def row_of(path: Path, number: int | None, drift: Drift) -> Row | None:
    """The conversation of a number, or the first one; on lines, no other is read for it twice."""
    if not _places.has(path) and probe(path).has_lines:
        deque(_line_rows(path, Drift()), maxlen=0)
    place = _places.place(path, number, drift)
    if place is not None:
        with _lines(path, drift) as file:
            return next((_row(one, line, drift) for line, one in file.records_at([place])), None)
    if number is None or probe(path).has_lines:
        return next((one for one in rows_of(path, drift) if number in (None, one.number)), None)
    return _walked(path, number, drift)


class _Walk:
    """A file without lines, whose rows are wanted one after another: it is gone through once."""

    def __init__(self, path: Path, state: object) -> None:
        self.state = state
        self.drift = LineDrift()
        self.reached = 0
        self._rows = rows_of(path, self.drift)

    def row(self, number: int) -> Row | None:
        """The row of a number; those before it are passed over."""
        for row in self._rows:
            self.reached = row.number
            if row.number >= number:
                return row if row.number == number else None
        return None


_walk: _Walk | None = None


def _walked(path: Path, number: int, drift: Drift) -> Row | None:
    global _walk  # noqa: PLW0603 (of the file that was read last)
    state = state_of(path)
    if _walk is None or _walk.state != state or _walk.reached >= number:
        _walk = _Walk(path, state)
    try:
        row = _walk.row(number)
    except SessionError:
        _walk = None
        raise
    drift.include(_walk.drift.of(number))
    return row


def rows_of(path: Path, drift: Drift) -> Iterator[Row]:
    """Every conversation of a file; raises SessionError if it cannot be read."""
    if probe(path).is_parquet:
        yield from _parquet_rows(path, drift)
    elif probe(path).has_lines:
        yield from _line_rows(path, drift)
    else:
        yield from _document_rows(read_json(path, drift), drift)


def _document_rows(value: Any, drift: Drift) -> Iterator[Row]:
    if isinstance(value, list) and _is_conversation(value, strict=False):
        yield Row(1, None, {}, value)
        return
    rows = value if isinstance(value, list) else [value]
    for number, fields in enumerate(rows, 1):
        row = _row(fields, number, drift)
        if row is not None:
            yield row


def _lines(path: Path, drift: Drift) -> RecordFile[Any]:
    return RecordFile(path, dict, drift)


def _line_rows(path: Path, drift: Drift) -> Iterator[Row]:
    lines: list[Any] = []
    places: dict[int, Place] = {}
    state, noted = state_of(path), LineDrift()
    with _lines(path, noted) as file:
        for place, fields in file.records():
            line = place[2]
            row = _row(fields, line, noted)
            if row is not None:
                places[line] = place
                yield row
            elif role_of(fields) is not None:
                lines.append(fields)
            else:
                noted.note("row without messages", line)
    _places.remember(state, places, noted)
    drift.include(noted)
    if lines:
        yield Row(1, None, {}, lines)


def _parquet_rows(path: Path, drift: Drift) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 (an extra)
    except ImportError as exc:
        message = "is a Parquet file; reading it takes pytest-agentv[parquet]"
        raise SessionUnreadable(message, at=Location(path)) from exc
    try:
        with open_regular(path) as opened, parquet.ParquetFile(opened) as file:
            names = [name for name in file.schema_arrow.names if name in _COLUMNS]
            number = 0
            for batch in file.iter_batches(batch_size=_BATCH, columns=names):
                for fields in batch.to_pylist():
                    number += 1
                    row = _row(fields, number, drift)
                    if row is not None:
                        yield row
    except (ArrowException, OSError, ValueError) as exc:
        message = (
            f"cannot be read as Parquet: {str(exc).splitlines()[0][:200] if str(exc) else exc!r}"
        )
        raise SessionUnreadable(message, at=Location(path)) from exc


def _row(fields: Any, number: int, drift: Drift) -> Row | None:
    messages = _messages_of(fields, drift, number)
    if messages is None:
        return None
    ids = (fields.get(name) for name in _IDS)
    id_ = next((str(one) for one in ids if type(one) in (str, int) and str(one)), None)
    return Row(number, id_, fields, messages)


def _messages_of(fields: Any, drift: Drift, line: int) -> list[Any] | None:
    if not isinstance(fields, dict):
        return None
    for name in KEYS:
        value = fields.get(name)
        if isinstance(value, str) and value.lstrip()[:1] == "[":
            value = decoded(value.encode("utf-8", "replace"), drift, line)
        if isinstance(value, list) and any(role_of(one) is not None for one in value):
            return value
    return None


def _is_row(fields: Any) -> bool:
    if not isinstance(fields, dict) or _DOCUMENTS_OF_OTHERS & fields.keys():
        return False
    if isinstance(fields.get("info"), dict) and "mini_version" in fields["info"]:
        return False
    messages = _messages_of(fields, Drift(), 1)
    return messages is not None and _is_conversation(messages, of_row=True)


def _is_conversation(items: list[Any], *, of_row: bool = False, strict: bool = True) -> bool:
    """Whether items are chat messages; ``strict``: and not those of another client."""
    if not items or not any(map(_is_message, items)):
        return False
    if not strict:
        return True
    others = any(isinstance(one, dict) and _OF_OTHERS & one.keys() for one in items)
    return not others and (of_row or not is_of_mini(items))


def _are_messages(records: list[dict[str, Any]]) -> bool:
    """Whether lines are messages, one each; other clients' logs have roles of their own."""
    messages = [one for one in records if _is_message(one)]
    own_roles = any(str(one.get("role", "")).startswith("_") for one in records)
    return not own_roles and len(messages) > 1 and len(messages) * 2 > len(records)


def _is_message(value: Any) -> bool:
    return (
        role_of(value) in _ROLES
        and any(name in value for name in _SAYS)
        and not _OF_OTHERS & value.keys()
        and not ("type" in value and "uuid" in value)
    )


def _may_have_messages(path: Path) -> bool:
    """Whether the description at the end of a Parquet file names a column of messages."""
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _FOOTER))
            footer = file.read()
    except (SessionError, OSError):
        return False
    return footer.endswith(b"PAR1") and any(key.encode() in footer for key in KEYS)
