"""Messages from the records that make them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.claude import PROVIDER
from pytest_agentv.adapters.claude.prompts import (
    COMMAND,
    HUMAN,
    INJECTED,
    SLASH,
    prompts_of,
    text_of,
)
from pytest_agentv.adapters.claude.records import ToolUseResult
from pytest_agentv.adapters.claude.results import (
    attachment_of,
    duration_of,
    goes_on,
    output_of,
    status_of,
)
from pytest_agentv.adapters.claude.thread import Entry
from pytest_agentv.adapters.claude.usage import largest, usage_of
from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.records import shown
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Attachment, Message, ToolCall
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.adapters.claude.records import (
        Block,
        Record,
        UsageRecord,
    )
    from pytest_agentv.adapters.records import Drift

_ATTACHED = ("image", "document")
# A thought we may not read, a note of a change of model.
_NOTHING_TO_KEEP = ("redacted_thinking", "fallback")
_NOTHING_NOTED = ToolUseResult()


class Surroundings:
    """What lies beside a session: outputs moved to files of their own, and sub-agents."""

    def __init__(
        self, persisted: Callable[[str], str | None], spawned: Callable[[str, str], None]
    ) -> None:
        """``persisted`` finds an output's whole text, ``spawned`` is told agent and call id."""
        self.persisted = persisted
        self.spawned = spawned


class Response:
    """One response of the model, put together from its records; repeated blocks count once."""

    __slots__ = (
        "_calls",
        "_first",
        "_line",
        "_others",
        "_results",
        "_texts",
        "_thoughts",
        "finished",
        "size",
        "usage",
    )

    def __init__(self, line: int, first: Record) -> None:
        self.usage: UsageRecord | None = None
        self.finished = False
        self.size = 0
        self._line = line
        self._first = first
        self._texts: dict[str | None, None] = {}
        self._thoughts: dict[str | None, None] = {}
        self._calls: dict[str, tuple[int, Record, Block]] = {}
        self._results: dict[str | None, tuple[Record, Block]] = {}
        self._others: list[tuple[int, Block]] = []

    @property
    def is_complete(self) -> bool:
        """Whether all its calls have results."""
        return len(self._results) >= len(self._calls)

    def take_results(self, record: Record) -> None:
        """A record with results of its calls, maybe of others' as well."""
        if record.message is not None and isinstance(record.message.content, list):
            for block in record.message.content:
                if block.type == "tool_result" and block.tool_use_id in self._calls:
                    self._results.setdefault(block.tool_use_id, (record, block))

    def take(self, line: int, record: Record) -> None:
        """A record of the response itself."""
        message = record.message
        if message is None:
            return
        if message.usage is not None:
            self.usage = largest(self.usage, message.usage)
        if message.stop_reason is not None:
            self.finished = True
        if not isinstance(message.content, list):
            self._texts[message.content] = None
            return
        for block in message.content:
            kind = block.type
            if kind == "tool_use":
                key = block.id or f"{line} {len(self._calls)}"
                self._calls.setdefault(key, (line, record, block))
            elif kind == "text":
                self._texts[block.text] = None
            elif kind == "thinking":
                self._thoughts[block.thinking] = None
            else:
                self._others.append((line, block))

    def message(self, around: Surroundings, drift: Drift) -> Message:
        """The message."""
        first = self._first
        said = first.message
        attachments = self._attachments(drift) if self._others else []
        calls = []
        for call in self._calls.values():
            line, record, block = call
            result = self._results.get(block.id)
            if too_deep(block.input):
                drift.note("tool input nested too deep", line)
                block.input = None
            if result is None:
                calls.append(_unanswered(line, record, block))
                continue
            output: str | None = result[1].content
            if type(output) is not str:
                output, described = output_of(result[1].content, block.id)
                attachments += described
            calls.append(_answered(call, result, output, around))
        return Message(
            id=(said.id if said is not None else None) or first.uuid,
            line=self._line,
            role="assistant",
            content="\n\n".join(filter(None, self._texts)),
            thinking="\n\n".join(filter(None, self._thoughts)) or None,
            model=said.model if said is not None else None,
            timestamp=timestamp(first.timestamp),
            usage=None if self.usage is None else usage_of(self.usage),
            tool_calls=tuple(calls),
            attachments=tuple(attachments),
        )

    def _attachments(self, drift: Drift) -> list[Attachment]:
        attachments = []
        for line, block in self._others:
            if block.type in _ATTACHED:
                attachments.append(attachment_of(block.type, block.source))
            elif block.type not in _NOTHING_TO_KEEP:
                drift.note(f"content block {shown(block.type)}", line)
        return attachments


