"""Sessions as Parquet: tables of sessions, messages and tool calls, for queries at scale.

Needs the extra ``parquet``. Rows are written in groups, so that no table is ever held whole.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import Location, OutputError
from pytest_agentv.files import atomic_write
from pytest_agentv.jsontext import well_formed
from pytest_agentv.transcript.times import moment
from pytest_agentv.views.encoding import encode

try:
    import pyarrow as pa
    from pyarrow import parquet as pq
except ImportError as exc:
    raise OutputError(
        "Parquet needs pyarrow, which is not installed: pip install 'pytest-agentv[parquet]'"
    ) from exc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_agentv.transcript.model import Message, ToolCall
    from pytest_agentv.transcript.stored import AnyTranscript

# Tool outputs can be large: a group of rows is full by their number or by their size.
_ROWS = 10_000
_CHARACTERS = 16_000_000
_LARGEST = 2**63 - 1

_TEXT, _NUMBER, _TIME = pa.string(), pa.int64(), pa.timestamp("ms", tz="UTC")
_TOKENS = ("input", "output", "cached", "cache_write", "reasoning")
_TOKEN_FIELDS = [(f"{name}_tokens", _NUMBER) for name in _TOKENS]
_SCHEMAS = {
    "sessions": pa.schema(
        [
            ("session", _NUMBER),
            *((name, _TEXT) for name in ("session_id", "provider", "model", "version", "title")),
            *((name, _TIME) for name in ("started_at", "ended_at")),
            *((name, _TEXT) for name in ("git_branch", "cwd", "test_id", "first_prompt")),
            ("messages", _NUMBER),
            ("tool_calls", _NUMBER),
            *_TOKEN_FIELDS,
            ("output_complete", pa.bool_()),
            ("duration_ms", _NUMBER),
            ("cost_usd", pa.float64()),
            *((name, _TEXT) for name in ("privacy", "drift", "left_out")),
        ]
    ),
    "messages": pa.schema(
        [
            ("session", _NUMBER),
            ("session_id", _TEXT),
            ("message", _NUMBER),
            ("id", _TEXT),
            ("line", _NUMBER),
            *((name, _TEXT) for name in ("role", "origin", "agent_id", "model")),
            ("timestamp", _TIME),
            *((name, _TEXT) for name in ("content", "thinking", "attachments")),
            *_TOKEN_FIELDS,
        ]
    ),
    "tool_calls": pa.schema(
        [
            ("session", _NUMBER),
            ("session_id", _TEXT),
            ("message", _NUMBER),
            ("call", _NUMBER),
            ("id", _TEXT),
            ("line", _NUMBER),
            ("agent_id", _TEXT),
            *((name, _TEXT) for name in ("tool", "kind", "input", "args", "output", "status")),
            ("exit_code", _NUMBER),
            ("duration_ms", _NUMBER),
            ("duration_source", _TEXT),
            ("timestamp", _TIME),
        ]
    ),
}


def write_parquet(transcripts: Iterable[AnyTranscript], folder: Path, *, overwrite: bool) -> None:
    """Write ``sessions``, ``messages`` and ``tool_calls`` into a folder: all of them or none."""
    if folder.exists() and not folder.is_dir():
        raise OutputError("is not a folder; Parquet is one of three files", at=Location(folder))
    with ExitStack() as stack:
        tables = {
            name: stack.enter_context(_table(folder, name, overwrite=overwrite))
            for name in _SCHEMAS
        }
        for number, transcript in enumerate(transcripts, 1):
            for name, row in _rows(number, transcript):
                tables[name].add(row)


@contextmanager
def _table(folder: Path, name: str, *, overwrite: bool) -> Iterator[_Table]:
    path = folder / f"{name}.parquet"
    with (
        atomic_write(path, overwrite=overwrite) as file,
        pq.ParquetWriter(file, _SCHEMAS[name], compression="zstd") as writer,
    ):
        table = _Table(writer)
        yield table
        table.flush()


class _Table:
    """A table being written."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._rows: list[dict[str, Any]] = []
        self._characters = 0

    def add(self, row: dict[str, Any]) -> None:
        values = {one.name: _value(row[one.name], one.type) for one in self._writer.schema}
        self._rows.append(values)
        self._characters += sum(len(one) for one in values.values() if type(one) is str)
        if len(self._rows) >= _ROWS or self._characters >= _CHARACTERS:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._writer.schema))
        self._rows, self._characters = [], 0


def _rows(number: int, transcript: AnyTranscript) -> Iterator[tuple[str, dict[str, Any]]]:
    about = {"session": number, "session_id": transcript.source.session_id}
    calls = sum(len(one.tool_calls) for one in transcript.output)
    yield "sessions", {**_session(transcript), **about, "tool_calls": calls}
    for position, message in enumerate(transcript.output, 1):
        of_message = {**about, "message": position, "agent_id": message.agent_id}
        yield "messages", {**_message(message), **of_message}
        for count, call in enumerate(message.tool_calls, 1):
            yield "tool_calls", {**_call(call), **of_message, "call": count}


def _session(transcript: AnyTranscript) -> dict[str, Any]:
    source = transcript.source
    return {
        "provider": source.provider,
        "model": source.model,
        "version": source.version,
        "title": source.title,
        "started_at": source.timestamp,
        "ended_at": source.ended_at,
        "git_branch": source.git_branch,
        "cwd": source.cwd,
        "test_id": transcript.test_id,
        "first_prompt": transcript.input,
        "messages": len(transcript.output),
        **_tokens(transcript.token_usage),
        "output_complete": transcript.token_usage and transcript.token_usage.output_complete,
        "duration_ms": transcript.duration_ms,
        "cost_usd": transcript.cost_usd,
        "privacy": _json(transcript.privacy),
        "drift": _json(transcript.drift or None),
        "left_out": _json(transcript.left_out or None),
    }


def _message(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "line": message.line,
        "role": message.role,
        "origin": message.origin,
        "model": message.model,
        "timestamp": message.timestamp,
        "content": message.content,
        "thinking": message.thinking,
        "attachments": _json(message.attachments or None),
        **_tokens(message.usage),
    }


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "line": call.line,
        "tool": call.tool,
        "kind": call.kind,
        "input": _json(call.input),
        "args": _json(call.args),
        "output": call.output,
        "status": call.status,
        "exit_code": call.exit_code,
        "duration_ms": call.duration_ms,
        "duration_source": call.duration_source,
        "timestamp": call.timestamp,
    }


def _tokens(usage: Any) -> dict[str, Any]:
    return {f"{name}_tokens": usage and getattr(usage, name) for name in _TOKENS}


def _json(value: Any) -> str | None:
    return None if value is None else encode(value).decode()


def _value(value: Any, type_: pa.DataType) -> Any:
    """What a column can hold of a value: texts are UTF-8, numbers have 64 bits, times a zone."""
    if value is None:
        return None
    if type_ == _TEXT:
        return well_formed(value)
    if type_ == _TIME:
        return moment(value)
    return value if type_ != _NUMBER or abs(value) <= _LARGEST else None
