"""A conversation written down while it is read.

Only the end of a file shows what a conversation was: a branch may turn out abandoned, a response
or a result may go on late. Mostly nothing of that happens. So the messages are made as their
records come in and put by as JSON, one after another; to read all records twice would cost a third
more. A long draft goes to a temporary file. Messages of abandoned branches are taken out of it
again, and copies of what it holds change nothing. If anything else does, or there is no room for
the file, the draft is spoilt and the session is read in two passes instead.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_agentv.adapters.claude.copies import says_nothing_new
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
# The last messages wait in any case, if they are small: two responses may be written in turns.
_KEPT = 4
# Records, or messages that wait, from this size on are reason enough to close what is complete.
_LARGE = 1 << 18
# So much of the draft is kept in memory: less than that of others, as the index of a long session
# takes some, too.
_IN_MEMORY = 16 << 20
# Kinds of what is written: whether a response was finished is one, or that of any other.
_UNFINISHED, _FINISHED, _COMPOSED = range(3)


class Spoilt(Exception):
    """A draft turned out wrong."""


class _Single:
    """A message of one record; that of a slash command has to wait for its kind."""

    __slots__ = ("entry", "is_complete", "line", "offset", "record", "size")

    def __init__(self, entry: Entry, place: Place, record: Any) -> None:
        self.entry = entry
        self.offset, self.size, self.line = place
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
        self._waiting_size = 0
        # What is complete, or has waited long enough, but is not written yet.
        self._closed: list[Response | _Single] = []
        # Of what is written: where it begins in the file, which message it is or begins with, and
        # whether a copy of one of its records could be told.
        self._offsets = array("Q")
        self._messages = array("I")
        self._kinds = array("B")
        self._dead: set[int] = set()

    def __len__(self) -> int:
        return self._count

    def add(self, entry: Entry, place: Place, record: Any) -> int:
        """A message that is one record; return its number."""
        self._count = number = self._count + 1
        self._waiting[number] = _Single(entry, place, record)
        self._waiting_size += place[1]
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
            if len(self._waiting) >= _KEPT or self._waiting_size > _LARGE:
                self._close()
            self._count = number = self._responses[mark] = self._count + 1
            self._waiting[number] = response = Response(place[2], record, place[0])
        else:
            waiting = self._waiting.get(number)
            if not isinstance(waiting, Response):
                if self._is_copy(record, number):
                    return
                _spoil()  # it is closed already, and there is more of it
            response = waiting
        response.size += place[1]
        self._waiting_size += place[1]
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
        self._waiting_size += place[1]
        response.take_results(place[2], record)

    def drop(self, offsets: set[int]) -> int:
        """Leave out the messages that begin with one of these records; return how many."""
        self._dead = offsets
        unwritten = [one.offset for one in (*self._closed, *self._waiting.values())]
        return sum(offset in offsets for offset in (*self._offsets, *unwritten))

    def orphan_results(self) -> list[int]:
        """Lines of results whose call is nowhere."""
        return list(self._early_results.values())

    def catch_up(self) -> None:
        """Write what is closed: to make many messages in one go takes less time."""
        count = len(self.spool)
        try:
            for one in self._closed:
                self._offsets.append(one.offset)
                self._messages.append(count)
                if isinstance(one, Response):
                    message = one.message(self._around, self._drift)
                    if message.usage is not None:
                        self.totals.add(message.usage, complete=one.finished)
                    self._kinds.append(_COMPOSED if one.is_composed else one.finished)
                    self.spool.add(message, one.size)
                    count += 1
                else:
                    self._kinds.append(_COMPOSED)
                    self._write_single(one)
                    count = len(self.spool)
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
            if self._dead:
                self._leave_out_dead()
        except OutputError as exc:
            raise Spoilt from exc

    def _leave_out_dead(self) -> None:
        """Take the messages of abandoned branches out again; their tokens stay."""
        ends = [*self._messages[1:], len(self.spool)]
        entries = zip(self._offsets, self._messages, ends, strict=False)
        self.spool.leave_out(
            [
                number
                for offset, first, end in entries
                if offset in self._dead
                for number in range(first, end)
            ]
        )
        prompts = (one.content.strip() for one in self.spool.messages() if one.origin == "human")
        self.opening = next(filter(None, prompts), None)

    def _is_copy(self, record: Any, number: int) -> bool:
        """Whether a record says only what is told already of a response that is closed."""
        self.catch_up()
        kind = self._kinds[number - 1]
        if kind == _COMPOSED or (kind == _UNFINISHED and record.message.stop_reason is not None):
            return False
        return says_nothing_new(record, self.spool.message(self._messages[number - 1]))

    def _close(self) -> None:
        """Let go of what need not wait any longer."""
        waiting = self._waiting
        while waiting:
            number = next(iter(waiting))
            first = waiting[number]
            is_much = len(waiting) >= _KEPT or self._waiting_size > _LARGE
            if not (
                (first.is_complete and is_much)
                or len(waiting) > _MAX_WAITING
                or self._waiting_size > _MAX_WAITING_BYTES
            ):
                return
            del waiting[number]
            self._waiting_size -= first.size
            self._closed.append(first)

    def _write_single(self, single: _Single) -> None:
        for message in single_messages(single.entry, single.line, single.record):
            if self.opening is None and message.origin == "human":
                self.opening = message.content.strip() or None
            self.spool.add(message, single.size)


def _spoil() -> NoReturn:
    raise Spoilt
