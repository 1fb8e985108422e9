"""What the records of a Qwen session mean.

The records are a tree, of which the way to the last one is the conversation; several records of
one id are one message. What a message says is in the parts of Google's API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.genai import (
    attachments_of_parts,
    outcome,
    output_of,
    parts_of,
    text_of_parts,
    usage,
)
from pytest_agentv.adapters.qwen import PROVIDER
from pytest_agentv.adapters.records import Drift, RecordFile, shown
from pytest_agentv.adapters.spending import larger
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from pytest_agentv.adapters.records import Place
    from pytest_agentv.transcript.model import Usage

# Of a user record: what a person typed while the agent was at work.
_TYPED = frozenset((None, "mid_turn_user_message", "realtime_message"))
# What hooks and the client add to a prompt stands in parts of its own.
_ADDED = ("<qwen:user-prompt-submit-context>", "<system-reminder>", "<hook_context>")
_SLASH = "slash_command"
_TITLE = "custom_title"
_COMPRESSION = "chat_compression"


class Link(msgspec.Struct, rename="camel"):
    """Where a record belongs."""

    uuid: str | None = None
    # Null in a first record; what is not there, or no text, tells nothing.
    parent_uuid: Any = msgspec.UNSET
    is_sidechain: bool | None = None


class Content(msgspec.Struct):
    """What a record says."""

    parts: list[Any] | None = None


class Payload(msgspec.Struct, rename="camel"):
    """What records have beside what they say."""

    display_text: str | None = None
    custom_title: str | None = None
    phase: str | None = None
    raw_command: str | None = None
    sent_to_model: bool | None = None


class ToolCallResult(msgspec.Struct, rename="camel"):
    """How a call ended."""

    call_id: str | None = None
    status: str | None = None
    result_display: Any = None


class Tokens(msgspec.Struct, rename="camel"):
    """As Google's API counts them."""

    prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    total_token_count: int | None = None


class Record(msgspec.Struct, rename="camel"):
    """A record."""

    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    subtype: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    model: str | None = None
    message: Content | None = None
    usage_metadata: Tokens | None = None
    tool_call_result: ToolCallResult | None = None
    system_payload: Payload | None = None
    agent_id: str | None = None
    is_sidechain: bool | None = None


