"""Session traces in the simple form of the Hugging Face Hub: a header, then a message per line.

Any harness may write them. They have neither tokens nor cost, nor how a call went.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.places import Homeless
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift, RecordFile, shown
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import attachments_of, text_of
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.transcript.tools.table import Table

PROVIDER = "hf-traces"
# Every harness has tools of its own: those of all clients are looked up.
TOOLS: Table = {}
_PER_SECOND = 1000


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct, gc=False):
    id: str | None = None
    function: _Function | None = None


class _Message(msgspec.Struct, rename="camel", gc=False):
    role: str | None = None
    content: Any = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    timestamp: float | None = None
    model: str | None = None


class _Record(msgspec.Struct, gc=False):
    type: str | None = None
    id: str | None = None
    name: str | None = None
    message: _Message | None = None


class HfTracesAdapter(Homeless):
    """Session traces in the simple form (STS) of the Hugging Face Hub."""

    name = "hf-traces"
    provider = PROVIDER
    tested = ("1", "1")

    def claims(self, path: Path) -> bool:
        """Whether a header names a harness and has nothing of Pi's, whose form is alike."""
        records = probe(path).records
        if not records or records[0].get("type") != "session":
            return False
        header = records[0]
        messages = [one.get("message") for one in records[1:] if one.get("type") == "message"]
        return (
            isinstance(header.get("harness"), str)
            and isinstance(header.get("id"), str)
            and not {"cwd", "version"} & header.keys()
            and all(isinstance(one, dict) and "role" in one for one in messages)
        )

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start and first prompt."""
        told = _read(ref, until_prompt=True)
        return SessionSummary(told.started, None, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(_read(ref), ref, tested=None)


def _read(ref: SessionRef, *, until_prompt: bool = False) -> Told:
    told = Told(Drift(), PROVIDER)
    with RecordFile(ref.path, _Record, told.drift) as file:
        for (_, _, line), record in file.records():
            if record.type == "session":
                told.session_id, told.title = record.id, record.name
            elif record.type == "message" and record.message is not None:
                _message(told, record.message, line)
            else:
                told.drift.note(f"record type {shown(record.type)}", line)
            if until_prompt and told.opening is not None:
                break
    return told


def _message(told: Told, message: _Message, line: int) -> None:
    time = from_epoch(message.timestamp, per_second=_PER_SECOND)
    text = text_of(message.content)
    if message.role == "user":
        told.user(text, line=line, time=time).attachments = attachments_of(message.content)
    elif message.role == "assistant":
        thinking = message.reasoning_content
        told.assistant(text, thinking=thinking, line=line, time=time, model=message.model)
        for call in message.tool_calls or ():
            function = call.function or _Function()
            if function.name is None:
                told.drift.note("tool call without a name", line)
                continue
            made = told.call(function.name, function.arguments, id=call.id, line=line, time=time)
            made.kind, made.args = describe(function.name, made.input, None)
    elif message.role == "tool":
        waiting = told.waiting(message.tool_call_id) if message.tool_call_id else told.waiting()
        if waiting is None:
            told.drift.note("tool result without a call", line)
        else:
            told.answer(waiting, text, time=time)
    elif message.role == "system":
        told.left_out["system prompt"] += 1
    else:
        told.drift.note(f"message role {shown(message.role)}", line)
