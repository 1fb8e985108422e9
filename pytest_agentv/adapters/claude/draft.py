"""The messages of a thread, written down while its records come in.

Only the end of a file shows what a conversation was: a branch may turn out abandoned, a result
may come late, a record may come again. Mostly nothing of that happens. So the messages are made
as the records are read, and put in a temporary file one after another; reading all records a
second time would cost as much as everything else. If it does happen, or there is no room for the
file, the draft is spoilt, and the messages are made from the places of their records instead.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from array import array
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.claude.messages import Response, single_messages
from pytest_agentv.adapters.claude.thread import Entry, Thread
from pytest_agentv.adapters.claude.usage import Totals
from pytest_agentv.transcript.model import Message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO

    from pytest_agentv.adapters.claude.messages import Surroundings
    from pytest_agentv.adapters.claude.records import Record
    from pytest_agentv.adapters.records import Drift, Place

# How many messages, and bytes of records, may wait for a result that does not come.
_MAX_WAITING = 16
_MAX_WAITING_BYTES = 8 << 20
_BUFFER = 1 << 18

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Message).decode


class _Single:
    """A message of one record; a slash command has to wait for its kind."""

    __slots__ = ("is_settled", "line", "record")

    def __init__(self, line: int, record: Record, *, is_settled: bool) -> None:
        self.line = line
        self.record = record
        self.is_settled = is_settled


class DraftedThread(Thread):
    """A thread that makes its messages at once."""

    def __init__(self, around: Surroundings, drift: Drift) -> None:
        super().__init__()
        self.totals = Totals()
        self.tool_calls = 0
        self._around = around
        self._drift = drift
        # By number, in order; all of them wait for the first.
        self._waiting: dict[int, Response | _Single] = {}
        self._waiting_bytes = 0
        self._sizes = array("I")
        self._file: IO[bytes] | None = None
        try:
            self._file = tempfile.TemporaryFile(buffering=_BUFFER)  # noqa: SIM115 (outlives this)
        except OSError:
            return
        weakref.finalize(self, self._file.close)

    @property
    def is_drafted(self) -> bool:
        """Whether all messages are written down as they are."""
        return self._file is not None

    @property
    def drafted(self) -> int:
        """How many messages are written down."""
        return len(self._sizes)

    def add(self, entry: Entry, place: Place, record: Any) -> int:
        number = super().add(entry, place, record)
        if self._file is not None:
            is_settled = entry is not Entry.SLASH_PROMPT
            self._waiting[number] = _Single(place[2], record, is_settled=is_settled)
            self._waiting_bytes += place[1]
            if len(self._waiting) > _MAX_WAITING:
                self._write_ready()
        return number

    def set_entry(self, number: int, entry: Entry) -> None:
        super().set_entry(number, entry)
        single = self._waiting.get(number)
        if isinstance(single, _Single):
            single.is_settled = True
        else:
            self.spoil()

    def add_response(self, key: str, place: Place, record: Any) -> int:
        known = len(self)
        number = super().add_response(key, place, record)
        if self._file is None:
            return number
        if number == known:
            self._write_ready()
            self._waiting[number] = response = Response(place[2], record)
        else:
            waiting = self._waiting.get(number)
            if not isinstance(waiting, Response):  # written already: it comes again
                self.spoil()
                return number
            response = waiting
        self._waiting_bytes += place[1]
        response.take(place[2], record)
        return number

    def add_result(self, call_id: str, place: Place, record: Any) -> int | None:
        number = super().add_result(call_id, place, record)
        if number is not None and self._file is not None:
            response = self._waiting.get(number)
            if isinstance(response, Response):
                self._waiting_bytes += place[1]
                response.take_results(record)
            else:
                self.spoil()
        return number

    def add_early_result(self, number: int, place: Place) -> None:
        super().add_early_result(number, place)
        self.spoil()

    def drop(self, offsets: set[int]) -> int:
        dropped = super().drop(offsets)
        if dropped:
            self.spoil()
        return dropped

    def finish(self) -> None:
        """There are no more records."""
        self._write_ready(everything=True)

    def spoil(self) -> None:
        """Give the draft up."""
        self._waiting.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    def messages(self) -> Iterator[Message]:
        """The messages as they are written down."""
        if self._file is None:
            return
        self._file.seek(0)
        for size in self._sizes:
            yield _decode(self._file.read(size))
            self._file.read(1)

    def copy_to(self, file: BinaryIO) -> None:
        """Write the messages as JSON, joined by commas."""
        if self._file is not None:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file, 1 << 20)

    def _write_ready(self, *, everything: bool = False) -> None:
        """Write what need not wait any longer."""
        waiting = self._waiting
        while waiting and self._file is not None:
            number, first = next(iter(waiting.items()))
            is_ready = first.is_settled if isinstance(first, _Single) else first.is_answered
            if not (
                is_ready
                or everything
                or len(waiting) > _MAX_WAITING
                or self._waiting_bytes > _MAX_WAITING_BYTES
            ):
                return
            del waiting[number]
            if isinstance(first, _Single):
                for message in single_messages(self.entry(number), first.line, first.record):
                    self._write(message)
            else:
                self._write_response(first)
        self._waiting_bytes = 0

    def _write_response(self, response: Response) -> None:
        message = response.message(self._around, self._drift)
        if message.usage is not None:
            self.totals.add(message.usage, complete=response.finished)
        self.tool_calls += len(message.tool_calls)
        self._write(message)

    def _write(self, message: Message) -> None:
        if self._file is None:
            return
        text = _encode(message)
        try:
            if self._sizes:
                self._file.write(b",")
            self._file.write(text)
        except OSError:  # no space left
            self.spoil()
        self._sizes.append(len(text))
