"""Which records make up which message of one thread.

A response's records are not adjacent: results stand between its calls, and a resumed session
repeats them later. So each message is a chain of pieces, a piece being the place of one record.
All of it is kept in flat arrays, some 20 bytes a record, because sessions may be huge.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING

from pytest_agentv.adapters.recent import RecentIds

if TYPE_CHECKING:
    from pytest_agentv.adapters.claude.records import IndexBlock, IndexRecord
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


def mark_of(record: IndexRecord) -> int:
    """The hash of a record's id; one without an id goes with the record that it follows."""
    return hash(record.uuid or record.parent_uuid)


class Thread:
    """The messages of one thread, by number in their order."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._lengths = array("I")
        self._lines = array("I")
        self._next = array("i")
        self._entries = array("B")
        self._marks = array("q")
        self._first_piece = array("i")
        self._last_piece = array("i")
        # By the hash of a response's key: there are as many as responses, and keys are long.
        self._responses: dict[int, int] = {}
        self._unanswered: dict[str, int] = {}
        self._early_results: dict[str, Place] = {}
        self._calls = RecentIds()
        self._dead: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self._entries)

    def living(self) -> list[int] | range:
        """Numbers of the messages that are part of the conversation."""
        numbers = range(len(self._entries))
        return [one for one in numbers if one not in self._dead] if self._dead else numbers

    def abandoned(self) -> list[int]:
        """Numbers of the messages that were dropped."""
        return sorted(self._dead)

    def entry(self, number: int) -> Entry:
        """What a message is."""
        return _ENTRIES[self._entries[number]]

    def set_entry(self, number: int, entry: Entry) -> None:
        """Correct what a message is."""
        self._entries[number] = entry

    def places(self, number: int) -> list[Place]:
        """Where a message's records are; the one that places it comes first."""
        places = []
        piece = self._first_piece[number]
        while piece != _NONE:
            places.append((self._offsets[piece], self._lengths[piece], self._lines[piece]))
            piece = self._next[piece]
        return places

    def add(self, entry: Entry, place: Place, record: IndexRecord) -> int:
        """A message that is one record; return its number."""
        return self._begin(entry, place, record)

    def _begin(self, entry: Entry, place: Place, record: IndexRecord) -> int:
        piece = self._piece(place)
        self._marks.append(mark_of(record))
        self._first_piece.append(piece)
        self._last_piece.append(piece)
        self._entries.append(entry)
        return len(self._entries) - 1

    def add_response(self, key: str, place: Place, record: IndexRecord) -> None:
        """One record of a response, with its calls."""
        mark = hash(key)
        number = self._responses.get(mark)
        if number is None:
            self._responses[mark] = number = self._begin(Entry.RESPONSE, place, record)
        else:
            last = self._last_piece
            self._next[last[number]] = last[number] = self._piece(place)
        content = record.message.content if record.message is not None else None
        for block in content if type(content) is list else ():
            if block.type == "tool_use" and block.id is not None:
                self._add_call(number, block.id)

    def has_response(self, key: str | None) -> bool:
        """Whether a response is part of this thread."""
        return hash(key) in self._responses

    def _add_call(self, number: int, call_id: str) -> None:
        """A call of a message; its result may have come before it."""
        self._calls.add(call_id)
        early = self._early_results.pop(call_id, None)
        if early is None:
            self._unanswered[call_id] = number
        else:
            self._chain(number, early)

    def add_result(
        self, call_id: str, place: Place, record: IndexRecord, block: IndexBlock
    ) -> None:
        """A record with the result of a call."""
        del record, block  # what they say is read later
        number = self._unanswered.pop(call_id, None)
        if number is not None:
            self._chain(number, place)
        elif call_id not in self._calls:  # else it is answered already, and the first wins
            self._early_results.setdefault(call_id, place)

    def catch_up(self) -> None:
        """Nothing waits here."""

    def drop(self, marks: set[int]) -> int:
        """Leave out messages by the mark of their first record; return how many."""
        self._dead = frozenset(number for number, mark in enumerate(self._marks) if mark in marks)
        return len(self._dead)

    def orphan_results(self) -> list[int]:
        """Lines of results whose call is nowhere."""
        return [line for _, _, line in self._early_results.values()]

    def _chain(self, number: int, place: Place) -> None:
        last = self._last_piece[number]
        if self._offsets[last] != place[0]:  # one record may hold several results of a response
            self._next[last] = self._last_piece[number] = self._piece(place)

    def _piece(self, place: Place) -> int:
        self._offsets.append(place[0])
        self._lengths.append(place[1])
        self._lines.append(place[2])
        self._next.append(_NONE)
        return len(self._next) - 1
