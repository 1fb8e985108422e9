"""Messages from the records that make them up."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import Raw

from pytest_agentv.adapters.claude import PROVIDER
from pytest_agentv.adapters.claude.prompts import (
    COMMAND,
    HUMAN,
    INJECTED,
    SLASH,
    echo_text,
    prompts_of,
    text_of,
)
from pytest_agentv.adapters.claude.records import Block, Record, ToolUseResult, UsageRecord
from pytest_agentv.adapters.claude.results import (
    attachment_of,
    content_of,
    duration_of,
    goes_on,
    output_of,
    status_of_error,
)
from pytest_agentv.adapters.claude.thread import Entry
from pytest_agentv.adapters.claude.usage import largest, usage_of
from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.values import blocks_of
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Attachment, Message, ToolCall
from pytest_agentv.transcript.tools import tool_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.adapters.records import Drift
    from pytest_agentv.transcript.tools.table import Description

# A call or its result: the line, the record and the block that hold it.
_Held: TypeAlias = tuple[int, Record, Block]

_ATTACHED = ("image", "document")
# A thought we may not read, a note of a change of model.
NOTHING_TO_KEEP = ("redacted_thinking", "fallback")
_NOTHING_NOTED = ToolUseResult()


class Surroundings:
    """What lies beside a session: outputs moved to files of their own, and sub-agents."""

    def __init__(
        self, persisted: Callable[[str], str | None], spawned: Callable[[str, str], None]
    ) -> None:
        """``persisted`` finds an output's whole text, ``spawned`` is told agent and call id."""
        self.persisted = persisted
        self.spawned = spawned


class Response(msgspec.Struct, gc=False):
    """One response of the model, put together from its records; repeated blocks count once."""

    line: int
    first: Record
    # Bytes of its records, and of those of its results.
    size: int = 0
    # Whether a record says how it ended.
    finished: bool = False
    usage: UsageRecord | None = None
    texts: list[str | None] = []
    thoughts: list[str | None] = []
    others: list[tuple[int, Block]] = []
    calls: dict[str, _Held] = {}
    results: dict[str | None, _Held] = {}

    def take(self, line: int, record: Record) -> list[str]:
        """A record of the response itself; return the ids of its calls."""
        ids: list[str] = []
        said = record.message
        if said is None:
            return ids
        usage = said.usage
        if usage is not None:
            self.usage = usage if self.usage is None else largest(self.usage, usage)
        if said.stop_reason is not None:
            self.finished = True
        content = said.content
        if type(content) is not list:
            self.texts.append(content)  # type: ignore[arg-type]
            return ids
        for block in content:
            kind = block.type
            if kind == "tool_use":
                calls = self.calls
                calls.setdefault(block.id or f"{line} {len(calls)}", (line, record, block))
                if block.id is not None:
                    ids.append(block.id)
            elif kind == "text":
                self.texts.append(block.text)
            elif kind == "thinking":
                self.thoughts.append(block.thinking)
            else:
                self.others.append((line, block))
        return ids

    @property
    def is_complete(self) -> bool:
        """Whether all its calls have results."""
        return len(self.results) >= len(self.calls)

    @property
    def is_composed(self) -> bool:
        """Whether several texts or thoughts become one."""
        return len(self.texts) > 1 or len(self.thoughts) > 1

    def take_results(self, line: int, record: Record) -> None:
        """A record with results of its calls, maybe of others' as well."""
        message = record.message
        if message is None or not isinstance(message.content, list):
            return
        for block in message.content:
            if block.type == "tool_result":
                self.take_result(line, record, block)

    def take_result(self, line: int, record: Record, block: Block) -> None:
        """A result, if it is one of its calls'."""
        if block.tool_use_id in self.calls:
            self.results.setdefault(block.tool_use_id, (line, record, block))

    def message(self, around: Surroundings, drift: Drift) -> Message:
        """The message."""
        texts, thoughts, usage = self.texts, self.thoughts, self.usage
        attachments = _attachments(self.others, drift) if self.others else []
        calls = [self._tool_call(call, around, drift, attachments) for call in self.calls.values()]
        first = self.first
        said = first.message
        return Message(
            id=(said.id if said is not None else None) or first.uuid,
            line=self.line,
            role="assistant",
            content=_joined(texts) if texts else "",
            thinking=_joined(thoughts) or None if thoughts else None,
            model=said.model if said is not None else None,
            timestamp=timestamp(first.timestamp),
            usage=None if usage is None else usage_of(usage),
            tool_calls=tuple(calls),
            attachments=tuple(attachments),
        )

    def _tool_call(
        self, call: _Held, around: Surroundings, drift: Drift, attachments: list[Attachment]
    ) -> ToolCall:
        """A call with its result; to ``attachments`` is added what the result holds."""
        line, record, block = call
        arguments = block.input
        if too_deep(arguments):
            drift.note("tool input nested too deep", line)
            arguments = None
        tool = block.name or ""
        kind, args = _described(tool)(arguments)
        output: Any = None
        status = "unknown"
        exit_code = duration = clock = None
        result = self.results.get(block.id)
        if result is not None:
            answer_line, answer, answer_block = result
            output = content_of(answer_block, drift, answer_line)
            if type(output) is not str and type(output) is not Raw:
                output, described = output_of(output, block.id)
                attachments += described
            noted = answer.tool_use_result
            if type(noted) is not ToolUseResult:
                noted = _NOTHING_NOTED
            if answer_block.is_error:
                status, exit_code = status_of_error(answer, noted, output)
            else:
                status = "cancelled" if noted.interrupted else "ok"
            if kind == "shell" and status == "ok" and goes_on(noted, output):
                status = "unknown"
            else:
                duration, clock = duration_of(noted, record.timestamp, answer.timestamp)
            if noted.persisted_output_path is not None:
                output = around.persisted(noted.persisted_output_path) or output
            if noted.agent_id is not None and block.id is not None:
                around.spawned(noted.agent_id, block.id)
        return ToolCall(
            id=block.id,
            line=line,
            tool=tool,
            kind=kind,
            input=arguments,
            args=args,
            output=output,
            status=status,
            exit_code=exit_code,
            duration_ms=duration,
            duration_source=clock,
            timestamp=timestamp(record.timestamp),
        )


