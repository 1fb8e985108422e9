"""A transcript as a stream out of its line in a file: message by message, however long it is.

Only the own form is cut apart here. Where anything is not as we write it, the whole line is read:
that road repairs what can be repaired, and knows what is wrong with the rest.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from pytest_agentv.files import open_regular
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Message
from pytest_agentv.transcript.stream import Tail, TranscriptStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_agentv.transcript.model import Transcript
    from pytest_agentv.transcript.stream import Head

# How much is read at once, at least.
CHUNK = 1 << 18
# Whole strings and what is no bracket: all that stands before the next bracket.
_BEFORE_BRACKET = re.compile(
    rb'[^"{}\[\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"{}\[\]]*)*', re.DOTALL
).match
_QUOTE = ord('"')
_OPENING = frozenset(b"{[")
_BLANK = b" \t\r\n"

_decode_message = msgspec.json.Decoder(Message).decode
_decode_tail = msgspec.json.Decoder(Tail).decode


class _NotAsWritten(Exception):
    """The line is not in the form that we write."""


class LineStream:
    """One transcript of a file in the own form, as a stream."""

    def __init__(
        self, path: Path, head: Head, *, start: int, end: int, whole: Callable[[], Transcript]
    ) -> None:
        """``start`` is where the messages begin in the file, ``end`` where the line ends."""
        self._path = path
        self._head = head
        self._start, self._end = start, end
        self._whole = whole
        self._tail = Tail()

    @property
    def head(self) -> Head:
        """Source, first prompt and test id."""
        return self._head

    @property
    def tail(self) -> Tail:
        """Everything that follows the conversation, once that was read."""
        return self._tail

    def messages(self) -> Iterator[Message]:
        """The conversation."""
        count = 0
        with open_regular(self._path) as file:
            file.seek(self._start)
            written = _OpenList(file, self._end - self._start)
            try:
                for element in written.elements():
                    yield _message(element)
                    count += 1
                self._tail = _tail(written.rest())
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, _NotAsWritten):
                is_read = False
            else:
                is_read = True
        if not is_read:
            stream = TranscriptStream(self._whole())
            yield from islice(stream.messages(), count, None)
            self._tail = stream.tail


class _OpenList:
    """A list of objects in JSON, of which a part is held at a time: no more than one of them."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size
        self._held = b""
        # What is looked at next.
        self._position = 0

    def elements(self) -> Iterator[bytes]:
        """The objects, up to the end of the list."""
        depth = start = between = 0
        separator = b""
        while True:
            found = _BEFORE_BRACKET(self._held, self._position)
            place = found.end() if found else self._position
            if place == len(self._held) or self._held[place] == _QUOTE:
                # What is read stays, from the beginning of the object or of what is before it.
                kept = start if depth else between
                self._read_on(kept)
                start, between = start - kept, between - kept
                continue
            self._position = place + 1
            if self._held[place] in _OPENING:
                if not depth:
                    start = place
                    self._expect(self._held[between:place], separator)
                depth += 1
                continue
            depth -= 1
            if depth < 0:
                self._expect(self._held[between:place], b"")
                return
            if not depth:
                yield self._held[start : self._position]
                between, separator = self._position, b","

    def rest(self) -> bytes:
        """What follows the list."""
        return self._held[self._position :] + self._file.read(self._left)

    def _read_on(self, kept: int) -> None:
        more = self._file.read(min(max(CHUNK, len(self._held) - kept), self._left))
        if not more:
            raise _NotAsWritten
        self._left -= len(more)
        self._held = self._held[kept:] + more
        self._position -= kept

    def _expect(self, found: bytes, expected: bytes) -> None:
        if found.strip(_BLANK) != expected:
            raise _NotAsWritten


def _message(raw: bytes) -> Message:
    message = _decode_message(raw)
    if any(too_deep(call.input) or too_deep(call.args) for call in message.tool_calls):
        raise _NotAsWritten
    return message


def _tail(raw: bytes) -> Tail:
    return _decode_tail(b"{" + raw.strip(_BLANK).removeprefix(b","))