class Teller:
    """Says what records mean, one after another."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._last: tuple[str | None, str | None] = (None, None)
        # What the response took that was given up last: its records may go on.
        self._given_up: Usage | None = None

    def record(self, record: Record, line: int, agent_id: str | None = None) -> None:
        """One record of the conversation."""
        told = self._told
        if agent_id is None:
            told.session_id = told.session_id or record.session_id
            told.cwd = told.cwd or record.cwd
            told.version = record.version or told.version
            told.git_branch = told.git_branch or record.git_branch
        time = from_text(record.timestamp)
        goes_on = record.uuid is not None and self._last == (record.uuid, record.type)
        self._last = (record.uuid, record.type)
        if record.type == "user":
            self._user(record, line, time, agent_id)
        elif record.type == "assistant":
            self._response(record, line, time, agent_id, goes_on=goes_on)
        elif record.type == "tool_result":
            self._result(record, line, time)
        elif record.type == "system":
            self._system(record, line, time)
        else:
            told.drift.note(f"record type {shown(record.type)}", line)

    def given_up(self, record: Record) -> None:
        """One record of another branch: what a response took was paid for all the same."""
        goes_on = record.uuid is not None and self._last == (record.uuid, record.type)
        self._last = (record.uuid, record.type)
        if record.type != "assistant":
            return
        spent = _usage(record.usage_metadata)
        if goes_on:
            spent = larger(self._given_up, spent)
            self._told.spending.replace(self._given_up, spent)
        else:
            self._told.spending.add(spent)
        self._given_up = spent

    def _user(self, record: Record, line: int, time: datetime | None, agent_id: str | None) -> None:
        parts = parts_of(record.message.parts if record.message else None)
        origin = "human" if record.subtype in _TYPED else "injected"
        shown_text = record.system_payload.display_text if record.system_payload else None
        typed = [part for part in parts if not _is_added(part)]
        text = shown_text or text_of_parts(typed)
        if origin == "human" and not text and text_of_parts(parts):
            origin, text = "injected", text_of_parts(parts)
        said = self._told.user(
            text,
            origin=origin if agent_id is None else "injected",
            line=line,
            time=time,
            id=record.uuid,
            agent_id=agent_id,
        )
        said.attachments.extend(attachments_of_parts(parts))

    def _response(
        self,
        record: Record,
        line: int,
        time: datetime | None,
        agent_id: str | None,
        *,
        goes_on: bool,
    ) -> None:
        told = self._told
        parts = parts_of(record.message.parts if record.message else None)
        text, thinking = text_of_parts(parts), text_of_parts(parts, thoughts=True)
        spent = _usage(record.usage_metadata)
        current = told.conversation.current
        if goes_on and current is not None and current.role == "assistant":
            current.texts.append(text)
            current.thoughts.append(thinking)
            current.model = current.model or record.model
            spent = larger(current.usage, spent)
            if agent_id is None:
                told.model = told.model or record.model
                told.spending.replace(current.usage, spent)
            current.usage = spent
        else:
            told.assistant(
                text,
                thinking=thinking or None,
                line=line,
                time=time,
                id=record.uuid,
                model=record.model,
                usage=spent,
                agent_id=agent_id,
            )
        for part in parts:
            call = part.get("functionCall")
            if isinstance(call, dict) and isinstance(call.get("name"), str):
                id_ = call.get("id") if isinstance(call.get("id"), str) else None
                told.call(call["name"], call.get("args"), id=id_, line=line, time=time)
            elif call is not None:
                told.drift.note("tool call without a name", line)

    def _result(self, record: Record, line: int, time: datetime | None) -> None:
        """Mostly one result; what each call is answered with stands in a part of its own."""
        stated = record.tool_call_result or ToolCallResult()
        parts = parts_of(record.message.parts if record.message else None)
        responses = [part for part in parts if isinstance(part.get("functionResponse"), dict)]
        if not responses:
            self._answer(stated.call_id, stated, parts, line, time)
        for part in responses:
            id_ = part["functionResponse"].get("id")
            others = [one for one in parts if one not in responses] if len(responses) == 1 else []
            self._answer(
                id_ if isinstance(id_, str) else stated.call_id, stated, [part, *others], line, time
            )

    def _answer(
        self,
        id_: str | None,
        stated: ToolCallResult,
        parts: list[dict[str, Any]],
        line: int,
        time: datetime | None,
    ) -> None:
        call = self._told.waiting(id_)
        if call is None:
            self._told.drift.note("result of an unknown call", line)
            return
        output = output_of(parts)
        if output is None and isinstance(stated.result_display, str):
            output = stated.result_display
        ended_as = outcome(stated.status, output or "", is_shell=call.kind == "shell")
        if ended_as is not None:
            self._told.answer(
                call,
                output,
                status=ended_as.status,
                exit_code=ended_as.exit_code,
                time=time,
            )

    def _system(self, record: Record, line: int, time: datetime | None) -> None:
        told, payload = self._told, record.system_payload or Payload()
        if record.subtype == _TITLE and payload.custom_title:
            told.title = payload.custom_title
        elif record.subtype == _COMPRESSION:
            told.left_out["compaction"] += 1
        elif record.subtype == _SLASH and payload.raw_command and not payload.sent_to_model:
            # One that reached the model is a prompt, and has a record of its own.
            if payload.phase == "invocation":
                command = payload.raw_command
                told.user(command, origin="command", line=line, time=time, id=record.uuid)
            else:
                told.left_out["output of a command"] += 1
        elif payload.raw_command and record.subtype != _SLASH:
            told.drift.note(f"system record {shown(record.subtype)}", line)


def told_of(path: Path, *, include_subagents: bool = False) -> Told:
    """The conversation, and the side chains of sub-agents if wanted."""
    told = Told(Drift(), PROVIDER)
    tree, sides = _tree(path, told)
    again = Drift()
    teller = Teller(told)
    with RecordFile(path, Record, again) as file:
        for line, record in _records(file, tree.path()):
            teller.record(record, line)
        for _, record in _records(file, tree.given_up_places()):
            teller.given_up(record)
        for line, record in _records(file, sides if include_subagents else ()):
            teller.record(record, line, agent_id=record.agent_id or "sub-agent")
    if sides and not include_subagents:
        told.left_out["sub-agent record"] = len(sides)
    told.drift.include(again)
    return told


def _records(file: RecordFile[Record], places: Iterable[Place]) -> Iterator[tuple[int, Record]]:
    """The records at these places, one in memory at a time."""
    for place in places:
        yield from file.records_at([place])


def _tree(path: Path, told: Told) -> tuple[Tree, list[Place]]:
    """Which records there are: of the main thread, and on side chains."""
    tree, sides = Tree(), []
    with RecordFile(path, Link, told.drift) as file:
        for place, link in file.records():
            if link.is_sidechain:
                sides.append(place)
            else:
                tree.add(link.uuid, link.parent_uuid, place)
    if tree.orphans:
        told.drift.note("unknown parent", tree.orphans[0], len(tree.orphans))
    if tree.given_up:
        told.left_out["record of another branch"] = tree.given_up
    return tree, sides


def _is_added(part: dict[str, Any]) -> bool:
    text = part.get("text")
    return isinstance(text, str) and text.lstrip().startswith(_ADDED)


def _usage(tokens: Tokens | None) -> Usage | None:
    if tokens is None:
        return None
    return usage(
        prompt=tokens.prompt_token_count,
        cached=tokens.cached_content_token_count,
        candidates=tokens.candidates_token_count,
        thoughts=tokens.thoughts_token_count,
        tool=tokens.tool_use_prompt_token_count,
        total=tokens.total_token_count,
    )
