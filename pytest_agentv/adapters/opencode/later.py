"""Rows of the table ``session_message`` in the form of the older tables.

It stands beside them since 1.17 and is to replace them; so both are understood in one way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.lenient import lenient
from pytest_agentv.adapters.opencode.records import Info, Part, State, Stored, Times
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.values import blocks_of, text_of

if TYPE_CHECKING:
    from pytest_agentv.adapters.records import Drift

# What was switched, and that nothing is going on.
_PASSED = frozenset(("agent-switched", "model-switched", "location-switched", "idle", "system"))
_INJECTED = frozenset(("synthetic", "skill"))


def earlier_form(id_: str, type_: str, data: Any, drift: Drift) -> Stored | None:
    """A row as a message with parts; None if it is no message."""
    if type_ in _PASSED:
        return None
    if not isinstance(data, dict):
        drift.note("unreadable row", 1)
        return None
    info = Info(id=id_, role="user", time=lenient(_object(data, "time"), Times, drift, 1))
    if type_ == "assistant":
        _complete(info, data)
        content = data.get("content")
        return Stored(info, [_part(one, drift) for one in blocks_of(content)])
    parts = _said(type_, data)
    if not parts:
        drift.note(f"record type {shown(type_)}", 1)
        return None
    return Stored(info, parts)


def _said(type_: str, data: dict[str, Any]) -> list[Part]:
    text = text_of(data.get("text"))
    if type_ == "user":
        return [Part(type="text", text=text), *_files(data.get("files"))]
    if type_ in _INJECTED:
        return [Part(type="text", text=text, synthetic=True)]
    if type_ == "shell":
        output = _object(data, "output").get("output")
        ran = f"!{data.get('command')}\n{output if isinstance(output, str) else ''}".rstrip()
        return [Part(type="shell", text=ran)]
    return [Part(type="compaction")] if type_ == "compaction" else []


def _complete(info: Info, data: dict[str, Any]) -> None:
    model, cost = _object(data, "model").get("id"), data.get("cost")
    info.role = "assistant"
    info.model_id = model if isinstance(model, str) else None
    info.cost = cost  # whatever it is: who adds it up will see
    info.tokens = _object(data, "tokens") or None
    info.error = _object(data, "error") or None


def _part(content: dict[str, Any], drift: Drift) -> Part:
    if content.get("type") != "tool":
        return lenient({name: content.get(name) for name in ("type", "text")}, Part, drift, 1)
    native, times = _object(content, "state"), _object(content, "time")
    error = native.get("error")
    if isinstance(error, dict):
        error = error.get("message", error)
    state = State(
        status=native.get("status") if isinstance(native.get("status"), str) else None,
        input=native.get("input"),
        output=text_of(native.get("content")),
        error=None if error is None else text_of(error),
        time=lenient(
            {"start": times.get("ran", times.get("created")), "end": times.get("completed")},
            Times,
            drift,
            1,
        ),
        metadata=_object(native, "metadata") or _object(native, "structured") or None,
    )
    named = {"callID": content.get("id"), "tool": content.get("name"), "type": "tool"}
    part = lenient(named, Part, drift, 1)
    part.state = state
    return part


def _files(files: Any) -> list[Part]:
    return [
        Part(
            type="file",
            mime=one.get("mime") if isinstance(one.get("mime"), str) else None,
            filename=one.get("name") if isinstance(one.get("name"), str) else None,
        )
        for one in blocks_of(files)
    ]


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
