"""Reading a whole session: lines by the hundred, most of them decoded as frequent kinds.

Where all lines of a block are records of frequent kinds, the decoder itself goes from line to line.
Another block is split into lines, and a line that is no such record is looked at again.
"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pytest_agentv.adapters.codex.frequent import FrequentRecord
from pytest_agentv.adapters.codex.records import Record
from pytest_agentv.adapters.records import MAX_LINE, ROOMY, UNREADABLE, RecordFile, is_oversize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any, BinaryIO

    from pytest_agentv.adapters.records import Drift

# So much is read at once: as much as files are buffered by, so that nothing is copied twice.
_PORTION = 1 << 18
# Stands for a line that is too long. No line is like this: even an empty one has an end.
_OVERSIZE = b""

_first = itemgetter(0)


class Run(NamedTuple):
    """Records of lines that follow each other: the first one's number, and the bytes of all."""

    first: int
    size: int
    records: Sequence[Record | FrequentRecord]


class BulkFile(RecordFile[Record]):
    """A session file that is read from its beginning to its end."""

    def __init__(self, path: Path, drift: Drift, *, file: BinaryIO) -> None:
        super().__init__(path, Record, drift, file=file)
        self._frequent: msgspec.json.Decoder[FrequentRecord] | None = None

    def expect_frequent(self) -> None:
        """Records of frequent kinds may come as such, if not at once."""
        self._frequent = msgspec.json.Decoder(FrequentRecord)

    def runs(self) -> Iterator[Run]:
        """All records, run by run.

        To decode a hundred records and then to tell them takes less time than to take turns.
        """
        first = 1
        for block in self._blocks():
            records = self._all_frequent(block)
            # At the speed of memchr, other than split() and count().
            beginnings = bytes(map(_first, BytesIO(block)))
            # The decoder takes several records of a line, and passes over lines that hold none.
            if 0 < len(records) == len(beginnings) == beginnings.count(b"{"):
                yield Run(first, len(block), records)
            else:
                yield from self._line_by_line(BytesIO(block).readlines() or [_OVERSIZE], first)
            first += len(beginnings) or 1

    def _all_frequent(self, block: bytes) -> list[FrequentRecord]:
        """The records of a block, one for each line if all are of frequent kinds."""
        if self._frequent is not None:
            with suppress(*UNREADABLE):
                return self._frequent.decode_lines(block)
        return []

    def _line_by_line(self, lines: list[bytes], first: int) -> Iterator[Run]:
        """Records up to a line that needs a second look, what that line holds, and so on."""
        decode: Any = self._decode if self._frequent is None else self._frequent.decode
        left = iter(lines)
        start = 0
        while start < len(lines):
            records: list[Record | FrequentRecord] = []
            with suppress(*UNREADABLE):
                records.extend(map(decode, left))  # keeps those before a bad one
            end = start + len(records)
            yield Run(first + start, sum(map(len, lines[start:end])), records)
            if end < len(lines):
                yield from self._second_look(lines[end], first + end)
            start = end + 1

    def _blocks(self) -> Iterator[bytes]:
        """The file as blocks of whole lines."""
        try:
            yield from self._read_blocks()
        except OSError as exc:
            raise self._unreadable(exc) from exc

    def _read_blocks(self) -> Iterator[bytes]:
        left = self.size - self._start()
        begun = b""
        while left > 0 and (portion := self._file.read(min(_PORTION, left))):
            left -= len(portion)
            end = portion.rfind(b"\n") + 1
            if end:
                yield b"".join((begun, memoryview(portion)[:end]))
                begun = portion[end:]
                continue
            line = begun + portion  # one that is longer than this
            rest = self._file.readline(min(MAX_LINE - len(line), left))
            left -= len(rest)
            line += rest
            begun = b""
            if len(line) > ROOMY and is_oversize(line):
                left -= 0 if rest.endswith(b"\n") else self._skip_line()
                line = _OVERSIZE
            yield line
        if begun:
            yield begun

    def _second_look(self, raw: bytes, line: int) -> Iterator[Run]:
        """A line that holds no record of a frequent kind, or not one good record at all."""
        if raw == _OVERSIZE:
            self.drift.note("oversize record", line)
            return
        try:
            record = self._decode(raw)
        except UNREADABLE:
            for (_, size, _), salvaged in self._salvaged(raw, 0, line):
                yield Run(line, size, [salvaged])
        else:
            yield Run(line, len(raw), [record])
