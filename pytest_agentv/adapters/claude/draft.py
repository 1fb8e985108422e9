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
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_agentv.adapters.claude.copies import says_nothing_new
from pytest_agentv.adapters.claude.messages import Response, single_messages
from pytest_agentv.adapters.claude.thread import Entry, mark_of
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
# Messages that wait are reason enough to write what is complete from this size on.
_LARGE = 1 << 18
# So much of the draft is kept in memory: less than that of others, as the index of a long session
# takes some, too.
_IN_MEMORY = 16 << 20
# To find copies takes so many bytes of the draft, and so many calls, at most: a large message may
# have any number of them.
_MOST_DECODED = 1 << 30
_MOST_CALLS = 10_000_000
# Kinds of what is written: whether a response was finished is one, or that of any other.
_UNFINISHED, _FINISHED, _COMPOSED = range(3)


class Spoilt(Exception):
    """A draft turned out wrong."""


class _Single:
    """A message of one record; that of a slash command has to wait for its kind."""

    __slots__ = ("entry", "first", "is_complete", "line", "size")

    def __init__(self, entry: Entry, place: Place, record: Any) -> None:
        self.entry = entry
        _, self.size, self.line = place
        self.first = record
        self.is_complete = entry is not Entry.SLASH_PROMPT


class Draft:
    """The messages of one thread, made as their records come in.

    Every method that takes a record may raise Spoilt.
    """

    def __init__(self, around: Surroundings, drift: Drift) -> None:
        self.totals = Totals()
        self.spool = Spool(_IN_MEMORY)
        self.opening: str | None = None
        self._around = around
        self._drift = drift
        # The number of a message, by the hash of a response's key and by the id of a call.
        self._responses: dict[int, int] = {}
        self._unanswered: dict[str, int] = {}
        self._early_results: dict[str, int] = {}
        self._answered = RecentIds()
        self._just_answered: list[str] = []
        # In their order, from the first that may change; the others wait for that one.
        self._waiting: list[Response | _Single] = []
        # Of what is written: the mark of its first record, which message it is or begins with,
        # and whether a copy of one of its records could be told.
        self._marks = array("q")
        self._messages = array("I")
        self._kinds = array("B")
        self._dead: set[int] = set()
        # How many calls were looked at to find copies.
        self._calls_looked_at = 0

    def __len__(self) -> int:
        return len(self._kinds) + len(self._waiting)

    def add(self, entry: Entry, place: Place, record: Any) -> int:
        """A message that is one record; return its number."""
        self._waiting.append(_Single(entry, place, record))
        return len(self) - 1

    def set_entry(self, number: int, entry: Entry) -> None:
        """Settle what a message is."""
        single = self._waiting_at(number)
        if not isinstance(single, _Single):
            _spoil()
        single.entry = entry
        single.is_complete = True

    def add_response(self, key: str, place: Place, record: Any) -> None:
        """One record of a response, with its calls."""
        mark = hash(key)
        number = self._responses.get(mark)
        if number is None:
            number = self._responses[mark] = len(self._kinds) + len(self._waiting)
            response = Response(place[2], record)
            self._waiting.append(response)
        else:
            waiting = self._waiting_at(number)
            if not isinstance(waiting, Response):
                if self._is_copy(record, number):
                    return
                _spoil()  # it is written already, and there is more of it
            response = waiting
        response.size += place[1]
        for call_id in response.take(place[2], record):
            if call_id in self._early_results:
                _spoil()  # the record with its result is gone
            self._unanswered[call_id] = number

    def add_result(self, call_id: str, place: Place, record: Any, block: Any) -> None:
        """A record with the result of a call."""
        number = self._unanswered.pop(call_id, None)
        if number is None:
            self._note_answered()
            if call_id not in self._answered:  # else the first answer wins
                self._early_results.setdefault(call_id, place[2])
            return
        self._just_answered.append(call_id)
        response = self._waiting_at(number)
        if not isinstance(response, Response):
            _spoil()
        response.size += place[1]
        response.take_result(place[2], record, block)

    def drop(self, marks: set[int]) -> int:
        """Leave out messages by the mark of their first record; return how many."""
        self._dead = marks
        waiting = [mark_of(one.first) for one in self._waiting]
        return sum(mark in marks for mark in chain(self._marks, waiting))

    def orphan_results(self) -> list[int]:
        """Lines of results whose call is nowhere."""
        return list(self._early_results.values())

    def catch_up(self) -> None:
        """Write what need not wait any longer: to make many in one go takes less time."""
        self._note_answered()
        waiting = self._waiting
        size = sum([one.size for one in waiting])
        count = 0
        for one in waiting:
            left = len(waiting) - count
            if not (
                (one.is_complete and (left >= _KEPT or size > _LARGE))
                or left > _MAX_WAITING
                or size > _MAX_WAITING_BYTES
            ):
                break
            count += 1
            size -= one.size
        self._write(count)

    def finish(self) -> None:
        """There are no more records."""
        self._write(len(self._waiting))
        try:
            self.spool.finish()
            if self._dead:
                self._leave_out_dead()
        except OutputError as exc:
            raise Spoilt from exc

    def _waiting_at(self, number: int) -> Response | _Single | None:
        """A message that may change still; None if it is written."""
        place = number - len(self._kinds)
        return self._waiting[place] if place >= 0 else None

    def _note_answered(self) -> None:
        if not self._answered.add_all(self._just_answered):
            for call_id in self._just_answered:
                self._answered.add(call_id)
        self._just_answered.clear()

    def _write(self, count: int) -> None:
        """Write so many of the messages that wait."""
        written = self._waiting[:count]
        del self._waiting[:count]
        spool = self.spool
        try:
            for one in written:
                self._marks.append(mark_of(one.first))
                self._messages.append(len(spool))
                if isinstance(one, Response):
                    message = one.message(self._around, self._drift)
                    self.totals.add(message.usage, complete=one.finished)
                    self._kinds.append(_COMPOSED if one.is_composed else one.finished)
                    spool.add(message, one.size)
                else:
                    self._kinds.append(_COMPOSED)
                    self._write_single(one)
        except OutputError as exc:
            raise Spoilt from exc

    def _write_single(self, single: _Single) -> None:
        for message in single_messages(single.entry, single.line, single.first):
            if self.opening is None and message.origin == "human":
                self.opening = message.content.strip() or None
            self.spool.add(message, single.size)

    def _leave_out_dead(self) -> None:
        """Take the messages of abandoned branches out again; their tokens stay."""
        ends = chain(islice(self._messages, 1, None), [len(self.spool)])
        entries = zip(self._marks, self._messages, ends, strict=False)
        self.spool.leave_out(
            [
                number
                for mark, first, end in entries
                if mark in self._dead
                for number in range(first, end)
            ]
        )
        prompts = (one.content.strip() for one in self.spool.messages() if one.origin == "human")
        self.opening = next(filter(None, prompts), None)

    def _is_copy(self, record: Any, number: int) -> bool:
        """Whether a record says only what is told already of a response that is written."""
        kind = self._kinds[number]
        if kind == _COMPOSED or (kind == _UNFINISHED and record.message.stop_reason is not None):
            return False
        message = self.spool.message(self._messages[number])
        self._calls_looked_at += len(message.tool_calls)
        if self.spool.decoded > _MOST_DECODED or self._calls_looked_at > _MOST_CALLS:
            _spoil()
        return says_nothing_new(record, message)


def _spoil() -> NoReturn:
    raise Spoilt