@lru_cache(maxsize=1000)
def _described(tool: str) -> Callable[[Any], Description]:
    """What tells kind and canonical arguments of a tool's calls."""
    return tool_of(tool, PROVIDER).described


def _joined(texts: list[str | None]) -> str:
    """Texts that are not empty, each of them once."""
    if len(texts) == 1:
        return texts[0] or ""
    return "\n\n".join(filter(None, dict.fromkeys(texts)))


def _attachments(others: list[tuple[int, Block]], drift: Drift) -> list[Attachment]:
    attachments = []
    for line, block in others:
        if block.type in _ATTACHED:
            attachments.append(attachment_of(block.type, block.source))
        elif block.type not in NOTHING_TO_KEEP:
            drift.note(f"content block {shown(block.type)}", line)
    return attachments


def single_messages(entry: Entry, line: int, record: Record) -> list[Message]:
    """The message of one record; some hold two: what an editor injected, and what was typed."""
    if entry == Entry.QUEUED:
        said = record.attachment.prompt if record.attachment is not None else record.content
        mode = record.attachment.command_mode if record.attachment is not None else None
        kind = Entry.INJECTED if mode == "task-notification" else Entry.USER
        return _prompt_messages(line, record, [text_of(said)], kind, _attached_to(said))
    if entry == Entry.LOCAL_COMMAND:
        return [_message(line, record, "user", COMMAND, echo_text(text_of(record.content)))]
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


def _attached_to(prompt: Any) -> list[Attachment]:
    """Images and documents of a prompt that was queued, from its blocks as plain JSON."""
    return [
        attachment_of(kind, block.get("source"), name=_title_of(block))
        for block in blocks_of(prompt)
        if isinstance(kind := block.get("type"), str) and kind != "text"
    ]


def _title_of(block: dict[str, Any]) -> str | None:
    title = block.get("title")
    return title if isinstance(title, str) else None


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
