"""Sessions of Kimi CLI, before Kimi Code: the messages in one file, tokens and times in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.records import Drift, RecordFile, shown
from pytest_agentv.adapters.spending import usage_beside_caches
from pytest_agentv.adapters.values import attachments_of, text_of
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

# Records that are no messages.
MARKS = frozenset(("_checkpoint", "_usage", "_system_prompt"))
_INJECTED = ("<system>", "<system-reminder>")
# The client says in its own words how a call ended, before or after what a tool printed.
_ERROR = "<system>ERROR"
_EXIT_CODE = re.compile(r"Command failed with exit code: (-?\d{1,9})")
_REFUSED = "rejected by the user"
_TIMED_OUT = "killed by timeout"


class Function(msgspec.Struct):
    """What is called."""

    name: str | None = None
    arguments: Any = None


class Call(msgspec.Struct):
    """A tool call."""

    id: str | None = None
    function: Function | None = None


class Message(msgspec.Struct):
    """A line of the file."""

    role: str | None = None
    content: Any = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None


class _Payload(msgspec.Struct):
    token_usage: dict[str, Any] | None = None


class _Sent(msgspec.Struct):
    type: str | None = None
    payload: _Payload | None = None


class _WireRecord(msgspec.Struct):
    timestamp: float | None = None
    message: _Sent | None = None


def read_context(path: Path, told: Told, *, until_opening: bool = False) -> None:
    """Say what the messages mean."""
    with RecordFile(path, Message, told.drift) as file:
        for (_, _, line), message in file.records():
            _tell(told, message, line)
            if until_opening and told.opening is not None:
                return
    _read_wire(path.with_name("wire.jsonl"), told)


def _tell(told: Told, message: Message, line: int) -> None:
    role, content = message.role, message.content
    if role == "user":
        text = text_of(content)
        origin = "injected" if text.lstrip().startswith(_INJECTED) else "human"
        said = told.user(text, origin=origin, line=line)
        said.attachments.extend(attachments_of(content))
    elif role == "assistant":
        blocks = content if isinstance(content, list) else []
        thoughts = [one.get("think") for one in blocks if isinstance(one, dict)]
        told.assistant(
            text_of(content),
            thinking="\n\n".join(one for one in thoughts if isinstance(one, str) and one) or None,
            line=line,
        )
        for call in message.tool_calls or []:
            if call.function is not None and call.function.name is not None:
                told.call(call.function.name, call.function.arguments, id=call.id, line=line)
            else:
                told.drift.note("tool call without a name", line)
    elif role == "tool":
        _answer(told, message, line)
    elif role == "_system_prompt":
        told.left_out["system prompt"] += 1
    elif role not in MARKS:
        told.drift.note(f"message of role {shown(role)}", line)


def _answer(told: Told, message: Message, line: int) -> None:
    call = told.waiting(message.tool_call_id)
    if call is None:
        told.drift.note("result of an unknown call", line)
        return
    output = text_of(message.content)
    failed = output.lstrip().startswith(_ERROR)
    found = _EXIT_CODE.search(output) if call.kind == "shell" else None
    status = None
    if failed and _REFUSED in output[:500]:
        status = "denied"
    elif failed and _TIMED_OUT in output[:500]:
        status = "timeout"
    code = int(found[1]) if found and failed else None
    told.answer(call, output, status=status, exit_code=code, is_error=failed)


def _read_wire(path: Path, told: Told) -> None:
    """Tokens and times, which only the log beside the messages has."""
    try:
        with RecordFile(path, _WireRecord, Drift()) as file:
            spent = [_noted(told, record) for _, record in file.records()]
    except SessionError:
        return
    usages = [one for one in spent if one is not None]
    if usages:
        told.spending.restart()
        for usage in usages:
            told.spending.add(usage)


def _noted(told: Told, record: _WireRecord) -> Usage | None:
    told.at(from_epoch(record.timestamp))
    payload = record.message.payload if record.message else None
    stated = (payload and payload.token_usage) or {}
    return usage_beside_caches(
        fresh=stated.get("input_other"),
        cached=stated.get("input_cache_read"),
        cache_write=stated.get("input_cache_creation"),
        output=stated.get("output"),
    )
