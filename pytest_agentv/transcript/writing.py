"""Writing transcripts as JSON lines: the same bytes for the same session, streamed or whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from pytest_agentv.transcript.model import SCHEMA_VERSION
from pytest_agentv.transcript.stream import TAIL_FIELDS

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable

    from pytest_agentv.transcript.model import Message, Transcript
    from pytest_agentv.transcript.stream import SessionStream, Tail

_encoder = msgspec.json.Encoder()
_encode, _encode_into = _encoder.encode, _encoder.encode_into

# So much is collected before it is written: messages are many and small.
_BUFFER = 1 << 18


class Written(NamedTuple):
    """How much was written of a session."""

    messages: int
    tool_calls: int


@runtime_checkable
class WritesMessages(Protocol):
    """A stream that has its messages as JSON already, and need not make them again."""

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the messages in order, joined by commas."""


def write_stream(file: BinaryIO, stream: SessionStream, *, test_id: str | None = None) -> Written:
    """Write one session as one line, message by message."""
    head = stream.head
    file.write(
        b'{"schema_version":%b,"test_id":%b,"source":%b,"input":%b,"output":['
        % (
            _encode(SCHEMA_VERSION),
            _encode(head.test_id if test_id is None else test_id),
            _encode(head.source),
            _encode(head.input),
        )
    )
    if isinstance(stream, WritesMessages):
        written = stream.write_messages(file)
    else:
        written = write_messages(file, stream.messages())
    tail = stream.tail
    last = _encode({name: getattr(tail, name) for name in TAIL_FIELDS} | _sorted_counts(tail))
    file.write(b"]," + last[1:] + b"\n")
    return written


def write_messages(
    file: BinaryIO, conversation: Iterable[Message], *, ends: array[int] | None = None
) -> Written:
    """Write messages as JSON, joined by commas; to ``ends`` is added where each ends."""
    messages = tool_calls = size = 0
    buffer = bytearray()
    for message in conversation:
        if messages:
            buffer += b","
        _encode_into(message, buffer, -1)
        messages += 1
        tool_calls += len(message.tool_calls)
        if ends is not None:
            ends.append(size + len(buffer))
        if len(buffer) > _BUFFER:
            size += len(buffer)
            file.write(buffer)
            buffer.clear()
    file.write(buffer)
    return Written(messages, tool_calls)


def dumps(transcript: Transcript) -> bytes:
    """One transcript as one line, newline included; the same bytes as ``write_stream``.

    Only outputs that a stream leaves as JSON keep escapes that nobody needs, where they have any.
    """
    if transcript.schema_version != SCHEMA_VERSION or transcript.drift or transcript.left_out:
        counts = _sorted_counts(transcript)
        transcript = replace(transcript, schema_version=SCHEMA_VERSION, **counts)
    return _encode(transcript) + b"\n"


def _sorted_counts(of: Tail | Transcript) -> dict[str, dict[str, int]]:
    return {
        "drift": dict(sorted(of.drift.items())),
        "left_out": dict(sorted(of.left_out.items())),
    }
