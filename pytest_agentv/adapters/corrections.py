"""What is still to be changed in messages that are put by.

Corrections are made once, at the end, in the order of the messages: to make them as they come
would read and write the same messages again and again. There may be as many as there are calls,
with whole outputs in them, so that most of them wait in a file.
"""

from __future__ import annotations

import weakref
from array import array
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.files import unnamed_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO, TypeAlias

    # Which call of a message, and the fields of it that are to be different.
    Correction: TypeAlias = tuple[int, dict[str, Any]]

# So much of corrections is kept in memory.
_IN_MEMORY = 4 << 20
_CORRECTION_SIZE = 500

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[int, dict[str, Any]]).decode


class Corrections:
    """Corrections by the number of their message. What needs a file may raise OSError."""

    def __init__(self) -> None:
        self._recent: list[tuple[int, Correction]] = []
        self._recent_size = 0
        # Those in the file, which came before: of which message, and where.
        self._numbers = array("Q")
        self._offsets = array("Q")
        self._lengths = array("I")
        self._file: IO[bytes] | None = None
        # After how many corrections messages were taken back, and how many were left.
        self._truncations: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._numbers) + len(self._recent)

    def add(self, number: int, position: int, changes: dict[str, Any]) -> None:
        """Give fields of a message's call other values."""
        self._recent.append((number, (position, changes)))
        self._recent_size += _CORRECTION_SIZE + len(changes.get("output") or "")
        if self._recent_size > _IN_MEMORY:
            self._to_file()

    def truncate(self, count: int) -> None:
        """Only the first messages are left."""
        # Of several without a correction between them the one that left the least matters.
        while self._truncations and self._truncations[-1][0] == len(self):
            count = min(count, self._truncations.pop()[1])
        if len(self):
            self._truncations.append((len(self), count))

    def taken_from(self, start: int) -> dict[int, list[Correction]]:
        """Take those of the messages from a number on; none if some may be in the file."""
        taken: dict[int, list[Correction]] = {}
        if self._numbers or not self._recent:
            return taken
        numbers = [number for number, _ in self._recent]
        living = [self._recent[index] for index in self._living(numbers)]
        for number, correction in living:
            if number >= start:
                taken.setdefault(number, []).append(correction)
        self._recent = [one for one in living if one[0] < start]
        self._recent_size = sum(
            _CORRECTION_SIZE + len(changes.get("output") or "") for _, (_, changes) in self._recent
        )
        self._truncations.clear()
        return taken

    def in_order(self) -> Iterator[tuple[int, Correction]]:
        """All of them in the order of their messages; those of one call in the order they came."""
        if not self._numbers:
            taken = self.taken_from(0)
            for number in sorted(taken):
                yield from ((number, correction) for correction in taken[number])
            return
        self._to_file()
        assert self._file is not None
        living = self._living(self._numbers)
        for index in sorted(living, key=self._numbers.__getitem__):
            self._file.seek(self._offsets[index])
            yield self._numbers[index], _decode(self._file.read(self._lengths[index]))

    def _living(self, numbers: Sequence[int]) -> list[int]:
        """Which of the corrections are of messages that were not taken back since."""
        living: list[int] = []
        truncations = list(self._truncations)
        left: float = float("inf")
        for index in reversed(range(len(numbers))):
            while truncations and truncations[-1][0] > index:
                left = min(left, truncations.pop()[1])
            if numbers[index] < left:
                living.append(index)
        living.reverse()
        return living

    def _to_file(self) -> None:
        if self._file is None:
            self._file = unnamed_file()
            weakref.finalize(self, self._file.close)
        offset = self._file.seek(0, 2)
        for number, correction in self._recent:
            written = self._file.write(_encode(correction))
            self._numbers.append(number)
            self._offsets.append(offset)
            self._lengths.append(written)
            offset += written
        self._recent.clear()
        self._recent_size = 0
