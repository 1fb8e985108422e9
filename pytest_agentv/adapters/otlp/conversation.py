"""A conversation put together from spans in the order in which they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.otlp.content import Said, content_of, decoded_value
from pytest_agentv.adapters.otlp.spans import AGENT, MODEL, OURS, TOOL
from pytest_agentv.adapters.spending import Spending, usage_of
from pytest_agentv.adapters.values import text_of
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.otlp.spanfile import Entry, SpanFile
    from pytest_agentv.adapters.otlp.spans import Span
    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

_STATUSES = ("denied", "cancelled", "timeout")
_TOKENS = {
    "input": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
    ),
    "cached": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
    ),
    "cache_write": (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
    ),
    "reasoning": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
    ),
}


class _Thread:
    """What is known of one agent's part of the conversation."""

    def __init__(self, agent_id: str | None) -> None:
        self.agent_id = agent_id
        self.has_spoken = False
        self.said_by_system: set[str] = set()


class Builder:
    """Tells the spans of one session."""

    def __init__(self, told: Told, file: SpanFile, *, include_subagents: bool) -> None:
        self._told = told
        self._file = file
        self._include_subagents = include_subagents
        self._threads: dict[str | None, _Thread] = {}
        # What people typed, where that is stated; what nobody answered is stated only there.
        self._typed: set[str] | None = None
        self._unheard: list[str] = []
        self._maker: str | None = None
        # What a span said of a call whose result only the next response tells.
        self._outcomes: dict[str, dict[str, Any]] = {}
        self._called: set[str | None] = set()
        # Totals that the outermost agents state.
        self._totals = Spending()
        self._agents = self._stating = 0

    def tell(self, entries: list[Entry]) -> None:
        """Tell them all."""
        has_content = any(one.kind == MODEL and _says(self._file.span(one)) for one in entries)
        has_models = any(one.kind == MODEL for one in entries)
        for entry in entries:
            span = self._file.span(entry)
            thread = self._thread(entry, span)
            if thread is None:
                self._told.left_out["span of a sub-agent"] += 1
                continue
            self._about(span)
            if entry.kind == AGENT:
                self._agent(span, thread, speaks=not has_content, is_alone=not has_models)
            elif entry.kind == MODEL:
                self._response(span, thread)
            elif entry.kind == TOOL:
                self._tool(span, thread)
            if thread.agent_id is None:
                self._told.at(span.started)
                self._told.at(span.ended)
        for text in self._unheard:
            self._told.user(text)
        if self._agents and self._stating == self._agents:
            self._told.usage = self._totals.total()

    def _thread(self, entry: Entry, span: Span) -> _Thread | None:
        """The thread that a span is part of; None if it is one that nobody asked for."""
        agent = entry if entry.kind == AGENT else self._file.agent_above(entry)
        is_main = agent is None or self._file.agent_above(agent) is None
        key = None if is_main or agent is None else agent.id
        if key is not None and not self._include_subagents:
            return None
        if key not in self._threads:
            named = span.attributes.get("gen_ai.agent.id") or span.attributes.get(
                "gen_ai.agent.name"
            )
            self._threads[key] = _Thread(None if key is None else _text(named) or key)
        return self._threads[key]

    def _about(self, span: Span) -> None:
        told, stated = self._told, span.attributes
        told.version = (
            told.version
            or _text(stated.get("gen_ai.agent.version"))
            or _text(span.resource.get("service.version"))
            or None
        )
        told.model = told.model or _text(stated.get("gen_ai.request.model")) or None
        self._maker = self._maker or _text(span.resource.get("service.name")) or None

    def _agent(self, span: Span, thread: _Thread, *, speaks: bool, is_alone: bool) -> None:
        """An agent's work; it speaks for its model where that is silent, or is not there."""
        content = content_of(span)
        if thread.agent_id is None:
            self._agents += 1
            usage = _usage(span)
            self._stating += usage is not None
            self._totals.add(usage)
            if span.scope == OURS:
                self._unheard = [said.text for said in content.given if said.role == "user"]
                self._typed = set(self._unheard)
        if speaks:
            self._hear(content.given, span, thread)
            if content.answered or (is_alone and not content.given):
                self._say(content.answered, span, thread)

    def _response(self, span: Span, thread: _Thread) -> None:
        content = content_of(span)
        self._hear(_new(content.given, thread), span, thread)
        self._say(content.answered, span, thread, usage=_usage(span))
        thread.has_spoken = True
        self._told.costs(span.attributes.get("gen_ai.usage.cost"), span.line)

    def _hear(self, given: list[Said], span: Span, thread: _Thread) -> None:
        for said in given:
            for id_, output in said.results:
                self._result(id_, output, span)
            if said.role == "user" and (said.texts or said.attachments):
                message = self._told.user(
                    said.text,
                    origin=self._origin(said.text),
                    line=span.line,
                    time=span.started,
                    agent_id=thread.agent_id,
                )
                message.attachments = said.attachments
            elif said.role == "system":
                self._system(said, span, thread)
            elif said.role == "assistant" and not thread.has_spoken:
                # What was said before anything was recorded.
                self._say([said], span, thread)

    def _system(self, said: Said, span: Span, thread: _Thread) -> None:
        if span.scope == OURS:
            self._told.system(said.text, line=span.line, time=span.started)
        elif said.text not in thread.said_by_system:
            thread.said_by_system.add(said.text)
            self._told.left_out["system prompt"] += 1

    def _origin(self, text: str) -> str:
        if text in self._unheard:
            self._unheard.remove(text)
        return "human" if self._typed is None or text in self._typed else "injected"

    def _say(
        self, answered: list[Said], span: Span, thread: _Thread, *, usage: Usage | None = None
    ) -> None:
        said = Said("assistant")
        for one in answered:
            said.texts += one.texts
            said.thoughts += one.thoughts
            said.calls += one.calls
            said.unnamed += one.unnamed
        stated = span.attributes
        model = _text(stated.get("gen_ai.response.model") or stated.get("gen_ai.request.model"))
        if not answered:
            self._told.left_out["response without content"] += 1
        self._told.assistant(
            said.text,
            thinking="\n\n".join(filter(None, said.thoughts)) or None,
            line=span.line,
            time=span.ended,
            id=_text(stated.get("gen_ai.response.id")) or None,
            model=model or None,
            usage=usage,
            agent_id=thread.agent_id,
        )
        for id_, name, arguments in said.calls:
            self._call(id_, name, arguments, span)
        if said.unnamed:
            self._told.drift.note("tool call without a name", span.line, said.unnamed)

    def _call(self, id_: str | None, name: str, arguments: Any, span: Span) -> OpenCall:
        call = self._told.call(name, arguments, id=id_, line=span.line, time=span.ended)
        self._called.add(id_)
        # Spans of any client's tools: what runs the agent may be one whose tools we know.
        call.kind, call.args = describe(name, call.input, self._maker)
        return call

    def _tool(self, span: Span, thread: _Thread) -> None:
        stated = span.attributes
        name = _text(stated.get("gen_ai.tool.name") or stated.get("tool.name"))
        name = name or _text(stated.get("traceloop.entity.name")) or span.name
        id_ = _text(stated.get("gen_ai.tool.call.id")) or None
        call = self._told.waiting(id_) if id_ else self._told.waiting(tool=name)
        given = _first(stated, "gen_ai.tool.call.arguments", "tool.parameters", "input.value",
                       "traceloop.entity.input")  # fmt: skip
        if call is None:
            current = self._told.conversation.current
            if (
                current is None
                or current.role != "assistant"
                or current.agent_id != thread.agent_id
            ):
                self._told.assistant(line=span.line, time=span.started, agent_id=thread.agent_id)
            call = self._call(id_, name, decoded_value(given), span)
        if self._told.conversation.is_open(call):
            call.timestamp, call.called = timestamp(span.started), span.started
            if stated.get("gen_ai.tool.type") == "extension" and span.scope == OURS:
                call.kind = "mcp"
        self._answer(call, span)

    def _answer(self, call: OpenCall, span: Span) -> None:
        stated = span.attributes
        output = _first(
            stated, "gen_ai.tool.call.result", "output.value", "traceloop.entity.output"
        )
        error = _text(stated.get("error.type"))
        code = stated.get("process.exit.code")
        status = "error" if span.failed or error else "ok"
        outcome: dict[str, Any] = {
            "status": error if error in _STATUSES else status,
            "exit_code": code if type(code) is int else None,
            "duration_ms": span.duration_ms,
        }
        if output is None and status == "error":
            output = span.message or error
        if output is not None:
            self._told.answer(call, text_of(output), **outcome)
        elif call.id is not None:
            self._outcomes[call.id] = outcome

    def _result(self, id_: str | None, output: str, span: Span) -> None:
        call = self._told.waiting(id_) if id_ else self._told.waiting()
        if call is not None:
            self._told.answer(call, output, **self._outcomes.pop(call.id or "", {}))
        elif id_ is not None and id_ not in self._called:  # else its own span has told it
            self._told.drift.note("tool result without a call", span.line)


def _new(given: list[Said], thread: _Thread) -> list[Said]:
    """What is new in the input of a response: many producers repeat the whole conversation."""
    if not thread.has_spoken:
        return given
    last = max((n for n, said in enumerate(given) if said.role == "assistant"), default=-1)
    return given[last + 1 :]


def _says(span: Span) -> bool:
    content = content_of(span)
    return any(said.role != "system" for said in content.given) or bool(content.answered)


def _usage(span: Span) -> Usage | None:
    figures = {name: _count(span, names) for name, names in _TOKENS.items()}
    caches = (figures["cached"] or 0) + (figures["cache_write"] or 0)
    if figures["input"] is not None and caches > figures["input"]:
        figures["input"] += caches  # counted beside it, against the conventions
    return usage_of(**figures)


def _count(span: Span, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = span.attributes.get(name)
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value[:18])
        if type(value) is int:
            return value
    return None


def _first(stated: dict[str, Any], *names: str) -> Any:
    return next((stated[name] for name in names if stated.get(name) is not None), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
