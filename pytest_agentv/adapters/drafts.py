"""Where the draft of a session lies: in memory, and from some size on in a temporary file."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from pytest_agentv.files import unnamed_file

if TYPE_CHECKING:
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
        self._memory: Any = None
        self._end = 0
        self._file: BinaryIO | None = None

    def add(self, piece: memoryview) -> int:
        """Keep a piece; return its place."""
        place, end = self._end, self._end + len(piece)
        if end > self._limit:
            return self._limit + self._to_file(piece)
        if self._memory is None:
            self._memory = _pages(self._limit)
        self._memory[place:end] = piece
        self._end = end
        return place

    def get(self, place: int, size: int) -> memoryview | bytes:
        """The piece at a place; to be used before anything else is kept."""
        if place < self._limit:
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


def _pages(size: int) -> Any:
    """Memory that takes room as far as it is filled."""
    try:
        from mmap import (  # noqa: PLC0415 (short sessions do without)
            MADV_HUGEPAGE,
            MAP_ANONYMOUS,
            MAP_PRIVATE,
            mmap,
        )

        pages = mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)
        if size > _SMALL_PAGES:
            pages.madvise(MADV_HUGEPAGE, _SMALL_PAGES, size - _SMALL_PAGES)
    except (ImportError, OSError, ValueError):  # another system, or one without large pages
        return bytearray(size)
    return pages
