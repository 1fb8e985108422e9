"""A Claude Code session file as a stream of messages."""

from __future__ import annotations

import contextlib
from functools import cached_property, partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from pytest_agentv.adapters.bulk import BulkFile
from pytest_agentv.adapters.claude import PROVIDER
from pytest_agentv.adapters.claude.draft import Draft, Spoilt
from pytest_agentv.adapters.claude.index import Index
from pytest_agentv.adapters.claude.lookalike import lookalike
from pytest_agentv.adapters.claude.maker import MessageMaker
from pytest_agentv.adapters.claude.messages import Surroundings
from pytest_agentv.adapters.claude.persisted import PersistedOutputs
from pytest_agentv.adapters.claude.records import IndexRecord, Record, WrittenRecord
from pytest_agentv.adapters.claude.stream_json import StreamRecord
from pytest_agentv.adapters.claude.subagents import (
    SubAgents,
    agent_files,
    sibling_agent_file,
    spawning_call,
)
from pytest_agentv.adapters.claude.thread import Entry, Thread
from pytest_agentv.adapters.claude.usage import Totals, total_usage
from pytest_agentv.adapters.clock import milliseconds, timestamp
from pytest_agentv.adapters.ids import is_uuid
from pytest_agentv.adapters.records import Drift, RecordFile, no_message
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.errors import Location, SessionError, SessionUnreadable
from pytest_agentv.transcript.model import Source
from pytest_agentv.transcript.stream import Head, Tail
from pytest_agentv.transcript.writing import Written, write_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_agentv.transcript.model import Message

_NOTHING_SAID = "holds no message at all that can be read"
_MAYBE_TYPED = (Entry.USER, Entry.SLASH_PROMPT, Entry.QUEUED)


class Dialect(NamedTuple):
    """One of the two ways Claude Code writes the same records."""

    index_record: type[IndexRecord]
    record: type[Record]
    # What most records are, where they are read once.
    expected: type[Record]


ON_DISK = Dialect(IndexRecord, Record, WrittenRecord)
PRINTED = Dialect(StreamRecord, StreamRecord, StreamRecord)


