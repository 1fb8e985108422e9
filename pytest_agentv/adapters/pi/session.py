"""A session of Pi's: a tree of records in one file, of which one branch is the conversation.

Version 1 of the format is a plain list without ids, version 2 has the tree, version 3 renamed a
role. Programs that are built on Pi write the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_epoch, from_text
from pytest_agentv.adapters.pi import PROVIDER
from pytest_agentv.adapters.records import Drift, RecordFile, shown
from pytest_agentv.adapters.spending import usage_beside_caches
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.tree import Tree
from pytest_agentv.adapters.values import attachments_of, blocks_of, text_of
from pytest_agentv.transcript.model import Usage

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

HEADER = "session"
NEWEST_FORMAT = 3
# Of the session, of an extension, for the screen: no part of the conversation.
_ABOUT_SESSION = ("leaf", "model_change", "session_info", "thinking_level_change")
_OF_EXTENSIONS = ("custom", "label", "context_transform", "ephemeral")
PASSED = frozenset((*_ABOUT_SESSION, *_OF_EXTENSIONS))
SUMMARIES = frozenset(("compaction", "branch_summary", "compactionSummary", "branchSummary"))
# What the client writes below the output of its shell, and how far from the end at most.
_EXIT_CODE = re.compile(r"(?:^|\n)Command exited with code (-?\d{1,9})\s*\Z")
_TIMED_OUT = re.compile(r"(?:^|\n)Command timed out after [\d.]+ ?s\w*\s*\Z")
_ABORTED = re.compile(r"(?:^|\n)(?:Command|Operation) aborted\s*\Z")
_LAST_LINE = 100


class Message(msgspec.Struct, rename="camel"):
    """What was said: by a person, the model, a tool, a shell, an extension."""

    role: str | None = None
    content: Any = None
    timestamp: float | None = None
    model: str | None = None
    usage: dict[str, Any] | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    command: str | None = None
    output: str | None = None
    exit_code: int | None = None


class Entry(msgspec.Struct, rename="camel"):
    """A record."""

    type: str | None = None
    id: str | None = None
    timestamp: str | None = None
    message: Message | None = None
    # Of what an extension says.
    content: Any = None


class Link(msgspec.Struct, rename="camel"):
    """What tells where a record belongs; of the header, what it says of the session."""

    type: str | None = None
    id: str | None = None
    # Null in a first record; what is not there, or no text, tells nothing.
    parent_id: Any = msgspec.UNSET
    timestamp: str | None = None
    version: int | None = None
    cwd: str | None = None
    name: str | None = None


def told_of(path: Path) -> Told:
    """The branch that the last record is on; Pi has no sub-agents of its own."""
    told = Told(Drift(), PROVIDER)
    tree = _tree(path, told)
    again = Drift()
    with RecordFile(path, Entry, again) as file:
        for place in tree.path():
            for line, entry in file.records_at([place]):
                tell(told, entry, line)
        for place in tree.given_up_places():
            for _, entry in file.records_at([place]):
                _pay(told, entry)
    told.drift.include(again)
    return told


def _tree(path: Path, told: Told) -> Tree:
    """Which records there are, and what the session says of itself."""
    tree = Tree()
    with RecordFile(path, Link, told.drift) as file:
        for place, link in file.records():
            if link.type != HEADER:
                tree.add(link.id, link.parent_id, place)
                if link.type == "session_info":
                    told.title = link.name
            elif told.session_id is None:
                told.session_id = link.id
                told.cwd = link.cwd
                version = link.version or 1
                if version > NEWEST_FORMAT:
                    reason = f"format version {version} is newer than {NEWEST_FORMAT}"
                    told.drift.note(reason, place[2])
    if tree.orphans:
        told.drift.note("unknown parent", tree.orphans[0], len(tree.orphans))
    if tree.given_up:
        told.left_out["entry of another branch"] = tree.given_up
    return tree


def tell(told: Told, entry: Entry, line: int) -> None:
    """Say what a record means."""
    time = from_text(entry.timestamp)
    message = entry.message
    if entry.type == "message" and message is not None:
        _tell_message(
            told, entry, message, line, time or from_epoch(message.timestamp, per_second=1000)
        )
    elif entry.type == "custom_message":
        told.user(text_of(entry.content), origin="injected", line=line, time=time, id=entry.id)
    elif entry.type in SUMMARIES:
        told.left_out[f"{entry.type} entry"] += 1
    elif entry.type != HEADER and entry.type not in PASSED:
        told.drift.note(f"record type {shown(entry.type)}", line)


def _pay(told: Told, entry: Entry) -> None:
    """A record of a branch that was given up: what a response took was paid for all the same."""
    message = entry.message
    if entry.type == "message" and message is not None and message.role == "assistant":
        told.spending.add(_usage(message, told))


def _tell_message(
    told: Told, entry: Entry, message: Message, line: int, time: datetime | None
) -> None:
    role = message.role
    if role == "user":
        said = told.user(text_of(message.content), line=line, time=time, id=entry.id)
        said.attachments.extend(attachments_of(message.content))
    elif role == "assistant":
        _tell_response(told, entry, message, line, time)
    elif role == "toolResult":
        _tell_result(told, message, line, time)
    elif role == "bashExecution":  # what a person ran, not the agent
        text = f"!{message.command or ''}\n{message.output or ''}".rstrip()
        told.user(text, origin="command", line=line, time=time, id=entry.id)
    elif role in ("custom", "hookMessage"):
        text = text_of(message.content)
        told.user(text, origin="injected", line=line, time=time, id=entry.id)
    elif role in SUMMARIES:
        told.left_out[f"{role} message"] += 1
    else:
        told.drift.note(f"message of role {shown(role)}", line)


def _tell_response(
    told: Told, entry: Entry, message: Message, line: int, time: datetime | None
) -> None:
    blocks = blocks_of(message.content)
    thoughts = [text_of(one.get("thinking")) for one in blocks if one.get("type") == "thinking"]
    told.assistant(
        text_of([one for one in blocks if one.get("type") == "text"]),
        thinking="\n\n".join(filter(None, thoughts)) or None,
        line=line,
        time=time,
        id=entry.id,
        model=message.model,
        usage=_usage(message, told),
    )
    for block in blocks:
        kind = block.get("type")
        if kind == "toolCall" and isinstance(block.get("name"), str):
            id_ = block.get("id") if isinstance(block.get("id"), str) else None
            told.call(block["name"], block.get("arguments"), id=id_, line=line, time=time)
        elif kind not in ("text", "thinking"):
            told.drift.note(f"content of type {shown(kind)}", line)
    if message.stop_reason == "error" and message.error_message:
        told.system(message.error_message, line=line, time=time)


def _tell_result(told: Told, message: Message, line: int, time: datetime | None) -> None:
    call = told.waiting(message.tool_call_id)
    if call is None:
        told.drift.note("result of an unknown call", line)
        return
    output = text_of(message.content)
    status = exit_code = None
    if call.kind == "shell":
        found = _EXIT_CODE.search(output, max(0, len(output) - _LAST_LINE))
        exit_code = int(found[1]) if found else None
    if message.is_error and _TIMED_OUT.search(output, max(0, len(output) - _LAST_LINE)):
        status = "timeout"
    elif message.is_error and _ABORTED.search(output, max(0, len(output) - _LAST_LINE)):
        status = "cancelled"
    told.answer(
        call, output, status=status, exit_code=exit_code, is_error=message.is_error, time=time
    )
    current = told.conversation.current
    if current is not None and call in current.calls:
        for one in attachments_of(message.content):
            current.attachments.append(msgspec.structs.replace(one, call_id=call.id))


def _usage(message: Message, told: Told) -> Usage | None:
    """Tokens of a response; Pi counts caches beside the input."""
    usage = message.usage or {}
    cost = usage.get("cost")
    total = cost.get("total") if isinstance(cost, dict) else None
    told.costs(total)
    stated = usage_beside_caches(
        fresh=usage.get("input"),
        cached=usage.get("cacheRead"),
        cache_write=usage.get("cacheWrite"),
        output=usage.get("output"),
        reasoning=usage.get("reasoning"),
    )
    if stated is None and message.stop_reason == "error" and not message.content and usage:
        return Usage(input=0, output=0)  # a request that was refused
    return stated  # None: a provider that says nothing, or a response that was cut off
