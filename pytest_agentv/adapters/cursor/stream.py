"""What ``cursor-agent --output-format stream-json`` prints: the only form with results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.cursor.transcript import hear
from pytest_agentv.adapters.records import RecordFile, shown
from pytest_agentv.adapters.values import text_of
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.told import Told

_PER_SECOND = 1000
_ENDING = "ToolCall"
_OUTCOMES = {
    "success": "ok",
    "failure": "error",
    "error": "error",
    "rejected": "denied",
    "permissionDenied": "denied",
    "timeout": "timeout",
    "aborted": "cancelled",
}
_TEXTS = ("stdout", "stderr", "content", "error", "message", "reason")


class _Message(msgspec.Struct, gc=False):
    content: Any = None


class Event(msgspec.Struct, gc=False):
    """A record of the stream."""

    type: str | None = None
    subtype: str | None = None
    session_id: str | None = None
    message: _Message | None = None
    text: str | None = None
    call_id: str | None = None
    model_call_id: str | None = None
    timestamp_ms: float | None = None
    tool_call: Any = None
    cwd: str | None = None
    model: str | None = None
    is_error: bool | None = None
    duration_ms: int | None = None
    result: Any = None
    usage: Any = None


class Stream:
    """Tells a stream."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._thoughts: list[str] = []
        # Pieces of a text that is still being said; the whole of it may follow.
        self._pieces: list[str] = []
        self._had_pieces = False
        self._has_spoken = False
        self._line = 1

    def read(self, path: Path) -> None:
        """Read it all."""
        with RecordFile(path, Event, self._told.drift) as file:
            for (_, _, line), event in file.records():
                self._line = line
                self._event(event)
        self._flush()

    def _event(self, event: Event) -> None:
        told = self._told
        told.session_id = event.session_id or told.session_id
        told.at(from_epoch(event.timestamp_ms, per_second=_PER_SECOND))
        if event.type == "system":
            told.cwd, told.model = event.cwd or told.cwd, event.model or told.model
        elif event.type == "user":
            hear(told, text_of(event.message.content if event.message else None), self._line)
        elif event.type == "thinking":
            self._thoughts.append(event.text or "")
        elif event.type == "assistant":
            self._assistant(event)
        elif event.type == "tool_call":
            self._call(event)
        elif event.type == "result":
            self._result(event)
        else:
            told.drift.note(f"record type {shown(event.type)}", self._line)

    def _assistant(self, event: Event) -> None:
        text = text_of(event.message.content if event.message else None)
        if event.timestamp_ms is not None and event.model_call_id is None:
            self._pieces.append(text)
            self._had_pieces = True
        elif event.model_call_id is not None:
            self._pieces = []
            self._say(text)
        elif not self._had_pieces:
            self._say(text)

    def _say(self, text: str) -> None:
        self._told.assistant(
            text,
            thinking="".join(self._thoughts) or None,
            line=self._line,
            model=self._told.model,
        )
        self._thoughts, self._has_spoken = [], True

    def _flush(self) -> None:
        if self._pieces:
            text, self._pieces = "".join(self._pieces), []
            self._say(text)

    def _call(self, event: Event) -> None:
        made = event.tool_call if isinstance(event.tool_call, dict) else {}
        found = [key for key, value in made.items() if isinstance(value, dict)]
        if not found:
            self._told.drift.note("tool call without a name", self._line)
            return
        self._flush()
        call = made[found[0]]
        time = from_epoch(event.timestamp_ms, per_second=_PER_SECOND)
        if event.subtype == "started" or self._told.waiting(event.call_id or "") is None:
            current = self._told.conversation.current
            if current is None or current.role != "assistant":
                self._say("")
            name, arguments = found[0].removesuffix(_ENDING), call.get("args")
            if found[0] == "function":
                name, arguments = text_of(call.get("name")), call.get("arguments")
            began = time if event.subtype == "started" else None
            self._told.call(name, arguments, id=event.call_id, line=self._line, time=began)
        result = call.get("result")
        waiting = self._told.waiting(event.call_id or "")
        if event.subtype not in ("started", "completed"):
            self._told.drift.note(f"tool call {shown(event.subtype)}", self._line)
        if event.subtype == "completed" and result is not None and waiting is not None:
            stated = result if isinstance(result, dict) else {"": result}
            kind = next(iter(stated), "")
            said = stated.get(kind)
            code = said.get("exitCode") if isinstance(said, dict) else None
            self._told.answer(
                waiting,
                _output(said),
                status=_OUTCOMES.get(kind, "unknown"),
                exit_code=code if type(code) is int else None,
                time=time,
            )

    def _result(self, event: Event) -> None:
        self._flush()
        self._told.duration_ms = event.duration_ms
        if event.is_error:
            self._told.system(text_of(event.result), line=self._line)
        elif not self._has_spoken and isinstance(event.result, str):
            self._say(event.result)
        # Whether what was read from a cache is in their input, nobody says.
        output = event.usage.get("outputTokens") if isinstance(event.usage, dict) else None
        if type(output) is int and output >= 0:
            self._told.usage = TokenUsage(output=output, output_complete=True)


def _output(said: Any) -> str:
    if not isinstance(said, dict):
        return text_of(said)
    texts = [said[name] for name in _TEXTS if isinstance(said.get(name), str) and said[name]]
    return "\n".join(texts) if texts else text_of(said)
