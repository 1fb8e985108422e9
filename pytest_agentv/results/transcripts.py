"""The transcripts of a run: one file, to which each process that grades adds its own lines.

Workers of pytest-xdist have a file each, as only a process that is alone knows what line it wrote;
when the run ends, these become one. A file for each session would take more time than grading it.
"""

from __future__ import annotations

import contextlib
from array import array
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pytest_agentv.errors import SessionError
from pytest_agentv.files import atomic_write, create_private, open_regular, read_part
from pytest_agentv.results.places import PARTS, TRANSCRIPTS, part_of
from pytest_agentv.transcript.writing import dumps

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from pytest_agentv.results.model import Row
    from pytest_agentv.transcript.model import Transcript


class TranscriptKeeper:
    """Adds transcripts to the file of this process; what is added is there, whatever comes."""

    def __init__(self, folder: Path, *, worker: str | None = None) -> None:
        self.name = TRANSCRIPTS if worker is None else part_of(worker)
        self._path = folder / self.name
        self._file: BinaryIO | None = None
        self._lines = 0
        self._size = 0
        self._kept: dict[Hashable, int] = {}

    def keep(self, transcript: Transcript, *, key: Hashable) -> int | None:
        """The line of a transcript, added unless one of this key was; None if it cannot be."""
        line = self._kept.get(key)
        if line is None:
            try:
                is_added = self._add(dumps(transcript))
            except (OSError, OverflowError, TypeError, ValueError):  # a fixture's: not encodable
                is_added = False
            if is_added:
                line = self._kept[key] = self._lines
        return line

    def close(self) -> None:
        """No more will be kept."""
        if self._file is not None:
            self._file.close()

    def _add(self, line: bytes) -> bool:
        file = self._file or create_private(self._path)
        # Where it stays so, no more can be added: such a file is there already.
        self._file = None
        try:
            written = file.write(line)
        except OSError:
            written = 0
        if written != len(line):  # a full disk; lines after half of one would be counted wrong
            file.truncate(self._size)
        else:
            self._size += written
            self._lines += 1
        self._file = file
        return written == len(line)


class TranscriptLines:
    """The lines of a file of transcripts, found by their numbers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._starts = array("Q", [0])
        with open_regular(path) as file:
            for line in file:
                self._starts.append(self._starts[-1] + len(line))

    @property
    def whole(self) -> int:
        """How long all of them are together."""
        return self._starts[-1]

    def size(self, number: int) -> int:
        """How long a line is; 0 if there is none."""
        if not 0 < number < len(self._starts):
            return 0
        return self._starts[number] - self._starts[number - 1]

    def line(self, number: int) -> bytes:
        """A line, counted from 1; empty if there is none."""
        size = self.size(number)
        if not size:
            return b""
        return read_part(self._path, self._starts[number - 1], size)


def lines_of(path: Path) -> TranscriptLines:
    """The lines of a file, looked for once as long as it stays the same; SessionError if none."""
    try:
        found = path.stat()
    except OSError:
        return TranscriptLines(path)  # it says why
    return _lines_of(path, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4)
def _lines_of(path: Path, *_: int) -> TranscriptLines:
    return TranscriptLines(path)


def gathered(folder: Path, rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows of a run, after what workers kept was put into one file: each session once."""
    rows = tuple(rows)
    if all(row.transcript_path in (None, TRANSCRIPTS) for row in rows):
        return rows
    with atomic_write(folder / TRANSCRIPTS, overwrite=True) as file:
        return tuple(_Gatherer(folder, file).moved(rows))


def remove_parts(folder: Path) -> None:
    """Take away what workers kept, once it is all in one file."""
    for part in folder.glob(PARTS):
        with contextlib.suppress(OSError):
            part.unlink()


class _Gatherer:
    """Copies lines, and knows which it has."""

    def __init__(self, folder: Path, file: BinaryIO) -> None:
        self._folder = folder
        self._file = file
        # By what they hold: workers grade the same sessions.
        self._copied: dict[bytes, int] = {}

    def moved(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Rows that say where their transcripts are now."""
        for row in rows:
            line = self._line(row)
            path = TRANSCRIPTS if line is not None else None
            yield replace(row, transcript_path=path, transcript_line=line)

    def _line(self, row: Row) -> int | None:
        if row.transcript_path is None or row.transcript_line is None:
            return None
        try:
            content = lines_of(self._folder / row.transcript_path).line(row.transcript_line)
        except SessionError:
            return None
        if not content:
            return None
        key = blake2b(content, digest_size=16).digest()
        if key not in self._copied:
            self._file.write(content)
            self._copied[key] = len(self._copied) + 1
        return self._copied[key]
