"""Messages put by as JSON, one after another, until it is known what the whole session was.

A transcript begins with what only the end of a session tells. So the messages wait as JSON. What
is put by can still be corrected, because a result may come late, and taken back, because a turn may
be undone.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.corrections import Corrections
from pytest_agentv.adapters.drafts import DraftStore
from pytest_agentv.files import no_room
from pytest_agentv.transcript.model import Message
from pytest_agentv.transcript.writing import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from pytest_agentv.adapters.corrections import Correction

# Messages are put by in portions of so many bytes of records.
_PORTION = 1 << 19

_encode_into = msgspec.json.Encoder().encode_into


class _Portion:
    """Some messages, and where their JSON is kept."""

    __slots__ = ("calls", "messages", "place", "size", "start")

    def __init__(self, start: int, messages: int, calls: int) -> None:
        self.start = start
        self.messages = messages
        self.calls = calls
        self.place = self.size = 0


class Spool:
    """The messages of one session, by number in their order.

    Every method that takes something in may raise OutputError: there may be no room for the file.
    """

    def __init__(self, limit: int) -> None:
        """``limit``: so many bytes are kept in memory at most; what comes after goes to a file."""
        self._portions: list[_Portion] = []
        # Messages that are not encoded yet, the number of the first, the bytes of their records.
        self._ready: list[Message] = []
        self._first_ready = 0
        self._ready_size = 0
        self._corrections = Corrections()
        self._buffer = bytearray()
        self._store = DraftStore(limit)
        # The portion that was looked at last: whoever asks for one message may ask for the next.
        self._looked_at: tuple[_Portion, list[msgspec.Raw]] | None = None
        # How many bytes were decoded to look at messages: whoever asks often has to stop somewhere.
        self.decoded = 0

    def __len__(self) -> int:
        return self._first_ready + len(self._ready)

    def add(self, message: Message, size: int) -> None:
        """One more message, made from so many bytes of records."""
        self._ready.append(message)
        self._ready_size += size
        if self._ready_size > _PORTION:
            self._put_by()

    def extend(self, messages: list[Message]) -> None:
        """More messages, which are a portion."""
        self._ready += messages
        self._put_by()

    def message(self, number: int) -> Message:
        """One message, as it was taken in."""
        if number >= self._first_ready:
            return self._ready[number - self._first_ready]
        portion = self._portion_with(number)
        if self._looked_at is None or self._looked_at[0] is not portion:
            self._looked_at = portion, self._raw_messages_of(portion)
            self.decoded += portion.size
        raw = self._looked_at[1][number - portion.start]
        self.decoded += len(memoryview(raw))
        message: Message = _decoder(Message).decode(raw)
        return message

    def correct_call(self, number: int, position: int, changes: dict[str, Any]) -> None:
        """Give fields of a message's call other values."""
        try:
            self._corrections.add(number, position, changes)
        except OSError as exc:
            raise no_room(exc) from exc

    def truncate(self, count: int) -> None:
        """Keep the first messages only."""
        self._corrections.truncate(count)
        self._looked_at = None
        if count >= self._first_ready:
            del self._ready[count - self._first_ready :]
            return
        self._ready.clear()
        while self._portions and self._portions[-1].start >= count:
            self._store.drop(self._portions.pop().place)
        if self._portions and self._portions[-1].start + self._portions[-1].messages > count:
            cut = self._portions.pop()
            self._ready = self._messages_of(cut)[: count - cut.start]
            self._store.drop(cut.place)
        self._first_ready = count - len(self._ready)
        self._ready_size = 0

    def finish(self) -> None:
        """Nothing more comes."""
        self._put_by()
        if self._corrections:
            try:
                self._make_corrections()
            except OSError as exc:
                raise no_room(exc) from exc

    def leave_out(self, numbers: Iterable[int]) -> None:
        """Take out messages, after ``finish``; the others get new numbers."""
        self._looked_at = None
        by_portion = groupby(sorted(numbers), key=self._portion_with)
        for portion, left_out in [(portion, set(group)) for portion, group in by_portion]:
            kept: list[msgspec.Raw] = []
            for number, message in enumerate(self._raw_messages_of(portion), portion.start):
                if number in left_out:
                    portion.calls -= len(_decoder(Message).decode(message).tool_calls)
                else:
                    kept.append(message)
            portion.messages = len(kept)
            self._encode(kept, portion)
        self._portions = [portion for portion in self._portions if portion.messages]
        self._first_ready = 0
        for portion in self._portions:
            portion.start = self._first_ready
            self._first_ready += portion.messages

    def messages(self) -> Iterator[Message]:
        """The messages, after ``finish``."""
        for portion in self._portions:
            yield from self._messages_of(portion)

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the messages as JSON, joined by commas, after ``finish``."""
        separator = b""
        for portion in self._portions:
            file.write(separator)
            file.write(self._json_of(portion))
            separator = b","
        return Written(
            sum(portion.messages for portion in self._portions),
            sum(portion.calls for portion in self._portions),
        )

    def _put_by(self) -> None:
        if not self._ready:
            return
        for number, corrections in self._corrections.taken_from(self._first_ready).items():
            index = number - self._first_ready
            self._ready[index] = _corrected(self._ready[index], corrections)
        calls = sum(len(message.tool_calls) for message in self._ready)
        portion = _Portion(self._first_ready, len(self._ready), calls)
        self._encode(self._ready, portion)
        self._portions.append(portion)
        self._first_ready += portion.messages
        self._ready = []
        self._ready_size = 0

    def _encode(self, messages: Sequence[msgspec.Raw | Message], portion: _Portion) -> None:
        """Make messages a portion's JSON, and keep it."""
        _encode_into(messages, self._buffer)
        with memoryview(self._buffer) as whole, whole[1:-1] as json:  # without the list's brackets
            portion.size = len(json)
            try:
                portion.place = self._store.add(json)
            except OSError as exc:  # no such folder, or no space left
                raise no_room(exc) from exc
        if portion.size > 4 * _PORTION:
            self._buffer = bytearray()

    def _make_corrections(self) -> None:
        """Make what is to be corrected, a portion at a time."""
        by_number = groupby(self._corrections.in_order(), key=itemgetter(0))
        portion = None
        # Few of a portion's messages change: the others stay the JSON they are.
        messages: list[msgspec.Raw | Message] = []
        for number, numbered in by_number:
            if portion is None or number >= portion.start + portion.messages:
                if portion is not None:
                    self._encode(messages, portion)
                portion = self._portion_with(number)
                messages = [*self._raw_messages_of(portion)]
            index = number - portion.start
            message = _decoder(Message).decode(messages[index])
            messages[index] = _corrected(message, (one for _, one in numbered))
        if portion is not None:
            self._encode(messages, portion)

    def _portion_with(self, number: int) -> _Portion:
        return self._portions[bisect_right(self._portions, number, key=_start) - 1]

    def _raw_messages_of(self, portion: _Portion) -> list[msgspec.Raw]:
        messages: list[msgspec.Raw] = _decoder(list[msgspec.Raw]).decode(self._list_of(portion))
        return messages

    def _messages_of(self, portion: _Portion) -> list[Message]:
        messages: list[Message] = _decoder(list[Message]).decode(self._list_of(portion))
        return messages

    def _list_of(self, portion: _Portion) -> bytes:
        return b"".join((b"[", self._json_of(portion), b"]"))

    def _json_of(self, portion: _Portion) -> memoryview | bytes:
        return self._store.get(portion.place, portion.size)


@cache
def _decoder(type_: Any) -> msgspec.json.Decoder[Any]:
    """A decoder, made when it is needed: most sessions are only written."""
    return msgspec.json.Decoder(type_)


def _start(portion: _Portion) -> int:
    return portion.start


def _corrected(message: Message, corrections: Iterable[Correction]) -> Message:
    calls = list(message.tool_calls)
    for position, changes in corrections:
        calls[position] = msgspec.structs.replace(calls[position], **changes)
    return msgspec.structs.replace(message, tool_calls=tuple(calls))
