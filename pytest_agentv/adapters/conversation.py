"""A conversation put together from records in their order: what is said, called and answered.

A message is begun, and gets its texts, calls and results. Messages are put by when there are many:
all but the last at once, which takes less time than one by one. What comes later corrects what is
put by.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 (a struct needs it at run time)
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.adapters.spool import Spool
from pytest_agentv.transcript.model import Attachment, Message, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pytest_agentv.transcript.writing import Written

# Messages are put by in portions of so many bytes of records, but for the last few: of these
# something is most likely to come late.
_PORTION = 3 << 19
_KEPT = 20
# So much of the JSON of messages is kept in memory: most conversations are not so long.
_IN_MEMORY = 32 << 20


class Result(msgspec.Struct, gc=False):
    """What became of a call; the defaults are those of a call nobody answered."""

    # A text; or its JSON, which is then written as it is.
    output: Any = None
    status: str = "unknown"
    exit_code: int | None = None
    duration_ms: int | None = None
    duration_source: str | None = None


_UNANSWERED = Result()
_NO_ARGUMENTS: dict[str, Any] = {}


class OpenCall(msgspec.Struct, gc=False):
    """A call whose result may still come. Once its message is put by, its arguments are gone."""

    id: str | None
    line: int | None
    tool: str
    kind: str
    input: Any
    args: dict[str, Any]
    timestamp: str | None
    # The same as a time, to tell how long the call took.
    called: datetime | None
    result: Result | None = None
    # Where it stands: the message's number, and the call's among its calls.
    number: int = 0
    position: int = 0

    def closed(self) -> ToolCall:
        """The call as it stands. Only what may be corrected is kept of it: it may be long."""
        result = self.result or _UNANSWERED
        call = ToolCall(
            id=self.id,
            line=self.line,
            tool=self.tool,
            kind=self.kind,
            input=self.input,
            args=self.args,
            output=result.output,
            status=result.status,
            exit_code=result.exit_code,
            duration_ms=result.duration_ms,
            duration_source=result.duration_source,
            timestamp=self.timestamp,
        )
        self.input = None
        self.args = _NO_ARGUMENTS
        result.output = None
        return call


class OpenMessage(msgspec.Struct, gc=False):
    """A message that may still get texts, thoughts, calls and attachments."""

    role: str
    line: int | None
    # Bytes of the records it is made from.
    size: int
    id: str | None = None
    origin: str | None = None
    model: str | None = None
    timestamp: str | None = None
    agent_id: str | None = None
    usage: Usage | None = None
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[OpenCall] = []
    attachments: list[Attachment] = []

    def closed(self) -> Message:
        """The message as it stands, which gets nothing more."""
        texts, thoughts, calls = self.texts, self.thoughts, self.calls
        return Message(
            id=self.id,
            line=self.line,
            role=self.role,
            origin=self.origin,
            content=_joined(texts) if texts else "",
            thinking=_joined(thoughts) or None if thoughts else None,
            model=self.model,
            timestamp=self.timestamp,
            usage=self.usage,
            tool_calls=tuple([call.closed() for call in calls]) if calls else (),
            attachments=tuple(self.attachments) if self.attachments else (),
            agent_id=self.agent_id,
        )


class Conversation:
    """The messages of one session, by number in their order.

    ``current`` is the message begun last, None if that was taken back. Every method may raise
    OutputError: a long conversation goes to a temporary file.
    """

    def __init__(self) -> None:
        self.current: OpenMessage | None = None
        self._spool = Spool(_IN_MEMORY)
        # Messages that are not put by, the number of the first, the bytes of their records.
        self._open: list[OpenMessage] = []
        self._first_open = 0
        self._open_size = 0
        self._unanswered: dict[str, OpenCall] = {}
        self._call_ids = RecentIds()

    def __len__(self) -> int:
        return self._first_open + len(self._open)

    def begin(self, message: OpenMessage) -> None:
        """A new message; nothing more is said in those before it."""
        if self._open_size > _PORTION:
            self._put_by_earlier()
        self._open.append(message)
        self._open_size += message.size
        self.current = message

    def call(self, call: OpenCall, *, size: int = 0, is_new: bool = False) -> bool:
        """One more call of the current message; whether its id is new (else it is a copy).

        ``is_new``: it is no copy, though the client may use an id again.
        """
        message = self.current
        if message is None:
            raise LookupError("a call needs a message that was begun")
        call_id = call.id
        if call_id is not None:
            if not self._call_ids.add(call_id) and not is_new:
                return False
            if call.result is None:
                unanswered = self._unanswered
                # The id may be one of a call so long ago that nobody remembers it.
                if call_id in unanswered:
                    del unanswered[call_id]
                unanswered[call_id] = call
        call.number = self._first_open + len(self._open) - 1
        calls = message.calls
        if calls:
            call.position = len(calls)
        calls.append(call)
        if size:
            self.grow(size)
        return True

    def grow(self, size: int) -> None:
        """The current message is made from so many bytes more."""
        self._open_size += size
        if self.current is not None:
            self.current.size += size

    def is_known(self, call_id: str | None) -> bool:
        """Whether there was a call of this id lately, answered or not."""
        return call_id in self._call_ids

    def is_open(self, call: OpenCall) -> bool:
        """Whether a call has its arguments still, and they may be changed."""
        return call.number >= self._first_open

    def unanswered(self, call_id: str | None) -> OpenCall | None:
        """The call that waits for its result."""
        return None if call_id is None else self._unanswered.get(call_id)

    def answer(self, call: OpenCall, result: Result, size: int = 0) -> None:
        """The result of a call that waits for one; it replaces what was known before."""
        call_id = call.id
        if call_id is not None:
            self._unanswered.pop(call_id, None)
        if call.number >= self._first_open:
            call.result = result
            if size:
                self._open[call.number - self._first_open].size += size
                self._open_size += size
        else:
            changes = {name: getattr(result, name) for name in Result.__struct_fields__}
            self._spool.correct_call(call.number, call.position, changes)
            call.result = msgspec.structs.replace(result, output=None)

    def correct(self, call: OpenCall, **changes: Any) -> None:
        """Give fields of a call's result other values: more became known of it."""
        result = msgspec.structs.replace(call.result or _UNANSWERED, **changes)
        if call.number < self._first_open:
            result.output = None
            self._spool.correct_call(call.number, call.position, changes)
        call.result = result

    def truncate(self, count: int) -> None:
        """Keep the first messages only: the others were taken back.

        A call that was taken back must not be answered or corrected any more.
        """
        if count < self._first_open:
            self._spool.truncate(count)
            self._first_open = count
        del self._open[count - self._first_open :]
        # They stand in the order of their messages.
        while self._unanswered and next(reversed(self._unanswered.values())).number >= count:
            self._unanswered.popitem()
        self.current = None

    def finish(self) -> None:
        """Nothing more comes."""
        self._put_by(len(self._open))
        self.current = None
        self._spool.finish()

    def messages(self) -> Iterator[Message]:
        """The messages, after ``finish``."""
        return self._spool.messages()

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the messages as JSON, joined by commas, after ``finish``."""
        return self._spool.write_messages(file)

    def _put_by(self, count: int) -> None:
        """Put the first open messages by."""
        self._spool.extend([message.closed() for message in self._open[:count]])
        self._first_open += count
        del self._open[:count]

    def _put_by_earlier(self) -> None:
        """Put all by but the last few, unless they are long."""
        kept = size = 0
        for message in reversed(self._open):
            if kept == _KEPT or size + message.size > _PORTION // 2:
                break
            kept += 1
            size += message.size
        self._put_by(len(self._open) - kept)
        self._open_size = size


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "\n\n".join(filter(None, texts))
