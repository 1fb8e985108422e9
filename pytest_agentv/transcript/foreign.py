"""Transcripts that others wrote: the form without a version, and AgentV's message rows.

Both are read field by field: a field of the wrong type is left out and counted in ``drift``.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from pytest_agentv.transcript.model import (
    Attachment,
    Message,
    Source,
    TokenUsage,
    ToolCall,
    Transcript,
    Usage,
)
from pytest_agentv.transcript.tools import describe

_Value = TypeVar("_Value")

# No count or sum is larger; up to here a float holds every whole number.
_LIMIT = 2**53

# AgentV names a target where we name the client that wrote the session.
_PROVIDERS = {
    "claude": "claude-cli",
    "claude-code": "claude-cli",
    "claude-sdk": "claude-cli",
    "codex": "codex-cli",
    "copilot": "copilot-cli",
}


def from_seed(line: dict[str, Any]) -> Transcript:
    """A transcript from a line without ``schema_version``."""
    fields = _Fields(line)
    fields.drift.update(fields.tally("drift"))
    source = _source(_Fields(fields.object("source"), fields.drift))
    return Transcript(
        test_id=fields.text("test_id"),
        source=source,
        input=fields.text("input"),
        output=_messages(fields.objects("output"), source.provider, fields.drift),
        token_usage=_token_usage(fields, "token_usage"),
        duration_ms=fields.count("duration_ms"),
        cost_usd=fields.number("cost_usd"),
        privacy=fields.object("privacy") or None,
        drift=fields.drift,
        left_out=fields.tally("left_out"),
    )


class MessageRows:
    """AgentV's rows, one per message, collected until their file ends."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[Any, Any], list[tuple[Any, dict[str, Any]]]] = {}

    def add(self, row: dict[str, Any]) -> None:
        """Take one row."""
        key = (row.get("test_id"), row.get("target"))
        try:
            rows = self._sessions.setdefault(key, [])
        except TypeError as exc:
            raise msgspec.ValidationError("test_id and target must be texts") from exc
        index = row.get("message_index")
        rows.append((index if type(index) is int else len(rows), row))

    def transcripts(self) -> list[Transcript]:
        """One transcript per test id and target, in the order they came first."""
        return [
            _from_rows([row for _, row in sorted(rows, key=lambda pair: pair[0])])
            for rows in self._sessions.values()
        ]


def _from_rows(rows: list[dict[str, Any]]) -> Transcript:
    fields = _Fields(rows[0])
    native = fields.object("source") or {"provider": fields.text("target")}
    source = _source(_Fields(native, fields.drift))
    usage = _token_usage(fields, "transcript_token_usage")
    messages = _messages(rows, source.provider, fields.drift)
    for row in rows:
        _Fields(row, fields.drift).count("message_index")
    if usage is not None or any(message.usage for message in messages):
        fields.drift["token meaning unknown"] = 1
    test_id = fields.text("test_id")
    prompt = next((one.content for one in messages if one.role == "user"), None)
    return Transcript(
        # AgentV fills in the session id where nobody gave a test id.
        test_id=None if test_id == source.session_id else test_id,
        source=source,
        input=prompt,
        output=messages,
        token_usage=usage,
        duration_ms=fields.count("transcript_duration_ms"),
        cost_usd=fields.number("transcript_cost_usd"),
        drift=fields.drift,
    )


def _source(fields: _Fields) -> Source:
    texts = {name: fields.text(name) for name in Source.__struct_fields__}
    known = {name: value for name, value in texts.items() if value}
    provider = known.pop("provider", "unknown")
    return Source(provider=_PROVIDERS.get(provider, provider), **known)


def _messages(
    rows: list[dict[str, Any]], provider: str, drift: dict[str, int]
) -> tuple[Message, ...]:
    return tuple(_message(_Fields(row, drift), provider) for row in rows)


def _message(fields: _Fields, provider: str) -> Message:
    role = fields.text("role") or "assistant"
    calls = tuple(
        _call(_Fields(one, fields.drift), provider) for one in fields.objects("tool_calls")
    )
    return Message(
        id=fields.text("id"),
        line=fields.count("line"),
        role=role,
        origin=fields.text("origin") or ("human" if role == "user" else None),
        content=_text(fields.value("content")),
        thinking=fields.text("thinking"),
        model=fields.text("model"),
        timestamp=fields.text("timestamp") or fields.text("start_time"),
        usage=_message_usage(fields, "usage") or _message_usage(fields, "token_usage"),
        tool_calls=calls,
        attachments=tuple(
            _attachment(_Fields(one, fields.drift)) for one in fields.objects("attachments")
        ),
        agent_id=fields.text("agent_id"),
    )


