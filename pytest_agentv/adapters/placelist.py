"""Places of records in a file, many of them in little memory."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.records import Place


class PlaceList:
    """A list of places: two dozen bytes for each, where a list of tuples takes two hundred."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._lines = array("Q")

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, number: int) -> Place:
        return self._offsets[number], self._lengths[number], self._lines[number]

    def __iter__(self) -> Iterator[Place]:
        return zip(self._offsets, self._lengths, self._lines, strict=True)

    def append(self, place: Place) -> None:
        """One more."""
        offset, length, line = place
        self._offsets.append(offset)
        self._lengths.append(length)
        self._lines.append(line)

    def truncate(self, count: int) -> None:
        """Keep the first ones only."""
        for column in (self._offsets, self._lengths, self._lines):
            del column[count:]
