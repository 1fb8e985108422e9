"""What a script reads: a session and its case as AgentV writes them to a script, key by key.

The keys and their types are AgentV's: its TypeScript helpers refuse an input that has other types,
or null where a key should be left out. What a session does not say is null or absent, never 0.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders import figures
from pytest_agentv.graders.costs import cost_usd

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import Message, TokenUsage, ToolCall, Transcript, Usage

# A final answer that is longer as JSON is handed over in a file.
MAX_OUTPUT = 50_000

_ROLES = frozenset({"assistant", "user", "system", "tool"})
_STATUSES = frozenset({"ok", "error", "timeout", "cancelled", "unknown"})
_CAPITAL = re.compile("[A-Z]")


def script_input(
    transcript: Transcript, case: CaseFacts, *, config: Mapping[str, Any], scratch: Path
) -> Iterator[bytes]:
    """The JSON that a script reads, piece by piece: it is several times as large as the session.

    A long final answer is put into a file of ``scratch``.
    """
    try:
        yield from _object(_payload(transcript, case, config, scratch))
    except RecursionError as exc:
        raise NotGradable("the session is nested too deeply to be handed to a script") from exc


def _object(fields: Mapping[str, Any]) -> Iterator[bytes]:
    """An object as JSON; of its values, iterators are lists, and ``trace`` may have some, too."""
    for position, (key, value) in enumerate(fields.items()):
        yield b'%b"%b":' % (b"," if position else b"{", key.encode())
        if isinstance(value, Iterator):
            yield from _list(value)
        elif key == "trace":
            yield from _object(value)
        else:
            yield _encoded(value)
    yield b"}"


def _list(items: Iterator[Any]) -> Iterator[bytes]:
    separator = b"["
    for one in items:
        yield separator + _encoded(one)
        separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _encoded(value: Any) -> bytes:
    # In ASCII, which programs read that take the user's language for the encoding.
    return json.dumps(_plain(value)).encode("ascii")


def _payload(
    transcript: Transcript, case: CaseFacts, config: Mapping[str, Any], scratch: Path
) -> dict[str, Any]:
    usage = _usage(transcript.token_usage)
    cost = cost_usd(transcript, case).exact
    duration = figures.count(transcript.duration_ms)
    times = {
        "start_time": transcript.source.timestamp,
        "end_time": transcript.source.ended_at,
    }
    summary = _summary(transcript)
    return {
        "criteria": case.criteria or "",
        "expected_output": _as_messages(case.expected_output, role="assistant"),
        **_output(transcript.final_answer or "", scratch),
        "messages": map(_message, transcript.output),
        "input": _as_messages(transcript.input if case.input is None else case.input, role="user"),
        "input_files": _files(case),
        "metadata": case.metadata or None,
        "trace": {
            **summary,
            "messages": map(_message, transcript.output),
            "events": _events(transcript),
            **_known(token_usage=usage, cost_usd=cost, duration_ms=duration, **times),
            "metadata": _known(
                provider=transcript.source.provider,
                provider_session_id=transcript.source.session_id,
                eval_case_id=case.id,
            ),
        },
        "trace_summary": summary,
        "token_usage": usage,
        "cost_usd": cost,
        "duration_ms": duration,
        **times,
        # A recorded session has no workspace any more, nor what changed in it.
        "file_changes": None,
        "workspace_path": None,
        "config": config or None,
    }


def _output(answer: str, scratch: Path) -> dict[str, Any]:
    """The final answer, or the file that it is in."""
    if len(json.dumps(answer, ensure_ascii=False)) <= MAX_OUTPUT:
        return {"output": answer}
    path = scratch / "output.json"
    path.write_bytes(_encoded(answer))
    return {"output": None, "output_path": str(path)}


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _message(message: Message) -> dict[str, Any]:
    about = _known(origin=message.origin, model=message.model, agent_id=message.agent_id)
    return _known(
        role=message.role if message.role in _ROLES else "system",
        content=message.content,
        tool_calls=[_call(one) for one in message.tool_calls] or None,
        start_time=message.timestamp,
        token_usage=_usage(message.usage),
        metadata=about or None,
    )


def _call(call: ToolCall) -> dict[str, Any]:
    return _known(
        tool=call.tool,
        input=call.input,
        output=call.output,
        id=call.id,
        status=_status(call),
        start_time=call.timestamp,
        duration_ms=figures.count(call.duration_ms),
    )


def _status(call: ToolCall) -> str:
    if call.status in _STATUSES:
        return call.status
    return "error" if call.failed else "unknown"


def _usage(usage: Usage | TokenUsage | None) -> dict[str, int] | None:
    """Tokens, if both input and output are known: there is no other form for them."""
    if usage is None:
        return None
    names = ("input", "output", "cached", "reasoning")
    counts = _known(**{name: figures.count(getattr(usage, name)) for name in names})
    return counts if {"input", "output"} <= counts.keys() else None


def _summary(transcript: Transcript) -> dict[str, Any]:
    calls = transcript.tool_calls()
    durations: dict[str, list[int]] = {}
    for call in calls:
        if (duration := figures.count(call.duration_ms)) is not None:
            durations.setdefault(call.tool, []).append(duration)
    return _known(
        event_count=len(calls),
        tool_calls=Counter(call.tool for call in calls),
        error_count=sum(call.failed for call in calls),
        tool_durations=durations or None,
        llm_call_count=sum(one.role == "assistant" for one in transcript.output),
    )


def _events(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """Messages, calls, results and the final answer, one after the other."""
    for ordinal, event in enumerate(_unnumbered_events(transcript)):
        yield {**event, "ordinal": ordinal}


def _unnumbered_events(transcript: Transcript) -> Iterator[dict[str, Any]]:
    final: dict[str, Any] | None = None
    for number, message in enumerate(transcript.output):
        own = f"message-{number}"
        wire = _message(message)
        place = {"message_index": number}
        event = {
            **_known(timestamp=wire.pop("start_time", None)),
            "message": {key: value for key, value in wire.items() if key != "tool_calls"},
            "metadata": place,
        }
        yield {"event_id": own, "type": "message", **event}
        if message.role == "assistant" and message.agent_id is None and message.content:
            final = {"parent_event_id": own, **event}
        for position, call in enumerate(message.tool_calls):
            yield from _call_events(call, f"{own}-tool-{position}", own, position, place)
    if final is not None:
        yield {"event_id": "final-response", "type": "final_response", **final}


def _call_events(
    call: ToolCall, own: str, parent: str, position: int, place: dict[str, int]
) -> Iterator[dict[str, Any]]:
    metadata = {**place, "tool_index": position}
    tool = _known(name=call.tool, call_id=call.id, output=call.output, status=_status(call))
    yield {
        "event_id": own,
        "parent_event_id": parent,
        "type": "tool_call",
        **_known(timestamp=call.timestamp, duration_ms=figures.count(call.duration_ms)),
        "tool": {**tool, **_known(input=call.input)},
        "metadata": metadata,
    }
    if call.output is not None:
        yield {
            "event_id": f"{own}-result",
            "parent_event_id": own,
            "type": "tool_result",
            "tool": tool,
            "metadata": metadata,
        }


def _as_messages(value: Any, *, role: str) -> list[Any]:
    """What a case says, as messages: a list of them, or the content of one."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(one, dict) and "role" in one for one in value):
        return value
    if isinstance(value, dict) and "role" in value and "content" in value:
        return [value]
    blocks = isinstance(value, list) and all(isinstance(one, dict) for one in value)
    if isinstance(value, (str, dict)) or blocks:
        return [{"role": role, "content": value}]
    return [{"role": role, "content": json.dumps(_plain(value), ensure_ascii=False)}]


def _files(case: CaseFacts) -> list[str]:
    """The files that the input names in blocks of type ``file``."""
    contents = [
        one.get("content") for one in _as_messages(case.input, role="user") if isinstance(one, dict)
    ]
    blocks = [block for one in contents if isinstance(one, list) for block in one]
    named = [
        block.get("path", block.get("value"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "file"
    ]
    return [
        str(one if case.folder is None else case.folder / one)
        for one in named
        if isinstance(one, str)
    ]


def _plain(value: Any) -> Any:
    """A value as JSON has it, with the keys of all mappings in snake case, as AgentV has them."""
    if isinstance(value, dict):
        return {_snake(str(key)): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def _snake(key: str) -> str:
    if key.islower() or _CAPITAL.match(key):  # a name as of a tool stays what it is
        return key
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", key)
