"""A Codex session file as a stream of messages."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import takewhile
from typing import TYPE_CHECKING, BinaryIO

from pytest_agentv.adapters.bulk import BulkFile, Run
from pytest_agentv.adapters.clock import milliseconds, timestamp
from pytest_agentv.adapters.codex import PROVIDER, locate
from pytest_agentv.adapters.codex.compressed import open_session
from pytest_agentv.adapters.codex.document import document_records, is_document
from pytest_agentv.adapters.codex.frequent import FrequentRecord
from pytest_agentv.adapters.codex.records import Record
from pytest_agentv.adapters.codex.scan import Scan
from pytest_agentv.adapters.ids import is_uuid
from pytest_agentv.adapters.records import Drift, RecordFile, no_message
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.errors import Location, SessionError, SessionUnreadable
from pytest_agentv.transcript.model import Source
from pytest_agentv.transcript.stream import Head, Tail
from pytest_agentv.transcript.writing import Written, write_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_agentv.adapters.codex.children import Children
    from pytest_agentv.transcript.model import Message

# A prompt comes early; instructions and images before it may be large.
_BEGINNING = 16 << 20


class CodexSession:
    """One session, read in one pass."""

    def __init__(
        self,
        path: Path,
        *,
        tested: str | None = None,
        include_subagents: bool = False,
        spawned: Callable[[str, str | None], None] | None = None,
    ) -> None:
        """``spawned`` is told of every child thread and of the call that began it."""
        self._path = path
        self._children: Children | None = None
        if include_subagents:
            from pytest_agentv.adapters.codex.children import Children  # noqa: PLC0415 (rare)

            self._children = Children(path, self._child_messages)
        if spawned is None:
            spawned = _ignore if self._children is None else self._children.spawned
        self._scan = Scan(Drift(), spawned=spawned)
        _read(path, self._scan)
        if not len(self._scan.builder.conversation):
            raise _nothing_in(path, self._scan)
        version = self._scan.about.version
        if version is not None and tested is not None and is_newer(version, tested):
            self._scan.drift.note(f"version {version[:40]} is newer than {tested}", 1)
        self._tail = Tail()

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        about = self._scan.about
        return Head(
            source=Source(
                provider=PROVIDER,
                session_id=self._session_id(),
                model=about.model or about.chosen_model or about.inherited_model,
                version=about.version,
                title=about.title,
                timestamp=timestamp(about.started or about.created),
                ended_at=timestamp(about.ended),
                git_branch=about.git_branch,
                cwd=about.cwd,
            ),
            input=self._scan.builder.opening,
        )

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        conversation = self._scan.builder.conversation.messages()
        if self._children is None:
            yield from conversation
        else:
            for message in conversation:
                yield message
                yield from self._children.after(message)
            self._children.leave_out(self._scan.dead_spawns)
            yield from self._children.rest(self._scan.about)
        self._finish()

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the conversation as JSON, joined by commas."""
        if self._children is not None:
            return write_messages(file, self.messages())
        written = self._scan.builder.conversation.write_messages(file)
        self._finish()
        return written

    @property
    def tail(self) -> Tail:
        """Tokens, duration and what was left out; complete when all messages were read."""
        return self._tail

    def _finish(self) -> None:
        scan = self._scan
        about = scan.about
        duration = None
        if about.started is not None and about.ended is not None:
            duration = milliseconds(about.started, about.ended)
        self._tail = Tail(
            token_usage=scan.totals.finish(),
            duration_ms=duration,
            drift=dict(scan.drift.counts),
            left_out=dict(scan.left_out),
            drift_lines=dict(scan.drift.first_line),
        )

    def _session_id(self) -> str | None:
        by_name = locate.session_id_of(self._path)
        return by_name if is_uuid(by_name) else self._scan.about.session_id

    def _child_messages(self, path: Path) -> Iterator[Message]:
        drift = self._scan.drift
        assert self._children is not None
        try:
            child = CodexSession(path, spawned=self._children.spawned)
            self._children.leave_out(child._scan.dead_spawns)
            yield from child.messages()
        except SessionError:
            drift.note("sub-agent file that cannot be read", 1)
            return
        for reason, count in child.tail.drift.items():
            drift.note(f"sub-agent: {reason}", child.tail.drift_lines.get(reason, 1), count)


def scan_beginning(path: Path) -> Scan:
    """What a session says up to its first prompt."""
    scan = Scan(Drift(), spawned=_ignore)
    if is_document(path):
        scan.read(_until_opening(_document_runs(path, scan), scan))
        return scan
    file = open_session(path, limit=_BEGINNING, drift=scan.drift)
    with RecordFile(path, Record, scan.drift, file=file) as beginning:
        found = takewhile(lambda one: one[0][0] < _BEGINNING, beginning.records())
        runs = (Run(line, offset, [record], [size]) for (offset, size, line), record in found)
        scan.read(_until_opening(runs, scan))
    return scan


def _document_runs(path: Path, scan: Scan) -> Iterator[Run]:
    return (Run(line, 0, [one], [size]) for line, size, one in document_records(path, scan.drift))


def _until_opening(runs: Iterable[Run], scan: Scan) -> Iterator[Run]:
    """Runs as long as the one before them did not hold the first prompt."""
    for one in runs:
        yield one
        if scan.builder.opening is not None:
            return


def _read(path: Path, scan: Scan) -> None:
    if is_document(path):
        scan.read(_document_runs(path, scan))
        return
    with BulkFile(path, Record, scan.drift, file=open_session(path, drift=scan.drift)) as records:
        scan.read(records.runs(), expect_frequent=partial(records.expect, FrequentRecord))


def _ignore(thread: str, call_id: str | None) -> None:
    """Nobody wants to know of child threads."""


def _nothing_in(path: Path, scan: Scan) -> SessionUnreadable:
    """The error that there is no message, and why."""
    at = Location(path)
    if path.stat().st_size == 0:
        return SessionUnreadable("is empty", at=at)
    if scan.left_out["record copied from another session"]:
        message = "holds no message of its own: all are copies from the session it was forked from"
        return no_message(scan.drift, at=at, why=message)
    if scan.about.has_head:
        return no_message(scan.drift, at=at)
    from pytest_agentv.adapters.codex.lookalike import lookalike  # noqa: PLC0415 (rare)

    return SessionUnreadable(lookalike(path) or "holds no record of a Codex session", at=at)
