"""The second pass: one message from the records that make it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.claude.prompts import (
    COMMAND,
    HUMAN,
    INJECTED,
    SLASH,
    prompts_of,
    text_of,
)
from pytest_agentv.adapters.claude.records import MessageRecord, ToolUseResult
from pytest_agentv.adapters.claude.results import (
    attachment_of,
    duration_of,
    output_of,
    status_of,
)
from pytest_agentv.adapters.claude.thread import Entry
from pytest_agentv.adapters.claude.usage import Totals, largest, usage_of
from pytest_agentv.adapters.clock import normalized
from pytest_agentv.adapters.records import shown
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Attachment, Message, ToolCall
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_agentv.adapters.claude.records import Block, BlockMessage, UsageRecord
    from pytest_agentv.adapters.claude.thread import Thread
    from pytest_agentv.adapters.records import Drift, Place, RecordFile

PROVIDER = "claude-cli"


class MessageBuilder:
    """Makes messages from places in a session file, and adds up their tokens."""

    def __init__(
        self,
        file: RecordFile[MessageRecord],
        *,
        persisted: Callable[[str], str | None],
        spawned: Callable[[str, str], None],
    ) -> None:
        """``persisted`` finds an output's whole text, ``spawned`` is told agent and call id."""
        self.totals = Totals()
        self._file = file
        self._persisted = persisted
        self._spawned = spawned

    def conversation(self, thread: Thread) -> Iterator[Message]:
        """All messages of a thread, in order."""
        for entry, places in thread.messages():
            yield from self.messages(entry, places)

    def messages(self, entry: Entry, places: list[Place]) -> list[Message]:
        """The message of an entry; one record may hold two: injected text and a typed one."""
        record_at = self._file.record_at
        records = []
        for place in places:
            record = record_at(place)
            if record is None or record.type is None:
                self._file.drift.note("record changed while it was read", place[2])
            else:
                records.append((place[2], record))
        if not records:
            return []
        if entry == Entry.RESPONSE:
            return [self._response(records)]
        line, record = records[0]
        if entry == Entry.QUEUED:
            return _queued(line, record)
        if entry in (Entry.API_ERROR, Entry.LOCAL_COMMAND):
            return [_noted(line, record, entry)]
        return _user(line, record, entry)

    def _response(self, records: list[tuple[int, MessageRecord]]) -> Message:
        response = _Response(self._file.drift)
        for line, record in records:
            if record.message is None:
                continue
            if record.type == "assistant":
                response.take(line, record, record.message)
            else:
                response.take_results(record, record.message)
        usage = None if response.usage is None else usage_of(response.usage)
        if usage is not None:
            self.totals.add(usage, complete=response.finished)
        calls = tuple(
            self._call(line, record, block, response)
            for line, record, block in response.calls.values()
        )
        first_line, first = records[0]
        said = first.message
        return Message(
            id=(said.id if said is not None else None) or first.uuid,
            line=first_line,
            role="assistant",
            content="\n\n".join(response.texts),
            thinking="\n\n".join(response.thoughts) or None,
            model=said.model if said is not None else None,
            timestamp=normalized(first.timestamp),
            usage=usage,
            tool_calls=calls,
            attachments=tuple(response.attachments),
        )

    def _call(
        self,
        line: int,
        record: MessageRecord,
        block: Block,
        response: _Response,
    ) -> ToolCall:
        tool = block.name or ""
        native = block.input
        if too_deep(native):
            self._file.drift.note("tool input nested too deep", line)
            native = None
        kind, args = describe(tool, native, PROVIDER)
        output = exit_code = duration = clock = None
        status = "unknown"
        result = response.results.get(block.id)
        if result is not None:
            answer, answer_block = result
            noted = answer.tool_use_result
            if not isinstance(noted, ToolUseResult):
                noted = _NOTHING_NOTED
            output, described = output_of(answer_block.content, block.id)
            if described:
                response.attachments += described
            status, exit_code = status_of(answer_block, answer, noted, output)
            duration, clock = duration_of(noted, record.timestamp, answer.timestamp)
            if noted.persisted_output_path is not None:
                output = self._persisted(noted.persisted_output_path) or output
            if noted.agent_id is not None and block.id is not None:
                self._spawned(noted.agent_id, block.id)
        return ToolCall(
            id=block.id,
            line=line,
            tool=tool,
            kind=kind,
            input=native,
            args=args,
            output=output,
            status=status,
            exit_code=exit_code,
            duration_ms=duration,
            duration_source=clock,
            timestamp=normalized(record.timestamp),
        )


