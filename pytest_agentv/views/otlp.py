"""OpenTelemetry spans as OTLP/JSON, after the semantic conventions for generative AI.

A thread is a span ``invoke_agent``; below it every model response is a span ``chat`` and every
tool call one ``execute_tool``. The input of a response is what came since the one before: the
whole history each time would make a trace that grows with the square of its session.
"""

from __future__ import annotations

from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING, Any

from pytest_agentv.jsontext import well_formed
from pytest_agentv.views.calls import CallIds, arguments_of
from pytest_agentv.views.encoding import encode, joined, opened
from pytest_agentv.views.nanoseconds import Clock, ended
from pytest_agentv.views.threads import threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.transcript.model import Message, TokenUsage, ToolCall, Usage
    from pytest_agentv.transcript.stored import AnyTranscript

_PACKAGE = "pytest-agentv"
_INTERNAL, _CLIENT, _ERROR = 1, 3, 2
_LARGEST = 2**63 - 1
# Who makes a model, by how its name begins, in the conventions' words.
_MAKERS = {
    "claude": "anthropic",
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "codex": "openai",
    "gemini": "gcp.gemini",
}


def otlp(transcript: AnyTranscript) -> Iterator[bytes]:
    """A session as one line of OTLP/JSON, in pieces."""
    source = transcript.source
    resource = {
        "attributes": _attributes(
            {"service.name": source.provider, "service.version": source.version}
        )
    }
    scope = {"name": _PACKAGE, "version": metadata.version(_PACKAGE)}
    yield b'{"resourceSpans":[{"resource":%b,"scopeSpans":[' % encode(resource)
    yield opened({"scope": scope}, "spans")
    yield from joined(_Trace(transcript).spans())
    yield b"]}]}]}\n"


class _Trace:
    """The spans of one session; their ids follow from the session, so they never change."""

    def __init__(self, transcript: AnyTranscript) -> None:
        self._transcript = transcript
        self._clock = Clock(transcript.source.timestamp)
        named = encode([transcript.source, transcript.input, transcript.output[:1]])
        self._seed = sha256(named).digest()
        self._number = 0

    def spans(self) -> Iterator[dict[str, Any]]:
        main: str | None = None
        for agent_id, messages in threads(self._transcript.output).items():
            span_id = self._new_id()
            yield self._agent(span_id, agent_id, messages, parent=main)
            yield from self._thread(messages, parent=span_id)
            main = main or span_id

    def _agent(
        self, span_id: str, agent_id: str | None, messages: Sequence[Message], *, parent: str | None
    ) -> dict[str, Any]:
        source, is_root = self._transcript.source, parent is None
        start, end = self._clock.around(messages)
        if is_root:
            start, end = self._clock.widened(start, end, source.timestamp, source.ended_at)
        prompts = [
            {"role": "user", "parts": [_text(one.content)]}
            for one in messages
            if one.role == "user" and one.origin in (None, "human")
        ]
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": _maker(source.model, source.provider),
            "gen_ai.agent.name": source.provider,
            "gen_ai.agent.id": agent_id,
            "gen_ai.agent.version": source.version,
            "gen_ai.conversation.id": source.session_id,
            "gen_ai.request.model": source.model,
            "gen_ai.input.messages": prompts or None,
            **(_tokens(self._transcript.token_usage) if is_root else {}),
        }
        name = f"invoke_agent {agent_id or source.provider}"
        return self._span(span_id, parent, name, attributes, kind=_INTERNAL, times=(start, end))

    def _thread(self, messages: Sequence[Message], *, parent: str) -> Iterator[dict[str, Any]]:
        ids = CallIds()
        pending: list[dict[str, Any]] = []
        for message in messages:
            at = self._clock.at(message.timestamp)
            calls = [(ids.new(call), call) for call in message.tool_calls]
            if message.role != "assistant":
                pending.append({"role": message.role, "parts": [_text(message.content)]})
            else:
                yield self._chat(message, calls, pending, at=at, parent=parent)
                pending = []
            for id_, call in calls:
                yield self._tool(id_, call, parent=parent)
                if call.output is not None:
                    part = {"type": "tool_call_response", "id": id_, "response": call.output}
                    pending.append({"role": "tool", "parts": [part]})

    def _chat(
        self,
        message: Message,
        calls: list[tuple[str, ToolCall]],
        given: list[dict[str, Any]],
        *,
        at: int,
        parent: str,
    ) -> dict[str, Any]:
        source = self._transcript.source
        model = message.model or source.model
        parts = [
            *([{"type": "reasoning", "content": message.thinking}] if message.thinking else []),
            *([_text(message.content)] if message.content else []),
            *(
                {
                    "type": "tool_call",
                    "id": id_,
                    "name": call.tool,
                    "arguments": arguments_of(call),
                }
                for id_, call in calls
            ),
        ]
        finish = "tool_call" if calls else "stop"
        said = [{"role": "assistant", "parts": parts, "finish_reason": finish}]
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _maker(model, source.provider),
            "gen_ai.conversation.id": source.session_id,
            "gen_ai.request.model": model,
            "gen_ai.response.model": message.model,
            "gen_ai.response.id": message.id,
            "gen_ai.input.messages": given or None,
            "gen_ai.output.messages": said,
            **_tokens(message.usage),
        }
        name = f"chat {model}" if model else "chat"
        return self._span(self._new_id(), parent, name, attributes, kind=_CLIENT, times=(at, at))

    def _tool(self, id_: str, call: ToolCall, *, parent: str) -> dict[str, Any]:
        start = self._clock.at(call.timestamp)
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.call.id": id_,
            "gen_ai.tool.type": "extension" if call.kind == "mcp" else "function",
            "gen_ai.tool.call.arguments": arguments_of(call),
            "gen_ai.tool.call.result": call.output,
            "process.exit.code": call.exit_code,
            "error.type": call.status if call.failed else None,
        }
        times = (start, ended(start, call.duration_ms))
        name = f"execute_tool {call.tool}"
        span = self._span(self._new_id(), parent, name, attributes, kind=_INTERNAL, times=times)
        return {**span, "status": {"code": _ERROR}} if call.failed else span

    def _span(
        self,
        span_id: str,
        parent: str | None,
        name: str,
        attributes: dict[str, Any],
        *,
        kind: int,
        times: tuple[int, int],
    ) -> dict[str, Any]:
        return {
            "traceId": self._seed[:16].hex(),
            "spanId": span_id,
            **({} if parent is None else {"parentSpanId": parent}),
            "name": well_formed(name),
            "kind": kind,
            "startTimeUnixNano": str(times[0]),
            "endTimeUnixNano": str(times[1]),
            "attributes": _attributes(attributes),
        }

    def _new_id(self) -> str:
        self._number += 1
        return sha256(self._seed + self._number.to_bytes(8, "big")).digest()[:8].hex()


def _text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def _maker(model: str | None, provider: str) -> str:
    name = (model or provider).lower()
    return next((maker for start, maker in _MAKERS.items() if name.startswith(start)), provider)


def _tokens(usage: Usage | TokenUsage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes that are known; lists and objects are texts of JSON, as on spans they must be."""
    return [
        {"key": key, "value": _value(value)}
        for key, value in values.items()
        if value is not None and not (isinstance(value, int) and value > _LARGEST)
    ]


def _value(value: Any) -> dict[str, str]:
    if isinstance(value, int):
        return {"intValue": str(value)}  # of 64 bits: JSON has them as text
    if isinstance(value, str):
        return {"stringValue": well_formed(value)}
    return {"stringValue": encode(value).decode()}
