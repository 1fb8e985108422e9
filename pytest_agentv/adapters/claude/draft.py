"""A conversation written down while it is read.

Only the end of a file shows what a conversation was: a branch may turn out abandoned, a result
may come late, a record may come again. Mostly nothing of that happens. So the messages are made
as their records come in and put by as JSON, one after another; to read all records twice would
cost a third more. A long draft goes to a temporary file. If something of that does happen, or
there is no room for the file, the draft is spoilt and the session is read in two passes instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pytest_agentv.adapters.claude.messages import Response, single_messages
from pytest_agentv.adapters.claude.thread import Entry
from pytest_agentv.adapters.claude.usage import Totals
from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.adapters.spool import Spool
from pytest_agentv.errors import OutputError

if TYPE_CHECKING:
    from pytest_agentv.adapters.claude.messages import Surroundings
    from pytest_agentv.adapters.records import Drift, Place

# How many messages may wait for a result that does not come, and bytes of records.
_MAX_WAITING = 16
_MAX_WAITING_BYTES = 8 << 20
# A record from this size on is reason enough to look whether anything can be closed.
_LARGE = 1 << 18
# So much of the draft is kept in memory: less than that of others, as the index of a long session
# takes some, too.
_IN_MEMORY = 16 << 20


class Spoilt(Exception):
    """A draft turned out wrong."""


class _Single:
    """A message of one record; that of a slash command has to wait for its kind."""

    __slots__ = ("entry", "is_complete", "line", "record", "size")

    def __init__(self, entry: Entry, place: Place, record: Any) -> None:
        self.entry = entry
        self.size, self.line = place[1:]
        self.record = record
        self.is_complete = entry is not Entry.SLASH_PROMPT


class Draft:
    """Takes the records of a thread as ``Thread`` does, and writes its messages at once.

    Every method that takes a record may raise Spoilt.
    """

    def __init__(self, around: Surroundings, drift: Drift) -> None:
        self.totals = Totals()
        self.spool = Spool(_IN_MEMORY)
        self.opening: str | None = None
        self._around = around
        self._drift = drift
        self._count = 0
        self._responses: dict[int, int] = {}
        self._unanswered: dict[str, int] = {}
        self._early_results: dict[str, int] = {}
        self._calls = RecentIds()
        # By number, in order; all of them wait for the first.
        self._waiting: dict[int, Response | _Single] = {}
        # What is complete, or has waited long enough, but is not written yet.
        self._closed: list[Response | _Single] = []

    def __len__(self) -> int:
        return self._count

    def add(self, entry: Entry, place: Place, record: Any) -> int:
        """A message that is one record; return its number."""
        self._count = number = self._count + 1
        self._waiting[number] = _Single(entry, place, record)
        if len(self._waiting) > _MAX_WAITING or place[1] > _LARGE:
            self._close()
        return number

    def set_entry(self, number: int, entry: Entry) -> None:
        """Settle what a message is."""
        single = self._waiting.get(number)
        if not isinstance(single, _Single):
            _spoil()
        single.entry = entry
        single.is_complete = True

    def add_response(self, key: str, place: Place, record: Any) -> None:
        """One record of a response, with its calls."""
        mark = hash(key)
        number = self._responses.get(mark)
        if number is None:
            if self._waiting:
                self._close()
            self._count = number = self._responses[mark] = self._count + 1
            self._waiting[number] = response = Response(place[2], record)
        else:
            waiting = self._waiting.get(number)
            if not isinstance(waiting, Response):
                _spoil()  # it is closed already: the record comes late, or again
            response = waiting
        response.size += place[1]
        for call_id in response.take(place[2], record):
            self._calls.add(call_id)
            if call_id in self._early_results:
                _spoil()  # the record with its result is gone
            self._unanswered[call_id] = number

    def add_result(self, call_id: str, place: Place, record: Any) -> None:
        """A record with the result of a call."""
        number = self._unanswered.pop(call_id, None)
        if number is None:
            if call_id not in self._calls:  # else it is answered already, and the first wins
                self._early_results.setdefault(call_id, place[2])
            return
        response = self._waiting.get(number)
        if not isinstance(response, Response):
            _spoil()
        response.size += place[1]
        response.take_results(place[2], record)

    def drop(self, offsets: set[int]) -> int:
        """Leave out records that are written already."""
        if offsets:
            _spoil()
        return 0

    def orphan_results(self) -> list[int]:
        """Lines of results whose call is nowhere."""
        return list(self._early_results.values())

    def catch_up(self) -> None:
        """Write what is closed: to make many messages in one go takes less time."""
        try:
            for one in self._closed:
                if isinstance(one, Response):
                    message = one.message(self._around, self._drift)
                    if message.usage is not None:
                        self.totals.add(message.usage, complete=one.finished)
                    self.spool.add(message, one.size)
                else:
                    self._write_single(one)
        except OutputError as exc:
            raise Spoilt from exc
        self._closed.clear()

    def finish(self) -> None:
        """There are no more records."""
        self._closed += self._waiting.values()
        self._waiting.clear()
        self.catch_up()
        try:
            self.spool.finish()
        except OutputError as exc:
            raise Spoilt from exc

    def _close(self) -> None:
        """Let go of what need not wait any longer."""
        waiting = self._waiting
        while waiting:
            number = next(iter(waiting))
            first = waiting[number]
            if not (
                first.is_complete
                or len(waiting) > _MAX_WAITING
                or sum(one.size for one in waiting.values()) > _MAX_WAITING_BYTES
            ):
                return
            del waiting[number]
            self._closed.append(first)

    def _write_single(self, single: _Single) -> None:
        for message in single_messages(single.entry, single.line, single.record):
            if self.opening is None and message.origin == "human":
                self.opening = message.content.strip() or None
            self.spool.add(message, single.size)


def _spoil() -> NoReturn:
    raise Spoilt