class ClaudeSession:
    """One session: drafted while it is scanned, or else read in two passes."""

    def __init__(
        self,
        path: Path,
        *,
        dialect: Dialect,
        tested: str | None = None,
        include_subagents: bool = False,
        spawned: Callable[[str, str], None] | None = None,
        persisted: PersistedOutputs | None = None,
    ) -> None:
        """``spawned`` is told of every sub-agent and of the call that spawned it.

        ``persisted``: the outputs of the session that a sub-agent is of.
        """
        self._path = path
        self._dialect = dialect
        self._persisted = PersistedOutputs(path) if persisted is None else persisted
        self._subagents = SubAgents(self._agent_beside) if include_subagents else None
        if spawned is None:
            spawned = _ignore if self._subagents is None else self._subagents.link
        self._around = Surroundings(self._persisted.text, spawned)
        self._index = self._indexed()
        if not len(self._index.main):
            raise _nothing_in(path, self._index)
        version = self._index.about.version
        if version is not None and tested is not None and is_newer(version, tested):
            self._index.drift.note(f"version {version[:40]} is newer than {tested}", 1)
        self._tail = Tail()

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        about = self._index.about
        return Head(
            source=Source(
                provider=PROVIDER,
                session_id=self._session_id(),
                model=about.model,
                version=about.version,
                title=about.title,
                timestamp=timestamp(about.started),
                ended_at=timestamp(about.ended),
                git_branch=about.git_branch,
                cwd=about.cwd,
            ),
            input=self._first_prompt(),
        )

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        thread = self._index.main
        if isinstance(thread, Draft):
            yield from thread.spool.messages()
            self._finish(thread.totals)
            return
        drift = Drift()
        totals = Totals()
        with self._records(drift) as file:
            maker = MessageMaker(file, thread, self._around, totals)
            conversation = maker.conversation()
            if self._subagents is not None:
                conversation = self._with_subagents(conversation, self._subagents, file)
            count = 0
            for count, message in enumerate(conversation, 1):  # noqa: B007 (counted for below)
                yield message
            if not count:  # records that say nothing, or a file that was emptied meanwhile
                raise SessionUnreadable(_NOTHING_SAID, at=Location(self._path))
            for number in thread.abandoned():
                maker.messages(number)  # not part of the conversation, but paid for
        self._index.drift.include(drift)
        self._finish(totals)

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the conversation as JSON, joined by commas: the draft, if there is one."""
        thread = self._index.main
        if not isinstance(thread, Draft):
            return write_messages(file, self.messages())
        written = thread.spool.write_messages(file)
        self._finish(thread.totals)
        return written

    @property
    def tail(self) -> Tail:
        """Tokens, duration, cost and what was left out; complete when all messages were read."""
        return self._tail

    def _indexed(self) -> Index:
        index = self._scanned(sidechain_is_main=False)
        if (len(index.main) and index.about.is_told) or not index.has_sidechains:
            return index
        # Nothing but side chains, and what the client notes of its queue of prompts: the file of a
        # sub-agent, whose thread is then the main one.
        return self._scanned(sidechain_is_main=True)

    def _scanned(self, *, sidechain_is_main: bool) -> Index:
        drift = Drift()
        if self._subagents is None:
            with contextlib.suppress(Spoilt):
                return self._drafted(drift, sidechain_is_main=sidechain_is_main)
            drift = Drift()
        index = Index(
            Thread(),
            drift,
            sidechain_is_main=sidechain_is_main,
            keep_sidechains=self._subagents is not None and not sidechain_is_main,
        )
        with BulkFile(self._path, self._dialect.index_record, drift) as file:
            index.scan(file)
        return index

    def _drafted(self, drift: Drift, *, sidechain_is_main: bool) -> Index:
        draft = Draft(self._around, drift)
        index = Index(draft, drift, sidechain_is_main=sidechain_is_main)
        dialect = self._dialect
        with BulkFile(self._path, dialect.record, drift, expected=dialect.expected) as file:
            index.scan(file)
        draft.finish()
        if len(draft) and not len(draft.spool):
            raise SessionUnreadable(_NOTHING_SAID, at=Location(self._path))
        return index

    def _records(self, drift: Drift) -> RecordFile[Record]:
        return RecordFile(self._path, self._dialect.record, drift)

    def _finish(self, totals: Totals) -> None:
        index = self._index
        cost = index.about.cost_usd
        left_out = dict(index.left_out)
        if self._persisted.missing:
            left_out["tool output in a file that is gone or too large"] = len(
                self._persisted.missing
            )
        self._tail = Tail(
            token_usage=total_usage(totals.usage, index.result.usages),
            duration_ms=self._duration(),
            cost_usd=index.result.cost_usd if cost is None else cost,
            drift=dict(index.drift.counts),
            left_out=left_out,
            drift_lines=dict(index.drift.first_line),
        )

    def _duration(self) -> int | None:
        stated = self._index.result.duration_ms
        started, ended = self._index.about.started, self._index.about.ended
        if stated is not None or started is None or ended is None:
            return stated
        return milliseconds(started, ended)

    def _session_id(self) -> str | None:
        if is_uuid(self._path.stem):
            return self._path.stem
        return next((one for one, _ in self._index.about.session_ids.most_common(1)), None)

    def _first_prompt(self) -> str | None:
        thread = self._index.main
        if isinstance(thread, Draft):
            return thread.opening
        with self._records(Drift()) as file:
            maker = MessageMaker(file, thread, self._around, Totals())
            for number in thread.living():
                for message in maker.messages(number) if _may_be_typed(thread, number) else ():
                    if message.origin == "human" and message.content.strip():
                        return message.content.strip()
        return None

    def _with_subagents(
        self,
        conversation: Iterator[Message],
        subagents: SubAgents,
        file: RecordFile[Record],
    ) -> Iterator[Message]:
        for agent, path in agent_files(self._path).items():
            subagents.add(agent, partial(self._agent_messages, path))
            call_id = spawning_call(path) or self._index.spawned_by.get(agent)
            if call_id is not None:
                subagents.link(agent, call_id)
        for agent, thread in self._index.sidechains.items():
            maker = MessageMaker(file, thread, self._around, Totals())
            opening = next(maker.conversation(), None)
            prompt = opening.content if opening is not None else None
            subagents.add(agent, maker.conversation, prompt=prompt)
        for message in conversation:
            yield message
            yield from subagents.after(message)
        yield from subagents.rest()

    def _agent_beside(self, agent: str) -> Callable[[], Iterator[Message]] | None:
        path = sibling_agent_file(self._path, agent)
        return None if path is None else partial(self._agent_messages, path)

    def _agent_messages(self, path: Path) -> Iterator[Message]:
        """Messages of an agent's own file; what it repeats of the main thread is left out."""
        main = self._index.main
        try:
            agent = ClaudeSession(
                path,
                dialect=self._dialect,
                spawned=self._around.spawned,
                persisted=self._persisted,
            )
            for message in agent.messages():
                if not (isinstance(main, Thread) and main.has_response(message.id)):
                    yield message
        except SessionError:
            self._index.drift.note("sub-agent file that cannot be read", 1)
            return
        for reason, count in agent.tail.drift.items():
            line = agent.tail.drift_lines.get(reason, 1)
            self._index.drift.note(f"sub-agent: {reason}", line, count)


def _ignore(agent: str, call_id: str) -> None:
    """Nobody wants to know of sub-agents."""


def _may_be_typed(thread: Thread, number: int) -> bool:
    return thread.entry(number) in _MAYBE_TYPED


def _nothing_in(path: Path, index: Index) -> SessionUnreadable:
    """The error that there is no message, and why."""
    at = Location(path)
    if path.stat().st_size == 0:
        return SessionUnreadable("is empty", at=at)
    if index.left_out or index.about.session_ids:
        return no_message(index.drift, at=at)
    return SessionUnreadable(lookalike(path) or "holds no record of a Claude Code session", at=at)
