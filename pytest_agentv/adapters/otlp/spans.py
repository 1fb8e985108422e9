"""Spans of OTLP/JSON, and what they say: attributes as plain values, what a span is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.records import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pytest_agentv.adapters.records import Drift


_PER_SECOND = 1_000_000_000
_ERROR_CODES = (2, "STATUS_CODE_ERROR")
_MAX_DEPTH = 20

# The scope of what ``agentv export`` writes.
OURS = "pytest-agentv"
MODEL, TOOL, AGENT = "model", "tool", "agent"
_OPERATIONS = {
    "chat": MODEL,
    "text_completion": MODEL,
    "generate_content": MODEL,
    "completion": MODEL,
    "execute_tool": TOOL,
    "invoke_agent": AGENT,
    "create_agent": AGENT,
}
_KNOWN = (*_OPERATIONS, "embeddings")
# What producers before the conventions called it.
_KINDS = {"tool": TOOL, "agent": AGENT, "llm": MODEL}
_CONVERSATION = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
)
PREFIXES = ("gen_ai.", "llm.", "traceloop.", "openinference.")


class Batch(msgspec.Struct, rename="camel", gc=False):
    """One document: spans by resource and scope."""

    resource_spans: list[Any] | None = None


class Span(msgspec.Struct, gc=False):
    """A span with its attributes as plain values."""

    id: str
    parent: str
    trace: str
    name: str
    start: int
    end: int
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    resource: dict[str, Any]
    scope: str
    line: int
    failed: bool
    message: str | None

    @property
    def kind(self) -> str | None:
        """What it is about: a model's response, a tool's call, an agent's work, or none of it."""
        operation = self.attributes.get("gen_ai.operation.name")
        if isinstance(operation, str):
            return _OPERATIONS.get(operation)
        for name in ("traceloop.span.kind", "openinference.span.kind"):
            kind = self.attributes.get(name)
            if isinstance(kind, str) and kind.lower() in _KINDS:
                return _KINDS[kind.lower()]
        if "gen_ai.tool.name" in self.attributes:
            return TOOL
        has_model = (
            "gen_ai.request.model" in self.attributes or "llm.request.type" in self.attributes
        )
        return MODEL if has_model else None

    @property
    def conversation(self) -> str | None:
        """The session that it says it is of."""
        for name in _CONVERSATION:
            value = self.attributes.get(name)
            if isinstance(value, str) and value:
                return value
        return None

    @property
    def started(self) -> datetime | None:
        """When it began."""
        return from_epoch(self.start, per_second=_PER_SECOND)

    @property
    def ended(self) -> datetime | None:
        """When it ended."""
        return from_epoch(self.end, per_second=_PER_SECOND)

    @property
    def duration_ms(self) -> int | None:
        """How long it took; a span without extent is one whose end nobody knew."""
        return (self.end - self.start) // 1_000_000 if 0 < self.start < self.end else None


def spans_in(batch: Batch, line: int, drift: Drift | None = None) -> Iterator[Span]:
    """The spans of a document; what cannot be read of it is counted in a drift."""
    read = _Values(drift, line)
    for group in read.objects(batch.resource_spans):
        resource = group.get("resource")
        about = read.attributes(resource.get("attributes")) if isinstance(resource, dict) else {}
        scopes = group.get("scopeSpans") or group.get("instrumentationLibrarySpans")
        for scoped in read.objects(scopes):
            scope = scoped.get("scope") or scoped.get("instrumentationLibrary")
            named = _text(scope.get("name")) if isinstance(scope, dict) else ""
            for span in read.objects(scoped.get("spans")):
                yield _span(read, span, about, named)


def _span(read: _Values, span: dict[str, Any], resource: dict[str, Any], scope: str) -> Span:
    status = span.get("status")
    stated = status if isinstance(status, dict) else {}
    attributes = read.attributes(span.get("attributes"))
    read.check_operation(attributes.get("gen_ai.operation.name"))
    return Span(
        id=_text(span.get("spanId")),
        parent=_text(span.get("parentSpanId")),
        trace=_text(span.get("traceId")),
        name=_text(span.get("name")),
        start=_number(span.get("startTimeUnixNano")),
        end=_number(span.get("endTimeUnixNano")),
        attributes=attributes,
        events=[
            (read.text(one.get("name")), read.attributes(one.get("attributes")))
            for one in read.objects(span.get("events"))
        ],
        resource=resource,
        scope=scope,
        line=read.line,
        failed=stated.get("code") in _ERROR_CODES,
        message=_text(stated.get("message")) or None,
    )


class _Values:
    """Reads values of OTLP; what is none is passed over, and counted."""

    def __init__(self, drift: Drift | None, line: int) -> None:
        self._drift = drift
        self.line = line

    def attributes(self, listed: Any, depth: int = 0) -> dict[str, Any]:
        """Attributes as plain values."""
        found = {}
        for one in self.objects(listed):
            if isinstance(one.get("key"), str):
                found[one["key"]] = self._value(one.get("value"), depth)
            else:
                self._unusable()
        return found

    def check_operation(self, name: Any) -> None:
        """Count an operation that is none of a conversation, and none of others' either."""
        if self._drift is not None and name is not None and name not in _KNOWN:
            self._drift.note(f"operation {shown(name)}", self.line)

    def text(self, value: Any) -> str:
        """A text; anything else is none."""
        if value is not None and not isinstance(value, str):
            self._unusable()
        return _text(value)

    def objects(self, values: Any) -> list[dict[str, Any]]:
        """The objects of a list."""
        if values is None:
            return []
        listed = values if isinstance(values, list) else [values]
        found = [one for one in listed if isinstance(one, dict)]
        if len(found) < len(listed) or listed is not values:
            self._unusable()
        return found if listed is values else []

    def _value(self, value: Any, depth: int = 0) -> Any:
        if value is None:
            return None
        for name, one in value.items() if isinstance(value, dict) and depth <= _MAX_DEPTH else ():
            if name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
                return one
            if name == "intValue":
                return int(one) if isinstance(one, str) and _is_number(one) else one
            if name == "arrayValue" and isinstance(one, dict):
                items = one.get("values")
                items = items if isinstance(items, list) else self.objects(items)
                return [self._value(item, depth + 1) for item in items]
            if name == "kvlistValue" and isinstance(one, dict):
                return self.attributes(one.get("values"), depth + 1)
        self._unusable()
        return None

    def _unusable(self) -> None:
        if self._drift is not None:
            self._drift.note("value of no known form", self.line)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int:
    """Nanoseconds: of 64 bits, and therefore mostly written as a text."""
    if isinstance(value, str) and _is_number(value):
        value = int(value)
    return value if type(value) is int and 0 <= value < _LIMIT else 0


def _is_number(text: str) -> bool:
    return text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < len("1" * 21)


_LIMIT = 2**64
