"""Forks and child threads: where the copies of the parent's records end.

A fork's file begins with the records of the thread it was made from, written again with new
times. They are told from its own by their number, else by the turn they belong to, else by their
times: copies are older than the fork or written at once, and what a person types comes later.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.codex.records import Payload, Record

_PAUSE = timedelta(seconds=0.5)
_UUID_LENGTH = 36
# Content after which a parent's head is no more a sign of copies: those stand first.
_HEAD = frozenset({"session_meta", "turn_context", "world_state"})


class Copies:
    """Tells the records that a file copied from those that are its own."""

    def __init__(self) -> None:
        self.own_id: str | None = None
        self._created: float | None = None
        self._first_own: int | None = None
        self.is_copying = False
        # Whether a record may be a copy; once this is false, nobody need ask.
        self.may_come = True
        self._has_turns = False
        self._at_head = True
        self._previous: datetime | None = None

    def begin(self, meta: Payload, time: datetime | None) -> None:
        """The head of the session itself: the first one in its file."""
        self.own_id = meta.id
        created = meta.timestamp or time
        self._created = None if created is None else created.timestamp() * 1000
        self._first_own = _number(meta.subagent_history_start_ordinal)
        # A fork that says where its history is has no copy of it.
        is_whole = self._first_own is None and meta.history_base is None
        self.is_copying = meta.forked_from_id is not None and is_whole

    def parent(self, meta: Payload) -> None:
        """Another head; right after the first one it is the parent's, whose records follow."""
        if self._at_head and self._first_own is None and meta.id not in (None, self.own_id):
            self.is_copying = True

    def is_copy(self, record: Record, payload: Payload) -> bool:
        """Whether a record is the parent's."""
        if self._first_own is not None:
            number = _number(record.ordinal)
            if number is not None:
                return number < self._first_own
        if not self.is_copying:
            self._at_head = self._at_head and record.type in _HEAD
            self.may_come = self._at_head or self._first_own is not None
            return False
        self.is_copying = not self._is_own(record, payload)
        self._previous = record.timestamp or self._previous
        return self.is_copying

    def _is_own(self, record: Record, payload: Payload) -> bool:
        if self._is_older(record.timestamp):
            return False
        if payload.type == "task_started":
            begun = time_of(payload.turn_id)
            if begun is not None and self._created is not None:
                self._has_turns = True
                return begun >= self._created
        if self._has_turns or record.timestamp is None or self._previous is None:
            return False
        return record.timestamp - self._previous > _PAUSE

    def _is_older(self, time: datetime | None) -> bool:
        """Whether a record is from before the fork: a copy may keep its time."""
        return (
            time is not None
            and self._created is not None
            and (time.timestamp() * 1000 < self._created)
        )


def _number(ordinal: int | str | None) -> int | None:
    if isinstance(ordinal, str):  # as some builds write it
        return int(ordinal) if ordinal.isdecimal() and len(ordinal) <= len(str(1 << 53)) else None
    return ordinal


def time_of(turn_id: str | None) -> int | None:
    """Milliseconds since 1970, as ids of version 7 begin with; None for any other id."""
    if turn_id is None or len(turn_id) != _UUID_LENGTH or turn_id[14] != "7":
        return None
    try:
        return int(turn_id[:8] + turn_id[9:13], 16)
    except ValueError:
        return None
