"""A session while it grows: what is there, and then whatever is added, until somebody stops it.

The file is opened for as long as it takes to read it, is never locked, and may be cut off,
replaced or be gone for a while.
"""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING

from pytest_agentv.cli.console import say
from pytest_agentv.cli.read_raw import put_records, raw_records
from pytest_agentv.cli.read_session import POLL
from pytest_agentv.cli.read_unshown import Unshown
from pytest_agentv.errors import Location, SessionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path
    from typing import BinaryIO, NoReturn, TypeAlias

    from pytest_agentv.adapters.base import ReadOptions
    from pytest_agentv.cli.read_raw import RawRecord
    from pytest_agentv.cli.read_session import ClientSession
    from pytest_agentv.transcript.model import Message
    from pytest_agentv.views.entries import Entry

    PutEntries: TypeAlias = Callable[[Iterator[Entry]], object]

# To read a session again takes no more than this part of the time, however large it is.
_PART_OF_TIME = 0.2
# Sub-agents write to files of their own, of which only their client's adapter knows.
_LOOK_FOR_AGENTS = 3.0
# How many bytes before a place are compared to know whether it is still the same file.
_COMPARED = 4096


def follow_entries(
    session: ClientSession, options: ReadOptions, *, put_first: PutEntries, put_more: PutEntries
) -> NoReturn:
    """Print the entries that are there, and then those that come."""
    unshown = Unshown(session.adapter.provider)
    watched = _Watched(session.path)
    problem = None
    put = put_first
    next_look = 0.0
    while True:
        now = time.monotonic()
        if now >= next_look and (watched.has_changed() or options.include_subagents):
            # What nobody has touched for a while is complete from the beginning.
            changed = now if put is put_more else now - watched.age()
            begun = time.process_time()
            found = unshown.look(_messages(session, options), now=changed)
            try:
                put(chain(found, unshown.due(now=now)))
                put, problem = put_more, None
            except SessionError as exc:
                if problem != (problem := str(exc)):
                    say(f"agentv: {problem}; waiting")
            took = time.process_time() - begun
            least = _LOOK_FOR_AGENTS if options.include_subagents else 0.0
            next_look = now + max(took / _PART_OF_TIME, least)
        elif put is put_more:
            put(unshown.due(now=now))
        time.sleep(POLL)


def follow_records(session: ClientSession, *, since: datetime | None, last: int | None) -> NoReturn:
    """Print the records that are there, and then those that come, each when its line has ended."""
    watched = _Watched(session.path)
    records = _GrowingRecords(session.path)
    is_first = True
    while True:
        if watched.has_changed():
            try:
                file = session.open_records()
            except SessionError:  # gone again: what will be there then is a change
                continue
            with file:
                new = records.new_in(file)
                if is_first:
                    put_records(file, new, since=since, last=last)
                    is_first = False
                else:
                    put_records(file, new)
        time.sleep(POLL)


def _messages(session: ClientSession, options: ReadOptions) -> Iterator[Message]:
    """The conversation as it is when somebody begins to ask for it."""
    yield from session.stream(options).messages()


class _Watched:
    """A file, and whether it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._modified = 0.0

    def has_changed(self) -> bool:
        """Whether it is another than at the last call; a file that is gone has not changed yet."""
        try:
            status = self._path.stat()
        except OSError:
            return False
        now = (status.st_ino, status.st_size, status.st_mtime_ns)
        before, self._seen = self._seen, now
        self._modified = status.st_mtime
        return now != before

    def age(self) -> float:
        """For how many seconds nobody had written to it."""
        return max(time.time() - self._modified, 0.0)


class _GrowingRecords:
    """The records of a file that grows, each once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._before = b""

    def new_in(self, file: BinaryIO) -> Iterator[RawRecord]:
        """Whole lines that were not there before; all, if it is not the same file any more."""
        if not self._goes_on(file):
            say(f"agentv: {Location(self._path)}: was cut off or replaced; here is all of it")
            self._position, self._before = 0, b""
        for record in raw_records(file, start=self._position, only_whole=True):
            self._position = record.offset + len(record.raw)
            self._before = (self._before + record.raw)[-_COMPARED:]
            yield record

    def _goes_on(self, file: BinaryIO) -> bool:
        file.seek(self._position - len(self._before))
        return file.read(len(self._before)) == self._before