def _attachment(fields: _Fields) -> Attachment:
    return Attachment(
        kind=fields.text("kind") or "",
        media_type=fields.text("media_type"),
        size=fields.count("size"),
        name=fields.text("name"),
        call_id=fields.text("call_id"),
    )


def _call(fields: _Fields, provider: str) -> ToolCall:
    tool = fields.text("tool") or fields.text("name") or ""
    native = fields.value("input")
    kind, args = describe(tool, native, provider)
    output = fields.value("output")
    return ToolCall(
        id=fields.text("id"),
        line=fields.count("line"),
        tool=tool,
        kind=fields.text("kind") or kind,
        input=native,
        args=fields.object("args") or args,
        output=None if output is None else _text(output),
        # A form that has no status says only that there was an answer, not that it was good.
        status=fields.text("status") or "unknown",
        exit_code=fields.integer("exit_code"),
        duration_ms=fields.count("duration_ms"),
        duration_source=fields.text("duration_source"),
        timestamp=fields.text("timestamp") or fields.text("start_time"),
    )


def _text(content: Any) -> str:
    """Text of a content: a string, a list of blocks, or any other JSON value as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(block, dict) for block in content):
        texts = [block.get("text", block.get("value")) for block in content]
        return "\n".join(text for text in texts if isinstance(text, str))
    return msgspec.json.encode(content).decode()


def _figures(native: _Fields) -> dict[str, int]:
    """The token figures that an object holds, as they are written."""
    counts = {figure: native.count(figure) for figure in Usage.__struct_fields__}
    return {figure: count for figure, count in counts.items() if count is not None}


def _token_usage(fields: _Fields, name: str) -> TokenUsage | None:
    native = _Fields(fields.object(name), fields.drift)
    usage = TokenUsage(**_figures(native), output_complete=native.flag("output_complete"))
    return None if usage == TokenUsage() else usage


def _message_usage(fields: _Fields, name: str) -> Usage | None:
    usage = Usage(**_figures(_Fields(fields.object(name), fields.drift)))
    return None if usage == Usage() else usage


class _Fields:
    """A JSON object, asked for its fields one by one; what has the wrong type is counted."""

    def __init__(self, native: dict[str, Any], drift: dict[str, int] | None = None) -> None:
        self._native = native
        self.drift: dict[str, int] = {} if drift is None else drift

    def value(self, name: str) -> Any:
        return self._native.get(name)

    def text(self, name: str) -> str | None:
        return self._typed(name, str)

    def count(self, name: str) -> int | None:
        number = self.number(name)
        return None if number is None else round(number)

    def number(self, name: str) -> float | None:
        value = self._native.get(name)
        if value is None:
            return None
        if type(value) in (int, float) and 0 <= value < _LIMIT:
            return float(value)
        self._wrong(name)
        return None

    def integer(self, name: str) -> int | None:
        return self._typed(name, int, but_not=bool)

    def flag(self, name: str) -> bool | None:
        return self._typed(name, bool)

    def tally(self, name: str) -> dict[str, int]:
        counts = self.object(name)
        good = {reason: count for reason, count in counts.items() if type(count) is int}
        if len(good) != len(counts):
            self._wrong(name)
        return good

    def object(self, name: str) -> dict[str, Any]:
        return self._typed(name, dict) or {}

    def objects(self, name: str) -> list[dict[str, Any]]:
        values = self._typed(name, list) or []
        good = [value for value in values if isinstance(value, dict)]
        if len(good) != len(values):
            self._wrong(name)
        return good

    def _typed(
        self, name: str, type_: type[_Value], *, but_not: type | tuple[()] = ()
    ) -> _Value | None:
        value = self._native.get(name)
        if value is None or (isinstance(value, type_) and not isinstance(value, but_not)):
            return value
        self._wrong(name)
        return None

    def _wrong(self, name: str) -> None:
        reason = f"unusable field {name!r}"
        self.drift[reason] = self.drift.get(reason, 0) + 1