_NOTHING_NOTED = ToolUseResult()


class _Response:
    """One response of the model, put together from its records; repeated blocks count once."""

    __slots__ = (
        "attachments",
        "calls",
        "drift",
        "finished",
        "results",
        "texts",
        "thoughts",
        "usage",
    )

    def __init__(self, drift: Drift) -> None:
        self.texts: dict[str, None] = {}
        self.thoughts: dict[str, None] = {}
        self.calls: dict[str, tuple[int, MessageRecord, Block]] = {}
        self.results: dict[str | None, tuple[MessageRecord, Block]] = {}
        self.attachments: list[Attachment] = []
        self.usage: UsageRecord | None = None
        self.finished = False
        self.drift = drift

    def take(self, line: int, record: MessageRecord, message: BlockMessage) -> None:
        """A record of the response itself."""
        if message.usage is not None:
            self.usage = largest(self.usage, message.usage)
        if message.stop_reason is not None:
            self.finished = True
        content = message.content
        if not isinstance(content, list):
            if content:
                self.texts[content] = None
            return
        for block in content:
            kind = block.type
            if kind == "tool_use":
                self.calls.setdefault(block.id or f"{line}", (line, record, block))
            elif kind == "text" and block.text:
                self.texts[block.text] = None
            elif kind == "thinking" and block.thinking:
                self.thoughts[block.thinking] = None
            else:
                self._take_other(line, block)

    def _take_other(self, line: int, block: Block) -> None:
        if block.type in ("image", "document"):
            self.attachments.append(attachment_of(block.type, block.source))
        elif block.type not in _EMPTY_BLOCKS:
            self.drift.note(f"content block {shown(block.type)}", line)

    def take_results(self, record: MessageRecord, message: BlockMessage) -> None:
        """A record with results of the response's calls."""
        if isinstance(message.content, list):
            for block in message.content:
                if block.type == "tool_result":
                    self.results.setdefault(block.tool_use_id, (record, block))


# Blocks that carry nothing to keep: a thought we may not read, a note of a change of model.
_EMPTY_BLOCKS = frozenset({"text", "thinking", "redacted_thinking", "fallback"})


def _user(line: int, record: MessageRecord, entry: Entry) -> list[Message]:
    content = record.message.content if record.message is not None else None
    texts = [content] if isinstance(content, str) else []
    attachments = []
    for block in content if isinstance(content, list) else []:
        if block.type == "text" and block.text is not None:
            texts.append(block.text)
        elif block.type != "tool_result" and block.type is not None:
            attachments.append(attachment_of(block.type, block.source, name=block.title))
    prompts = prompts_of(texts, injected=entry == Entry.INJECTED)
    messages = [
        Message(
            id=record.uuid,
            line=line,
            role="user",
            origin=_origin(prompt.origin, entry),
            content=prompt.text,
            timestamp=normalized(record.timestamp),
            attachments=tuple(attachments) if prompt is prompts[-1] else (),
        )
        for prompt in prompts
    ]
    if messages or not attachments:
        return messages
    return [
        Message(
            id=record.uuid,
            line=line,
            role="user",
            # An origin speaks of a text; an image alone was neither typed nor injected as one.
            origin=INJECTED if entry == Entry.INJECTED else None,
            timestamp=normalized(record.timestamp),
            attachments=tuple(attachments),
        )
    ]


def _origin(origin: str, entry: Entry) -> str:
    if origin == SLASH:
        return COMMAND if entry == Entry.SLASH_LOCAL else HUMAN
    return origin


def _queued(line: int, record: MessageRecord) -> list[Message]:
    said = record.attachment.prompt if record.attachment is not None else record.content
    prompts = prompts_of([text_of(said)], injected=False)
    return [
        Message(
            id=record.uuid,
            line=line,
            role="user",
            origin=HUMAN if prompt.origin == SLASH else prompt.origin,
            content=prompt.text,
            timestamp=normalized(record.timestamp),
        )
        for prompt in prompts
    ]


def _noted(line: int, record: MessageRecord, entry: Entry) -> Message:
    """Something the client noted in the conversation: an API error, a local command's echo."""
    if entry == Entry.API_ERROR:
        content = record.message.content if record.message is not None else None
        texts = [block.text or "" for block in content] if isinstance(content, list) else [content]
        text, role, origin = "\n".join(part or "" for part in texts), "system", None
    else:
        text, role, origin = text_of(record.content), "user", COMMAND
    return Message(
        id=record.uuid,
        line=line,
        role=role,
        origin=origin,
        content=text,
        timestamp=normalized(record.timestamp),
    )
