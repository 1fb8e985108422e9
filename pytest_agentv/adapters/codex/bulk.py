"""Reading a whole session: lines by the hundred, most of them decoded as a frequent kind.

What is done to each line alone is done by the interpreter's own loops: it is split off, decoded,
counted and measured without a step of ours. Only a line that cannot be decoded is looked at.
"""

from __future__ import annotations

from io import BytesIO
from itertools import chain, count, starmap
from operator import length_hint
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from pytest_agentv.adapters.codex.frequent import FrequentRecord
from pytest_agentv.adapters.codex.records import Record
from pytest_agentv.adapters.records import MAX_LINE, ROOMY, UNREADABLE, RecordFile, is_oversize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any, BinaryIO

    from pytest_agentv.adapters.records import Drift

# A record with its line and its size in bytes.
Numbered: TypeAlias = "tuple[int, int, Record | FrequentRecord]"

# So much is read at once: as much as files are buffered by, so that nothing is copied twice.
_PORTION = 1 << 18
# Stands for a line that is too long. No line is like this: even an empty one has an end.
_OVERSIZE = b""


class BulkFile(RecordFile[Record]):
    """A session file that is read from its beginning to its end."""

    def __init__(self, path: Path, drift: Drift, *, file: BinaryIO) -> None:
        super().__init__(path, Record, drift, file=file)
        self._decode_next: Any = self._decode

    def expect_frequent(self) -> None:
        """Records of frequent kinds may come as such, if not at once."""
        self._decode_next = msgspec.json.Decoder(FrequentRecord).decode

    def numbered(self) -> Iterator[Numbered]:
        """Every record with its line and size."""
        return chain.from_iterable(starmap(self._decoded, self._numbered_portions()))

    def _numbered_portions(self) -> Iterator[tuple[list[bytes], int]]:
        """The lines of the file, some at a time, and the number of the first of them."""
        first = 1
        try:
            for lines in self._portions():
                yield lines, first
                first += len(lines)
        except OSError as exc:
            raise self._unreadable(exc) from exc

    def _portions(self) -> Iterator[list[bytes]]:
        left = self.size - self._start()
        begun = b""
        while left > 0 and (portion := self._file.read(min(_PORTION, left))):
            left -= len(portion)
            lines = BytesIO(portion).readlines()  # at the speed of memchr, other than split()
            lines[0] = begun + lines[0]
            begun = b"" if portion.endswith(b"\n") else lines.pop()
            if not lines:  # one that is longer than this
                rest = self._file.readline(min(MAX_LINE - len(begun), left))
                left -= len(rest)
                lines = [begun + rest]
                begun = b""
                if len(lines[0]) > ROOMY and is_oversize(lines[0]):
                    left -= 0 if rest.endswith(b"\n") else self._skip_line()
                    lines = [_OVERSIZE]
            yield lines
        if begun:
            yield [begun]

    def _decoded(self, lines: list[bytes], first: int) -> Iterator[Numbered]:
        left = iter(lines)
        numbered = zip(count(first), map(len, lines), map(self._decode_next, left), strict=False)
        while True:
            try:
                yield from numbered
            except UNREADABLE:  # noqa: PERF203 (once for each bad line, not for each line)
                # All three have gone on to the next line.
                index = len(lines) - length_hint(left) - 1
                yield from self._second_look(lines[index], first + index)
            else:
                return

    def _second_look(self, raw: bytes, line: int) -> Iterator[Numbered]:
        """A line that holds no record of a frequent kind, or not one good record at all."""
        if raw == _OVERSIZE:
            self.drift.note("oversize record", line)
            return
        try:
            record = self._decode(raw)
        except UNREADABLE:
            for (_, size, _), salvaged in self._salvaged(raw, 0, line):
                yield line, size, salvaged
        else:
            yield line, len(raw), record
