"""Which records make up which message of one thread: the result of the first pass.

A response's records are not adjacent: results stand between its calls, and a resumed session
repeats them later. So each message is a chain of pieces, a piece being the place of one record.
All of it is kept in flat arrays, some 20 bytes a record, because sessions may be huge.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING

from pytest_agentv.adapters.claude.recent import RecentIds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.records import Place

_NONE = -1


class Entry(IntEnum):
    """What a message is made from."""

    RESPONSE = 0
    USER = 1
    INJECTED = 2
    SLASH_PROMPT = 3
    SLASH_LOCAL = 4
    QUEUED = 5
    API_ERROR = 6
    LOCAL_COMMAND = 7


_ENTRIES = tuple(Entry)


class Thread:
    """The messages of one thread in order, each as places of its records."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._lengths = array("I")
        self._lines = array("I")
        self._next = array("i")
        self._first_pieces = array("i")
        self._entries = array("B")
        # By the hash of a response's key: there are as many as responses, and keys are long.
        self._last_piece: dict[int, int] = {}
        self._unanswered: dict[str, int] = {}
        self._early_results: dict[str, Place] = {}
        self._calls = RecentIds()
        self._dead: set[int] = set()

    def __len__(self) -> int:
        return len(self._entries)

    def messages(self) -> Iterator[tuple[Entry, list[Place]]]:
        """The living messages in order."""
        for number in range(len(self._entries)):
            if number not in self._dead:
                yield self.message(number)

    def abandoned(self) -> Iterator[tuple[Entry, list[Place]]]:
        """The messages that were dropped, in order."""
        return (self.message(number) for number in sorted(self._dead))

    def message(self, number: int) -> tuple[Entry, list[Place]]:
        """One message: what it is, and the places of its records."""
        places = []
        piece = self._first_pieces[number]
        while piece != _NONE:
            places.append((self._offsets[piece], self._lengths[piece], self._lines[piece]))
            piece = self._next[piece]
        return self.entry(number), places

    def add(self, entry: Entry, place: Place) -> int:
        """A message that is one record; return its number."""
        self._first_pieces.append(self._piece(place))
        self._entries.append(entry)
        return len(self._entries) - 1

    def entry(self, number: int) -> Entry:
        """What a message is."""
        return _ENTRIES[self._entries[number]]

    def set_entry(self, number: int, entry: Entry) -> None:
        """Correct what a message is."""
        self._entries[number] = entry

    def add_response(self, key: str, place: Place) -> int:
        """One record of a response; the first one places the message. Return its mark."""
        mark = hash(key)
        if mark in self._last_piece:
            self._chain(mark, place)
        else:
            self.add(Entry.RESPONSE, place)
            self._last_piece[mark] = len(self._offsets) - 1
        return mark

    def has_response(self, key: str | None) -> bool:
        """Whether a response is part of this thread."""
        return hash(key) in self._last_piece

    def add_call(self, response: int, call_id: str) -> None:
        """A call of the response with this mark; its result may have come before it."""
        self._calls.add(call_id)
        early = self._early_results.pop(call_id, None)
        if early is None:
            self._unanswered[call_id] = response
        else:
            self._chain(response, early)

    def add_result(self, call_id: str, place: Place) -> None:
        """A record with the result of a call."""
        response = self._unanswered.pop(call_id, None)
        if response is not None:
            self._chain(response, place)
        elif call_id not in self._calls:  # else it is answered already: the first wins
            self._early_results.setdefault(call_id, place)

    def drop(self, offsets: set[int]) -> int:
        """Leave out the messages that begin with one of these records; return how many."""
        self._dead = {
            number
            for number, piece in enumerate(self._first_pieces)
            if self._offsets[piece] in offsets
        }
        return len(self._dead)

    def orphan_results(self) -> list[int]:
        """Lines of results whose call is nowhere."""
        return [line for _, _, line in self._early_results.values()]

    def _chain(self, response: int, place: Place) -> None:
        last = self._last_piece[response]
        if self._offsets[last] == place[0]:  # one record with several results of one response
            return
        self._next[last] = self._last_piece[response] = self._piece(place)

    def _piece(self, place: Place) -> int:
        offset, length, line = place
        self._offsets.append(offset)
        self._lengths.append(length)
        self._lines.append(line)
        self._next.append(_NONE)
        return len(self._next) - 1
