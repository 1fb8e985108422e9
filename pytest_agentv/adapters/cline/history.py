"""A conversation as the model had it: of all eras, with calls as blocks or as tags in texts."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.cline.markup import (
    has_more,
    headed,
    is_injected,
    is_reminder,
    not_run,
    split_surroundings,
    spoken,
    typed_in,
    without_wrapping,
)
from pytest_agentv.adapters.cline.results import (
    may_hold_words_of_a_person,
    operations_of,
    outcome_of,
)
from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.lenient import lenient
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.spending import usage_of
from pytest_agentv.adapters.values import attachments_of, blocks_of, text_of
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.cline.beside import Beside
    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

_LINE = 1  # a document has no others
_PER_SECOND = 1000
_CALLS = ("tool_use", "mcp_tool_use")
_IMAGES = ("image", "document")
# What the agent says to a person by way of a tool.
_SAID = {
    "attempt_completion": "result",
    "submit_and_exit": "summary",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
    "act_mode_respond": "response",
    "ask_followup_question": "question",
    "ask_question": "question",
}


class _Model(msgspec.Struct, rename="camel", gc=False):
    model_id: str | None = None
    id: str | None = None


class _Tokens(msgspec.Struct, gc=False):
    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None


class _Metrics(msgspec.Struct, rename="camel", gc=False):
    tokens: _Tokens | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost: float | None = None

    def usage(self) -> Usage | None:
        """Tokens of the response; both eras count the cache in."""
        if self.tokens is not None:
            stated = self.tokens
            return usage_of(input=stated.prompt, output=stated.completion, cached=stated.cached)
        return usage_of(
            input=self.input_tokens,
            output=self.output_tokens,
            cached=self.cache_read_tokens,
            cache_write=self.cache_write_tokens,
        )


class _Message(msgspec.Struct, rename="camel", gc=False):
    role: str | None = None
    content: Any = None
    id: str | None = None
    ts: float | None = None
    type: str | None = None
    model_info: _Model | None = None
    metrics: _Metrics | None = None
    is_summary: bool = False
    is_truncation_marker: bool = False
    reasoning_content: str | None = None


class History:
    """Reads the messages of one conversation."""

    def __init__(self, told: Told, beside: Beside) -> None:
        self._told = told
        self._beside = beside
        # Calls of the last response: results without an id are theirs.
        self._open: deque[OpenCall] = deque()
        self._open_of: dict[str, deque[OpenCall]] = {}
        # What people said, and what was said in their place, since the last response.
        self._heard: list[tuple[str, str]] = []
        self._attached: list[Attachment] = []
        self.states_tokens = False

    def read(self, messages: list[Any]) -> None:
        """Read them all."""
        for number, value in enumerate(messages):
            if not isinstance(value, dict):
                self._told.drift.note("message that is no object", _LINE)
                continue
            message = lenient(value, _Message, self._told.drift, _LINE)
            time = from_epoch(message.ts, per_second=_PER_SECOND) or self._beside.time_of(number)
            if message.is_summary or message.is_truncation_marker:
                self._told.left_out["summary of the conversation"] += 1
            elif message.role == "assistant":
                self._assistant(message, time)
            elif message.role == "user":
                self._user(message, time)
            elif message.type == "reasoning":
                self._told.left_out["reasoning record"] += 1
            else:
                self._told.drift.note(f"message role {shown(message.role)}", _LINE)

    def _assistant(self, message: _Message, time: datetime | None) -> None:
        blocks = blocks_of(message.content)
        has_calls = any(block.get("type") in _CALLS for block in blocks)
        texts: list[str] = []
        thoughts: list[str] = [message.reasoning_content] if message.reasoning_content else []
        noted = set(thoughts)
        calls: list[tuple[str, Any, str | None]] = []
        for block in blocks:
            kind = block.get("type")
            if kind == "text" and has_calls:
                texts.append(text_of(block))
            elif kind == "text":
                said = spoken(text_of(block))
                texts += said.texts
                thoughts += said.thoughts
                noted.update(said.thoughts)
                calls += ((name, given, None) for name, given in said.calls)
            elif kind in _CALLS:
                calls.append((_text(block.get("name")), block.get("input"), _id(block.get("id"))))
            elif kind in ("thinking", "reasoning"):
                thought = _text(block.get("thinking")) or text_of(block)
                if thought not in noted:  # Kilo Code notes one twice
                    noted.add(thought)
                    thoughts.append(thought)
            elif kind not in ("redacted_thinking", *_IMAGES):
                self._told.drift.note(f"content of type {shown(kind)}", _LINE)
        texts += (_text(given.get(_SAID[name])) for name, given, _ in calls if _speaks(name, given))
        self._respond(message, time, texts, thoughts)
        self._open = deque(
            self._told.call(name, given, id=id_, time=time) for name, given, id_ in calls if name
        )
        self._open_of = {}
        for call in self._open:
            self._open_of.setdefault(call.tool, deque()).append(call)
        if len(self._open) < len(calls):
            self._told.drift.note("tool call without a name", _LINE, len(calls) - len(self._open))

    def _respond(
        self, message: _Message, time: datetime | None, texts: list[str], thoughts: list[str]
    ) -> None:
        named = message.model_info or _Model()
        usage = message.metrics.usage() if message.metrics else None
        self.states_tokens |= usage is not None
        self._told.assistant(
            "\n\n".join(filter(None, texts)),
            thinking="\n\n".join(filter(None, thoughts)) or None,
            time=time,
            id=message.id,
            model=named.model_id or named.id or self._beside.model_at(time),
            usage=usage,
        )
        self._told.costs(message.metrics and message.metrics.cost)

    def _user(self, message: _Message, time: datetime | None) -> None:
        # A heading that stands alone: the text that follows it is the result.
        heading: str | None = None
        for block in blocks_of(message.content):
            kind = block.get("type")
            if kind == "text":
                heading = self._text(text_of(block), heading, time)
            elif kind == "tool_result":
                self._result(block, time)
            elif kind == "file":
                path = block.get("path")
                name = path if isinstance(path, str) else None
                self._attached.append(Attachment(kind="file", name=name))
            elif kind in _IMAGES:
                self._attached += attachments_of([block])
            else:
                self._told.drift.note(f"content of type {shown(kind)}", _LINE)
        if heading is not None:
            self._answer(heading, "", time)
        self._say(message, time)

    def _text(self, text: str, heading: str | None, time: datetime | None) -> str | None:
        """One text of a user message; returns the heading that waits for its result."""
        text, surroundings = split_surroundings(text)
        if surroundings:
            self._beside.look_around(surroundings)
            self._told.left_out["environment details"] += 1
        found = headed(text)
        skipped = not_run(text)
        if not text.strip() or is_reminder(text):
            self._told.left_out["reminder"] += bool(text.strip())
        elif found is not None:
            if heading is not None:
                self._answer(heading, "", time)
            if not found[1]:
                return found[0]
            self._answer(*found, time)
            return None
        elif skipped is not None:
            call = self._waiting(skipped)
            if call is None:
                self._told.drift.note("tool result without a call", _LINE)
            else:
                self._told.answer(call, text, status="cancelled", time=time)
        elif heading is not None:
            self._answer(heading, text, time)
            return None
        else:
            self._hear(text)
        return heading

    def _hear(self, text: str) -> None:
        typed = typed_in(text)
        if typed:
            self._heard += (("human", one) for one in typed)
            self._told.left_out["context of a prompt"] += has_more(text)
        else:
            origin = "injected" if is_injected(text) else "human"
            self._heard.append((origin, without_wrapping(text)))

    def _say(self, message: _Message, time: datetime | None) -> None:
        for number, (origin, text) in enumerate(self._heard):
            id_ = message.id if number == 0 else None
            said = self._told.user(text, origin=origin, time=time, id=id_)
            if number == len(self._heard) - 1:
                said.attachments = self._attached
        if self._attached and not self._heard:
            self._told.left_out["attachment of a result"] += len(self._attached)
        self._told.at(time)
        self._heard, self._attached = [], []

    def _result(self, block: dict[str, Any], time: datetime | None) -> None:
        call = self._told.waiting(_id(block.get("tool_use_id")) or "")
        if call is None:
            self._told.drift.note("tool result without a call", _LINE)
            return
        content = block.get("content")
        flag = block.get("is_error")
        is_error = flag if isinstance(flag, bool) else None
        outcome = operations_of(content)
        if outcome is None:
            outcome = outcome_of(call.tool, text_of(content), is_error=is_error)
        status = "error" if is_error and outcome.status == "ok" else outcome.status
        self._told.answer(
            call, outcome.output, status=status, exit_code=outcome.exit_code, time=time
        )
        self._attached += attachments_of(content)
        self._comment(call.tool, outcome.output)

    def _answer(self, tool: str, text: str, time: datetime | None) -> None:
        call = self._waiting(tool)
        if call is None:
            self._told.drift.note("tool result without a call", _LINE)
            return
        outcome = outcome_of(call.tool, text)
        self._told.answer(
            call, outcome.output, status=outcome.status, exit_code=outcome.exit_code, time=time
        )
        self._comment(call.tool, text)

    def _comment(self, tool: str, text: str) -> None:
        if may_hold_words_of_a_person(tool, text):
            self._heard += (("human", one) for one in typed_in(text))

    def _waiting(self, tool: str) -> OpenCall | None:
        """The call that a result by name is for; some names differ from the tool's."""
        for calls in (self._open_of.get(tool, deque()), self._open):
            while calls and calls[0].result is not None:
                calls.popleft()
            if calls:
                return calls[0]
        return None


def _speaks(name: str, given: Any) -> bool:
    return name in _SAID and isinstance(given, dict)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
