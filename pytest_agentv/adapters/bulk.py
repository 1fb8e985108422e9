"""Reading all records of a session file: lines by the hundred instead of one by one.

To decode a hundred records and then to make something of them takes less time than to take turns.
"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from itertools import accumulate, count
from typing import TYPE_CHECKING

from pytest_agentv.adapters.records import (
    MAX_LINE,
    ROOMY,
    UNREADABLE,
    Record,
    RecordFile,
    is_oversize,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.adapters.records import Place

# So much is read at once: the more records, the fewer turns, and yet all of it stays in caches.
_PORTION = 1 << 20
# Stands for a line that is too long. No line is like this: even an empty one has an end.
_OVERSIZE = b""


class BulkFile(RecordFile[Record]):
    """A session file that is read from its beginning to its end."""

    def runs(self) -> Iterator[tuple[Iterable[Place], list[Record]]]:
        """Every record and its place, as many at a time as were decoded at once."""
        first = 1
        for offset, lines in self._blocks():
            yield from self._runs_of(lines, offset, first)
            first += len(lines)

    def _runs_of(
        self, lines: list[bytes], offset: int, first: int
    ) -> Iterator[tuple[Iterable[Place], list[Record]]]:
        """Records up to a line that is not one good record, what that line holds, and so on."""
        left = iter(lines)
        done = 0
        while done < len(lines):
            records: list[Record] = []
            with suppress(*UNREADABLE):
                records.extend(map(self._decode, left))  # keeps those before a bad one
            if records:
                sizes = list(map(len, lines[done : done + len(records)]))
                offsets = accumulate(sizes, initial=offset)
                yield zip(offsets, sizes, count(first + done), strict=False), records
                offset += sum(sizes)
                done += len(records)
            if done < len(lines):
                bad = lines[done]
                if bad == _OVERSIZE:
                    self.drift.note("oversize record", first + done)
                else:
                    for place, record in self._salvaged(bad, offset, first + done):
                        yield [place], [record]
                offset += len(bad)
                done += 1

    def _blocks(self) -> Iterator[tuple[int, list[bytes]]]:
        """The lines of the file, some at a time, and where the first of them begins."""
        try:
            yield from self._read_blocks()
        except OSError as exc:
            raise self._unreadable(exc) from exc

    def _read_blocks(self) -> Iterator[tuple[int, list[bytes]]]:
        offset = self._start()
        left = self.size - offset
        begun = b""
        while left > 0 and (portion := self._file.read(min(_PORTION, left))):
            left -= len(portion)
            lines = BytesIO(portion).readlines()
            lines[0] = begun + lines[0]
            begun = b"" if portion.endswith(b"\n") else lines.pop()
            if lines:
                yield offset, lines
                offset = self.size - left - len(begun)
            else:
                line = self._long_line(begun, left)
                yield offset, [line]
                begun = b""
                offset = self._file.tell()
                left = self.size - offset
        if begun:
            yield offset, [begun]

    def _long_line(self, begun: bytes, left: int) -> bytes:
        """A line that is longer than what is read at once; it may be too long."""
        line = begun + self._file.readline(min(MAX_LINE - len(begun), left))
        if len(line) > ROOMY and is_oversize(line):
            if not line.endswith(b"\n"):
                self._skip_line()
            return _OVERSIZE
        return line
