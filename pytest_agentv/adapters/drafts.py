"""Where the draft of a session lies: in memory, and from some size on in a temporary file."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_agentv.files import unnamed_file

if TYPE_CHECKING:
    from mmap import mmap
    from typing import BinaryIO

# Short drafts get small pages, which are there sooner; long ones large pages, which are filled in
# a quarter of the time that as much of a file takes.
_SMALL_PAGES = 2 << 20


class DraftStore:
    """Pieces of bytes, each at its place. What needs a file may raise OSError."""

    def __init__(self, limit: int) -> None:
        """``limit``: so many bytes are kept in memory at most."""
        # Places up to the limit are in memory, the others in the file.
        self._limit = limit
        self._memory: mmap | None = None
        self._end = 0
        self._file: BinaryIO | None = None

    def add(self, piece: memoryview) -> int:
        """Keep a piece; return its place."""
        place, end = self._end, self._end + len(piece)
        if end > self._limit:
            return self._limit + self._to_file(piece)
        if self._memory is None:
            try:
                self._memory = _pages(self._limit)
            except OSError:  # this process may not have so much: as if it were full
                self._end = self._limit
                return self._limit + self._to_file(piece)
        self._memory[place:end] = piece
        self._end = end
        return place

    def get(self, place: int, size: int) -> memoryview | bytes:
        """The piece at a place; to be used before anything else is kept."""
        if place < self._limit:
            assert self._memory is not None
            return memoryview(self._memory)[place : place + size]
        assert self._file is not None
        self._file.seek(place - self._limit)
        return self._file.read(size)

    def drop(self, place: int) -> None:
        """The piece at a place is of no use any more, nor is what was kept after it."""
        self._end = min(self._end, place)

    def _to_file(self, piece: memoryview) -> int:
        if self._file is None:
            self._file = unnamed_file()
            weakref.finalize(self, self._file.close)
        offset = self._file.seek(0, 2)
        self._file.write(piece)
        return offset


def _pages(size: int) -> mmap:
    """Memory that takes room as far as it is filled."""
    import mmap  # noqa: PLC0415 (the first of a session is soon enough)

    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return mmap.mmap(-1, size)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if size > _SMALL_PAGES:
        with suppress(OSError):  # a kernel that has small pages only
            pages.madvise(mmap.MADV_HUGEPAGE, _SMALL_PAGES, size - _SMALL_PAGES)
    return pages
