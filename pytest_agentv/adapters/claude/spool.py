"""Messages made while a session is scanned, kept in a temporary file until their order is known.

Which messages a conversation has is known only at its end: a branch may turn out abandoned, a
record may be repeated, a result may come late. Nearly always nothing of that happens, so each
message is made as soon as it seems complete and written to this file; decoding every record a
second time would cost as much as the rest of an import. A message that turns out otherwise is
forgotten here and made again from its records. Without a temporary file all of them are.
"""

from __future__ import annotations

import tempfile
import weakref
from array import array
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pytest_agentv.adapters.claude.messages import Response, single_messages
from pytest_agentv.adapters.claude.usage import Totals
from pytest_agentv.transcript.model import Message

if TYPE_CHECKING:
    from typing import IO

    from pytest_agentv.adapters.claude.messages import Surroundings
    from pytest_agentv.adapters.claude.records import Record
    from pytest_agentv.adapters.claude.thread import Entry
    from pytest_agentv.adapters.records import Drift, Place

# A call may wait for its result while other responses come and go: agents run in the background.
_MAX_OPEN = 16
_MAX_OPEN_BYTES = 8 << 20
_BUFFER = 1 << 18

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[Message]).decode


class Stored(NamedTuple):
    """What an entry of a thread says: its messages as JSON, joined by commas."""

    text: bytes
    messages: int
    tool_calls: int

    def decoded(self) -> list[Message]:
        """The messages."""
        return _decode(b"[%b]" % self.text)


def stored(messages: list[Message]) -> Stored:
    """Messages in the form they are stored in."""
    text = _encode(messages[0]) if len(messages) == 1 else b",".join(map(_encode, messages))
    return Stored(text, len(messages), sum(len(one.tool_calls) for one in messages))


def stored_one(message: Message) -> Stored:
    """One message in that form."""
    return stored([message])


class MessageSpool:
    """The messages of one thread, each made once its records seem to be all there."""

    def __init__(self, around: Surroundings, drift: Drift) -> None:
        self.totals = Totals()
        self._around = around
        self._drift = drift
        self._open: dict[int, Response] = {}
        self._open_bytes = 0
        self._forgotten: set[int] = set()
        # By number of a message: where it is stored, and whether; 0 messages are none.
        self._starts = array("Q")
        self._lengths = array("I")
        self._tool_calls = array("I")
        self._messages = bytearray()
        self._finished = bytearray()
        self._end = 0
        self._file: IO[bytes] | None = None
        try:
            self._file = tempfile.TemporaryFile(buffering=_BUFFER)  # noqa: SIM115 (outlives this)
        except OSError:
            return
        weakref.finalize(self, self._file.close)

    def take(self, number: int, place: Place, record: Record) -> None:
        """A record of a response."""
        response = self._open.get(number)
        if response is None:
            if self._is_late(number):
                return
            self._close_answered()
            response = self._open[number] = Response(place[2], record)
        self._open_bytes += place[1]
        response.take(place[2], record)

    def take_results(self, number: int, place: Place, record: Record) -> None:
        """A record with results of a response's calls."""
        response = self._open.get(number)
        if response is None:
            self._is_late(number)
            return
        self._open_bytes += place[1]
        response.take_results(record)

    def take_single(self, number: int, entry: Entry, place: Place, record: Record) -> None:
        """A record that is a message by itself."""
        self._store(number, single_messages(entry, place[2], record))

    def forget(self, number: int) -> None:
        """A message is not what it seemed; it will have to be made again."""
        self._forgotten.add(number)
        self._open.pop(number, None)
        found = self.stored(number)
        if found is None:
            return
        for message in found.decoded():
            if message.usage is not None:
                self.totals.remove(message.usage, complete=bool(self._finished[number]))
        self._messages[number] = 0

    def finish(self) -> None:
        """There are no more records."""
        for number in list(self._open):
            self._close(number)

    def stored(self, number: int) -> Stored | None:
        """What is stored of a message; None if it has to be made from its records."""
        if self._file is None or number >= len(self._messages) or not self._messages[number]:
            return None
        self._file.seek(self._starts[number])
        text = self._file.read(self._lengths[number])
        return Stored(text, self._messages[number], self._tool_calls[number])

    def close(self) -> None:
        """Remove the temporary file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _is_late(self, number: int) -> bool:
        """Whether a record belongs to a message that is made, or forgotten, already."""
        if number < len(self._messages) and self._messages[number]:
            self.forget(number)
        return number in self._forgotten

    def _close_answered(self) -> None:
        for number in [one for one, response in self._open.items() if response.is_answered]:
            self._close(number)
        while self._open and (len(self._open) > _MAX_OPEN or self._open_bytes > _MAX_OPEN_BYTES):
            self._close(next(iter(self._open)))

    def _close(self, number: int) -> None:
        response = self._open.pop(number)
        if not self._open:
            self._open_bytes = 0
        message = response.message(self._around, self._drift)
        self._store(number, [message], finished=response.finished)
        if message.usage is not None and self._file is not None:
            self.totals.add(message.usage, complete=response.finished)

    def _store(self, number: int, messages: list[Message], *, finished: bool = True) -> None:
        if self._file is None or not messages:
            return
        text, count, tool_calls = stored(messages)
        while len(self._messages) <= number:
            self._starts.append(0)
            self._lengths.append(0)
            self._tool_calls.append(0)
            self._messages.append(0)
            self._finished.append(0)
        self._starts[number] = self._end
        self._lengths[number] = len(text)
        self._tool_calls[number] = tool_calls
        self._messages[number] = count
        self._finished[number] = finished
        self._end += len(text)
        try:
            self._file.write(text)
        except OSError:  # no space left: what is stored is lost, and so are its tokens
            self.close()
            self.totals = Totals()
