"""Reading all records of a session file: lines by the hundred instead of one by one.

To decode a hundred records and then to make something of them takes less time than to take turns.
Where all lines of a block are as most are, the decoder itself goes from line to line. Another
block is split into lines, and a line that is not one good record is looked at again.
"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from itertools import accumulate, count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pytest_agentv.adapters.records import (
    MAX_LINE,
    ROOMY,
    UNREADABLE,
    Record,
    RecordFile,
    is_oversize,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from pytest_agentv.adapters.records import Drift, Place

# So much is read at once: the more records, the fewer turns, and yet all of it stays in caches.
_PORTION = 1 << 19
# Stands for a line that is too long. No line is like this: even an empty one has an end.
_OVERSIZE = b""

_first = itemgetter(0)


class Run(NamedTuple):
    """Records of lines that follow each other."""

    # The line of the first of them, and where it begins.
    first: int
    offset: int
    records: Sequence[Any]
    # Bytes of each record; of a block of expected ones, those of an average one.
    sizes: Sequence[int]

    @property
    def places(self) -> Iterator[Place]:
        """Where the records stand, as exact as their sizes are."""
        offsets = accumulate(self.sizes, initial=self.offset)
        return zip(offsets, self.sizes, count(self.first), strict=False)


class BulkFile(RecordFile[Record]):
    """A session file that is read from its beginning to its end.

    ``expected`` is what most records are like; they come as this type, and only what is not like
    that as the general one.
    """

    def __init__(
        self,
        path: Path,
        type_: type[Record],
        drift: Drift,
        *,
        file: BinaryIO | None = None,
        expected: Any = None,
    ) -> None:
        super().__init__(path, type_, drift, file=file)
        self._expected: msgspec.json.Decoder[Any] | None = None
        if expected is not None:
            self.expect(expected)

    def expect(self, type_: Any) -> None:
        """Most records are of this type from now on, or from the next block."""
        self._expected = msgspec.json.Decoder(type_)

    def runs(self) -> Iterator[Run]:
        """All records, run by run; places are exact unless records are as expected."""
        first = 1
        for offset, portion, size in self._portions():
            records = self._all_expected(memoryview(portion)[:size])
            # At the speed of memchr, other than split() and count().
            beginnings = bytes(map(_first, BytesIO(portion)))
            if size < len(portion):
                beginnings = beginnings[:-1]
            # The decoder takes several records of a line, and passes over lines that hold none.
            if 0 < len(records) == len(beginnings) == beginnings.count(b"{"):
                average = size // len(records)
                yield Run(first, offset, records, [average] * len(records))
            else:
                lines = BytesIO(portion[:size]).readlines() or [_OVERSIZE]
                yield from self._line_by_line(lines, offset, first)
            first += len(beginnings) or 1

    def _all_expected(self, block: memoryview) -> list[Any]:
        """The records of a block, one for each line if all are as expected."""
        if self._expected is not None:
            with suppress(*UNREADABLE):
                return self._expected.decode_lines(block)
        return []

    def _line_by_line(self, lines: list[bytes], offset: int, first: int) -> Iterator[Run]:
        """Records up to a line that needs a second look, what that line holds, and so on."""
        decode: Any = self._decode if self._expected is None else self._expected.decode
        left = iter(lines)
        done = 0
        while done < len(lines):
            records: list[Any] = []
            with suppress(*UNREADABLE):
                records.extend(map(decode, left))  # keeps those before a bad one
            if records:
                sizes = list(map(len, lines[done : done + len(records)]))
                yield Run(first + done, offset, records, sizes)
                offset += sum(sizes)
                done += len(records)
            looked_at = done  # where there are empty lines, all of them go in one step
            while done < len(lines) and lines[done] in self.passed_over:
                offset += len(lines[done])
                done += 1
            for _ in range(looked_at + 1, done):
                next(left)
            if looked_at == done < len(lines):
                yield from self._second_look(lines[done], offset, first + done)
                offset += len(lines[done])
                done += 1

    def _second_look(self, raw: bytes, offset: int, line: int) -> Iterator[Run]:
        """A line that holds no record as expected, or not one good record at all."""
        if raw == _OVERSIZE:
            self.drift.note("oversize record", line)
            return
        try:
            record = self._decode(raw)
        except UNREADABLE:
            for (start, size, _), salvaged in self._salvaged(raw, offset, line):
                yield Run(line, start, [salvaged], [size])
        else:
            yield Run(line, offset, [record], [len(raw)])

    def _portions(self) -> Iterator[tuple[int, bytes, int]]:
        """The file in portions: where each begins, and how much of it are whole lines."""
        try:
            yield from self._read_portions()
        except OSError as exc:
            raise self._unreadable(exc) from exc

    def _read_portions(self) -> Iterator[tuple[int, bytes, int]]:
        offset = self._start()
        while offset < self.size:
            portion = self._file.read(min(_PORTION, self.size - offset))
            if not portion:  # it was cut off meanwhile
                return
            whole = portion.rfind(b"\n") + 1
            if whole:
                yield offset, portion, whole
                # To read the beginning of a line again takes less than to put its parts together.
                offset = self._file.seek(offset + whole)
            else:
                line = self._long_line(portion, self.size - offset - len(portion))
                yield offset, line, len(line)
                offset = self._file.tell()

    def _long_line(self, begun: bytes, left: int) -> bytes:
        """A line that is longer than what is read at once; it may be too long."""
        line = begun + self._file.readline(min(MAX_LINE - len(begun), left))
        if len(line) > ROOMY and is_oversize(line):
            if not line.endswith(b"\n"):
                self._skip_line()
            return _OVERSIZE
        return line