def _unanswered(line: int, record: Record, block: Block) -> ToolCall:
    kind, args = describe(block.name or "", block.input, PROVIDER)
    return ToolCall(
        id=block.id,
        line=line,
        tool=block.name or "",
        kind=kind,
        input=block.input,
        args=args,
        timestamp=timestamp(record.timestamp),
    )


def _answered(
    call: tuple[int, Record, Block],
    result: tuple[Record, Block],
    output: str,
    around: Surroundings,
) -> ToolCall:
    line, record, block = call
    kind, args = describe(block.name or "", block.input, PROVIDER)
    answer, answer_block = result
    noted = answer.tool_use_result
    if not isinstance(noted, ToolUseResult):
        noted = _NOTHING_NOTED
    status, exit_code = status_of(answer_block, answer, noted, output)
    duration, clock = duration_of(noted, record.timestamp, answer.timestamp)
    if kind == "shell" and status == "ok" and goes_on(noted, output):
        status, duration, clock = "unknown", None, None
    if noted.persisted_output_path is not None:
        output = around.persisted(noted.persisted_output_path) or output
    if noted.agent_id is not None and block.id is not None:
        around.spawned(noted.agent_id, block.id)
    return ToolCall(
        id=block.id,
        line=line,
        tool=block.name or "",
        kind=kind,
        input=block.input,
        args=args,
        output=output,
        status=status,
        exit_code=exit_code,
        duration_ms=duration,
        duration_source=clock,
        timestamp=timestamp(record.timestamp),
    )


def single_messages(entry: Entry, line: int, record: Record) -> list[Message]:
    """The message of one record; some hold two: what an editor injected, and what was typed."""
    if entry == Entry.QUEUED:
        said = record.attachment.prompt if record.attachment is not None else record.content
        mode = record.attachment.command_mode if record.attachment is not None else None
        kind = Entry.INJECTED if mode == "task-notification" else Entry.USER
        return _prompt_messages(line, record, [text_of(said)], kind, [])
    if entry == Entry.LOCAL_COMMAND:
        return [_message(line, record, "user", COMMAND, text_of(record.content))]
    content = record.message.content if record.message is not None else None
    texts = [content] if isinstance(content, str) else []
    attachments = []
    for block in content if isinstance(content, list) else []:
        if block.type == "text" and block.text is not None:
            texts.append(block.text)
        elif block.type != "tool_result" and block.type is not None:
            attachments.append(attachment_of(block.type, block.source, name=block.title))
    if entry == Entry.API_ERROR:
        return [_message(line, record, "system", None, "\n".join(texts))]
    return _prompt_messages(line, record, texts, entry, attachments)


def _prompt_messages(
    line: int, record: Record, texts: list[str], entry: Entry, attachments: list[Attachment]
) -> list[Message]:
    prompts = prompts_of(texts, injected=entry == Entry.INJECTED)
    if not prompts:
        # An origin speaks of a text; an image alone was neither typed nor injected as one.
        origin = INJECTED if entry == Entry.INJECTED else None
        return (
            [_message(line, record, "user", origin, "", attachments=attachments)]
            if attachments
            else []
        )
    messages = [
        _message(line, record, "user", _origin(origin, entry), text)
        for origin, text in prompts[:-1]
    ]
    origin, text = prompts[-1]
    return [
        *messages,
        _message(line, record, "user", _origin(origin, entry), text, attachments=attachments),
    ]


def _origin(origin: str, entry: Entry) -> str:
    if origin == SLASH:
        return COMMAND if entry == Entry.SLASH_LOCAL else HUMAN
    return origin


def _message(
    line: int,
    record: Record,
    role: str,
    origin: str | None,
    content: str,
    *,
    attachments: list[Attachment] | None = None,
) -> Message:
    return Message(
        id=record.uuid,
        line=line,
        role=role,
        origin=origin,
        content=content,
        timestamp=timestamp(record.timestamp),
        attachments=tuple(attachments or ()),
    )
