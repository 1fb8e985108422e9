"""Records that name the record they follow: which of them the conversation is made of.

A client that goes back and tries again appends to an earlier record. What is left is the way from
the last record to the first; everything else are branches that were given up.
"""

from __future__ import annotations

from array import array
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_agentv.adapters.placelist import PlaceList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.records import Place

_NO_PARENT = -1
_NO_ID = hash("")


class Tree:
    """Places of records, by what each follows; a few dozen bytes for each.

    Nearly every record follows the one before it. Only when one does not are all ids looked at.
    """

    def __init__(self) -> None:
        self._places = PlaceList()
        self._parents = array("q")
        # Hashes, because an id takes three times the memory.
        self._ids = array("q")
        self._positions: dict[int, int] | None = None
        self._leaf = _NO_PARENT
        # Lines of records whose parent is not there; they follow the record before them.
        self.orphans: list[int] = []

    def __len__(self) -> int:
        return len(self._parents)

    def add(self, id_: str | None, parent: object, place: Place, *, leaf: bool = True) -> None:
        """One more record. Without an id it follows the one before; one of the same id goes on.

        ``parent`` is an id, None if it is a first record, or something that tells nothing. Not
        ``leaf``: a conversation cannot end with it.
        """
        number = len(self._parents)
        mark = hash(id_ or "")
        if number and mark != _NO_ID and self._ids[-1] == mark:
            before = number - 1
        elif isinstance(parent, str):
            before = self._position(hash(parent), place)
        elif mark == _NO_ID or not number:
            before = number - 1
        elif parent is None:
            before = _NO_PARENT
        else:
            self.orphans.append(place[2])
            before = number - 1
        self._places.append(place)
        self._parents.append(before)
        self._ids.append(mark)
        if self._positions is not None:
            self._positions[mark] = number
        if leaf or self._leaf == _NO_PARENT:
            self._leaf = number

    def path(self) -> Iterator[Place]:
        """The places of the records that lead to the last one, the first of them first."""
        found = self._numbers()
        found.reverse()
        return (self._places[number] for number in found)

    @property
    def given_up(self) -> int:
        """How many records are on no way to the last one."""
        return len(self) - len(self._numbers())

    def given_up_places(self) -> Iterator[Place]:
        """The places of the records on other branches, in their order.

        A record that is written again is no branch: what it says would count twice. Of several
        on other branches the last one counts, and none if one of them is on the way.
        """
        way = self._numbers()
        if len(way) == len(self):
            return
        is_on_way = bytearray(len(self))
        for number in way:
            is_on_way[number] = True
        last = {mark: number for number, mark in enumerate(self._ids)}
        last.update((self._ids[number], number) for number in reversed(way))
        for mark, run in groupby(range(len(self)), key=self._ids.__getitem__):
            numbers = list(run)
            if mark == _NO_ID or last[mark] == numbers[-1]:
                yield from (self._places[one] for one in numbers if not is_on_way[one])

    def _position(self, mark: int, place: Place) -> int:
        """The record of an id; where there is none, the one before."""
        last = len(self._ids) - 1
        if last >= 0 and self._ids[last] == mark:
            return last
        if self._positions is None:
            self._positions = {one: number for number, one in enumerate(self._ids)}
        if mark not in self._positions:
            self.orphans.append(place[2])
        return self._positions.get(mark, last)

    def _numbers(self) -> array[int]:
        found = array("q")
        number = self._leaf
        while number != _NO_PARENT:  # a parent always stands before its child, so this ends
            found.append(number)
            number = self._parents[number]
        return found
