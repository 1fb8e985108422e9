"""Sessions before version 0.0.342: one JSON document instead of events.

Its ``chatMessages`` are the conversation as the model saw it, its ``timeline`` what the screen
showed: what a person really typed, which errors there were, and what became of a call. A document
has no lines, so the messages have none either.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import Time, milliseconds, timestamp
from pytest_agentv.adapters.conversation import OpenCall, OpenMessage, Result
from pytest_agentv.adapters.copilot import PROVIDER
from pytest_agentv.adapters.copilot.prompts import HUMAN, INJECTED, without_date
from pytest_agentv.adapters.copilot.results import exit_code_of
from pytest_agentv.adapters.records import read_document, shown
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import parsed_arguments
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.records import Drift

_LINE = 1
_STATUS = {"success": "ok", "failure": "error", "rejected": "denied", "denied": "denied"}
# So many prompts of the screen may be missing among the messages before one that is not.
_MAX_SKIPPED = 50
_SHOWN_TYPES = ("user", "copilot", "info", "error", "tool_call_completed", "tool_call_requested")


class _Part(msgspec.Struct, gc=False):
    text: str | None = None


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: Any = None


class _ToolCall(msgspec.Struct, gc=False):
    id: str | None = None
    function: _Function | None = None


class _ChatMessage(msgspec.Struct, gc=False):
    role: str | None = None
    content: str | list[_Part] | None = None
    tool_calls: list[_ToolCall] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        """What it says."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class _ShownResult(msgspec.Struct, gc=False):
    type: str | None = None
    log: str | None = None


class _Shown(msgspec.Struct, gc=False, rename="camel"):
    """An entry of the timeline."""

    type: str | None = None
    timestamp: Time | None = None
    text: str | None = None
    expanded_text: str | None = None
    call_id: str | None = None
    result: _ShownResult | str | None = None


class _Document(msgspec.Struct, gc=False, rename="camel"):
    session_id: str | None = None
    start_time: Time | None = None
    selected_model: str | None = None
    chat_messages: list[_ChatMessage] | None = None
    timeline: list[_Shown] | None = None


def read_history(path: Path, drift: Drift) -> Told:
    """What a document tells."""
    return _History(read_document(path, _Document, drift), drift).read()


class _History:
    """The conversation of one document."""

    def __init__(self, document: _Document, drift: Drift) -> None:
        self._document = document
        self._told = Told(drift, PROVIDER)
        self._timeline = document.timeline or []
        self._prompts = deque(n for n, one in enumerate(self._timeline) if one.type == "user")
        self._has_prompts = bool(self._prompts)
        self._results = {
            one.call_id: (number, one)
            for number, one in enumerate(self._timeline)
            if one.type == "tool_call_completed"
        }
        # How much of the timeline lies behind us.
        self._position = 0

    def read(self) -> Told:
        """Read it all."""
        told, document = self._told, self._document
        told.session_id = document.session_id
        told.model = document.selected_model
        for message in document.chat_messages or ():
            if message.role == "user":
                self._user(message)
            elif message.role == "assistant":
                self._assistant(message)
            elif message.role == "tool":
                self._tool(message)
            elif message.role == "system":
                told.left_out["system record"] += 1
            else:
                told.drift.note(f"message role {shown(message.role)}", _LINE)
        self._pass_over(len(self._prompts))
        self._go_to(len(self._timeline))
        told.conversation.finish()
        self._clock()
        return told

    def _clock(self) -> None:
        told = self._told
        times = [one.timestamp for one in self._timeline if one.timestamp is not None]
        told.started = self._document.start_time or (times[0] if times else None)
        told.ended = times[-1] if times else None
        if told.started is not None and told.ended is not None and told.ended >= told.started:
            told.duration_ms = milliseconds(told.started, told.ended)

    def _go_to(self, number: int) -> None:
        """Move on in the timeline; errors on the way are messages of their own."""
        for entry in self._timeline[self._position : number]:
            if entry.type == "error":
                self._begin("system", entry.text or "", entry)
            elif entry.type == "info":
                self._told.left_out["info record"] += 1
            elif entry.type not in _SHOWN_TYPES:
                self._told.drift.note(f"record type {shown(entry.type)}", _LINE)
        self._position = max(self._position, number)

    def _begin(
        self, role: str, text: str, entry: _Shown | None = None, *, origin: str | None = None
    ) -> None:
        message = OpenMessage(
            role,
            line=None,
            size=len(text),
            origin=origin,
            timestamp=None if entry is None else timestamp(entry.timestamp),
        )
        message.texts.append(text)
        self._told.conversation.begin(message)

    def _user(self, message: _ChatMessage) -> None:
        text = message.text
        entry = self._typed(text)
        if entry is not None:
            text = entry.text or ""
        elif self._has_prompts or not text.strip():
            self._begin("user", text, origin=INJECTED)
            return
        text = without_date(text)
        self._begin("user", text, entry, origin=HUMAN)
        self._told.typed(text)

    def _typed(self, text: str) -> _Shown | None:
        """The entry of the timeline that shows the prompt in a message; None if there is none."""
        for skipped, number in enumerate(islice(self._prompts, _MAX_SKIPPED)):
            entry = self._timeline[number]
            if _shows(entry, text, in_lines=skipped > 0):
                self._pass_over(skipped)
                self._prompts.popleft()
                self._go_to(number)
                return entry
        return None

    def _pass_over(self, count: int) -> None:
        """Leave prompts out that the model never got: commands, or what it was made to forget."""
        for _ in range(count):
            self._prompts.popleft()
            self._told.left_out["prompt that the model did not get"] += 1

    def _assistant(self, message: _ChatMessage) -> None:
        self._begin("assistant", message.text)
        calls = []
        for call in message.tool_calls or ():
            function = call.function or _Function()
            if function.name is None:
                self._told.drift.note("tool call without a name", _LINE)
                continue
            arguments = parsed_arguments(function.arguments, self._told.drift, _LINE)
            kind, args = describe(function.name, arguments, PROVIDER)
            made = OpenCall(call.id, None, function.name, kind, arguments, args, None, None)
            self._told.conversation.call(made)
            calls.append(made)
        for made in calls:  # not before all are made: errors in between are messages
            self._show(made)

    def _show(self, call: OpenCall) -> None:
        """What the screen showed of a call, until the result that the model got is read."""
        number, entry = self._results.get(call.id, (0, None))
        if entry is not None and isinstance(entry.result, _ShownResult):
            status = _STATUS.get(entry.result.type or "", "unknown")
            self._told.conversation.correct(call, output=entry.result.log or "", status=status)
            self._go_to(number)

    def _tool(self, message: _ChatMessage) -> None:
        conversation = self._told.conversation
        call = conversation.unanswered(message.tool_call_id)
        if call is None:
            self._told.drift.note("tool result without a call", _LINE)
            return
        output = message.text
        exit_code = exit_code_of(output, call)
        status = "ok" if call.result is None else call.result.status
        if exit_code and status in ("ok", "unknown"):
            status = "error"
        conversation.answer(call, Result(output, status, exit_code), size=len(output))


def _shows(entry: _Shown, text: str, *, in_lines: bool) -> bool:
    """Whether an entry shows the prompt in a message; ``in_lines``: in lines of its own."""
    for one in (entry.text, entry.expanded_text):
        said = (one or "").strip()
        if said and (f"\n{said}\n" in f"\n{text}\n" if in_lines else said in text):
            return True
    return False
