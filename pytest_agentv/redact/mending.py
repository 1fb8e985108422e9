"""Mending a session that was written before all was known of it.

A secret or a name may stand before the place that gives it away. Most sessions have no such
thing, so they are redacted while they are written, and what was known too late is looked for in
what was written. Only the messages that hold it are redacted again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from pytest_agentv.redact.policy import CUT
from pytest_agentv.redact.words import any_of
from pytest_agentv.transcript.model import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from pytest_agentv.redact.redactor import Redactor
    from pytest_agentv.redact.streams import RedactedStream
    from pytest_agentv.transcript.stream import Head, Tail
    from pytest_agentv.transcript.writing import Written

_PART = 1 << 20
# More values than this are faster to find by one pattern than one after another.
_FEW = 20
# The beginning of a secret that is cut off after so many characters says something of it.
_LEAST_OF_CUT = 4
_ALNUM = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

_encode = msgspec.json.encode
_CUT = _encode(CUT)[1:-1]
_decoder = msgspec.json.Decoder(Message)


class Late(NamedTuple):
    """What was not known from the beginning: secrets as they stood, names in small letters."""

    values: Sequence[str]
    names: Sequence[str]


class Draft:
    """A redacted session in a file, from an offset to the end of the file."""

    def __init__(self, file: BinaryIO, start: int, stream: RedactedStream) -> None:
        self._file = file
        self._start = start
        self._stream = stream

    def places(self, late: Late) -> list[int] | None:
        """Where something stands that was known too late; None if a secret was cut in two."""
        values = [_encode(one)[1:-1] for one in late.values]
        names = [_encode(one)[1:-1] for one in late.names]
        if not values and not names:
            return []
        find = _finder(values)
        common = max(len(one) for one in (*values, *names)) + len(_CUT) + 8
        found: set[int] = set()
        at, before = self._start, b""
        self._file.seek(at)
        while part := self._file.read(_PART):
            part = before + part
            if values and _has_cut(part, values):
                return None
            found.update(at + one for one in chain(find(part), _names_in(part, names)))
            before = part[-common:]
            at += len(part) - len(before)
        return sorted(found)

    def mended(self, places: Iterable[int], redactor: Redactor, copy: BinaryIO) -> MendedStream:
        """The session without what is at some places; ``copy`` is to keep what was written."""
        self._file.seek(self._start)
        while part := self._file.read(_PART):
            copy.write(part)
        begin = self._stream.begin - self._start
        inside = [at - self._stream.begin for at in places]
        return MendedStream(self._stream, copy, begin, inside, redactor)


class MendedStream:
    """A redacted session of which some messages are redacted again, as they were written."""

    def __init__(
        self,
        stream: RedactedStream,
        copy: BinaryIO,
        begin: int,
        places: Collection[int],
        redactor: Redactor,
    ) -> None:
        self._stream = stream
        # What was written, and where in it the messages begin; places are counted from there.
        self._copy, self._begin = copy, begin
        self._redactor = redactor
        self._ends = stream.ends
        numbers = {bisect_right(self._ends, at) for at in places if at >= 0}
        # What stands after the last message is written anew in any case.
        self._numbers = sorted(numbers - {len(self._ends)})

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        return self._redactor.head(self._stream.head)

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        mended = set(self._numbers)
        for number in range(len(self._ends)):
            message = _decoder.decode(self._read(*self._bounds(number)))
            yield self._redactor.message(message) if number in mended else message

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the messages in order; most of them are copied."""
        done = 0
        for number in self._numbers:
            start, end = self._bounds(number)
            self._copy_to(file, done, start)
            message = _decoder.decode(self._read(start, end))
            file.write(_encode(self._redactor.message(message)))
            done = end
        self._copy_to(file, done, self._ends[-1] if self._ends else 0)
        return self._stream.written

    @cached_property
    def tail(self) -> Tail:
        """Tokens, duration, cost, drift, and the receipt of all that was redacted."""
        _ = self.head
        return self._redactor.tail(self._stream.tail_to_mend())

    def _bounds(self, number: int) -> tuple[int, int]:
        # A comma stands between two messages.
        return (self._ends[number - 1] + 1 if number else 0), self._ends[number]

    def _read(self, start: int, end: int) -> bytes:
        self._copy.seek(self._begin + start)
        return self._copy.read(end - start)

    def _copy_to(self, file: BinaryIO, start: int, end: int) -> None:
        file.writelines(self._read(at, min(at + _PART, end)) for at in range(start, end, _PART))


def _finder(values: Sequence[bytes]) -> Callable[[bytes], Iterator[int]]:
    """A function that says where any of some values is."""
    if len(values) > _FEW:
        tree = any_of(one.decode("latin-1") for one in values)
        pattern = re.compile(tree.encode("latin-1"))
        return lambda part: (found.start() for found in pattern.finditer(part))
    return lambda part: (at for one in values for at in _all_in(part, one))


def _names_in(part: bytes, names: Sequence[bytes]) -> Iterator[int]:
    if names:
        lower = part.lower()
        for name in names:
            yield from (at for at in _all_in(lower, name) if _is_word(part, at, at + len(name)))


def _is_word(part: bytes, start: int, end: int) -> bool:
    if end < len(part) and part[end] in _ALNUM:
        return False
    if not start or part[start - 1] not in _ALNUM:
        return True
    # What stands before it can be the letter of an escape.
    return part[start - 2 : start - 1] == b"\\" or part[start - 6 : start - 4] == b"\\u"


def _has_cut(part: bytes, values: Sequence[bytes]) -> bool:
    """Whether only the beginning of a value is left where a text was cut."""
    for cut in _all_in(part, _CUT):
        for value in values:
            before = part[max(0, cut - len(value) + 1) : cut]
            starts = _all_in(before, value[:_LEAST_OF_CUT])
            if any(value.startswith(before[at:]) for at in starts):
                return True
    return False


def _all_in(part: bytes, value: bytes) -> Iterator[int]:
    at = part.find(value)
    while at >= 0:
        yield at
        at = part.find(value, at + 1)
