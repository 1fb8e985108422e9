"""The file of a session: one JSON document, or since 2026 a log of what was done to it.

In the log a message whose id came before takes its place, ``$rewindTo`` takes messages back, and
``$set`` changes what is said of the session, or all of its messages at once.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.placelist import PlaceList
from pytest_agentv.adapters.records import Drift, RecordFile, read_document, record_of
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.records import Place

_PRETTY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\r?\n")
_HEAD = 1 << 12
_TYPES = ("user", "gemini", "info", "warning", "error")
# Of a record that is one message.
_ALONE = -1


class Message(msgspec.Struct, rename="camel"):
    """One message as the client keeps it."""

    id: str | None = None
    type: str | None = None
    timestamp: str | None = None
    content: Any = None
    # What was typed, where the content has more: files that were referred to, for instance.
    display_content: Any = None
    model: str | None = None
    thoughts: list[Any] | None = None
    tokens: dict[str, Any] | None = None
    tool_calls: list[Any] | None = None


class About(msgspec.Struct, rename="camel"):
    """What is said of the session as a whole."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | None = None
    summary: str | None = None
    kind: str | None = None
    messages: list[msgspec.Raw] | None = None


class Record(About):
    """A line of the log: a message, a change, or what is said of the session at first."""

    id: str | None = None
    type: str | None = None
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    set: About | None = msgspec.field(default=None, name="$set")


def is_document(path: Path) -> bool:
    """Whether a file is one document: it is written over several lines."""
    with open_regular(path) as file:
        return _PRETTY.match(file.read(_HEAD)) is not None


class SessionFile:
    """One session as a file holds it; reading it again gives the same."""

    def __init__(self, path: Path, drift: Drift) -> None:
        self._path = path
        self._drift = drift
        self.about = About()
        self._raw: list[msgspec.Raw] = []
        # By the hash of their id, in their order: the number of a record, and which of the
        # messages in it if it holds several.
        self._entries: dict[int, int] = {}
        self._places = PlaceList()
        self._positions = array("q")
        # Messages that were taken back, in the same way: what they took was paid for.
        self._gone: dict[int, int] = {}
        self.taken_back = 0
        if is_document(path):
            self.about = read_document(path, About, drift)
            self._raw, self.about.messages = self.about.messages or [], None
        else:
            with RecordFile(path, Record, drift) as file:
                for place, record in file.records():
                    self._apply(record, place)

    def messages(self) -> Iterator[tuple[int | None, Message]]:
        """The messages that are left, each with its line if the file has lines."""
        for raw in self._raw:
            message = record_of(raw, Message, self._drift)
            if message is None:
                self._drift.note("message that is no object", 1)
            else:
                yield None, message
        yield from self._read(list(self._entries.values()))

    def gone(self) -> Iterator[Message]:
        """The messages that were taken back and did not come again."""
        numbers = [number for key, number in self._gone.items() if key not in self._entries]
        for _, message in self._read(sorted(numbers)):
            yield message

    def _read(self, numbers: list[int]) -> Iterator[tuple[int, Message]]:
        if not numbers:
            return
        again = Drift()
        # Of a record with many messages all are kept until those of another one are wanted.
        held: tuple[Place | None, list[msgspec.Raw]] = (None, [])
        with RecordFile(self._path, Message, again) as file:
            for number in numbers:
                place, position = self._places[number], self._positions[number]
                if position == _ALONE:
                    yield from file.records_at([place])
                    continue
                if held[0] != place:
                    held = place, self._several(place)
                message = None
                if position < len(held[1]):  # else it has changed since
                    message = record_of(held[1][position], Message, self._drift, place[2])
                if message is None:
                    self._drift.note("message that is no object", place[2])
                else:
                    yield place[2], message
        self._drift.include(again)

    def _several(self, place: Place) -> list[msgspec.Raw]:
        with RecordFile(self._path, Record, Drift()) as file:
            found = file.records_at([place])
        return [one for _, record in found for one in (record.set or record).messages or []]

    def _apply(self, record: Record, place: Place) -> None:
        if record.rewind_to is not None:
            self._rewind(record.rewind_to)
        elif record.id is not None and self._is_message(record):
            self._entries[hash(record.id)] = self._placed(place, _ALONE)
        elif record.set is not None or record.session_id is not None or record.messages is not None:
            self._set(record.set or record, place)
        else:
            self._drift.note("unknown record", place[2])

    def _is_message(self, record: Record) -> bool:
        """Whether a record is one; what is of no known type takes no other's place."""
        return record.type in _TYPES or (
            record.type is not None and hash(record.id) not in self._entries
        )

    def _rewind(self, id_: str) -> None:
        """Take back a message and all after it; all of them if it is unknown."""
        mark = hash(id_)
        is_known = mark in self._entries
        while self._entries:
            key, number = self._entries.popitem()
            self._gone[key] = number
            self.taken_back += 1
            if is_known and key == mark:
                break

    def _placed(self, place: Place, position: int) -> int:
        self._places.append(place)
        self._positions.append(position)
        return len(self._places) - 1

    def _set(self, about: About, place: Place) -> None:
        """What is new of the session; messages replace all that were there."""
        if about.messages is not None:
            self._entries = {
                hash(id_ or (place[0], number)): self._placed(place, number)
                for number, id_ in enumerate(_ids(about.messages))
            }
            about.messages = None
        for name in About.__struct_fields__:
            value = getattr(about, name)
            if value is not None:
                setattr(self.about, name, value)


class _Named(msgspec.Struct):
    id: str | None = None


def _ids(several: list[msgspec.Raw]) -> Iterator[str | None]:
    for raw in several:
        named = record_of(raw, _Named, Drift())
        yield None if named is None else named.id
