"""A Claude Code session file as a stream of messages."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.claude import locate
from pytest_agentv.adapters.claude.index import Index
from pytest_agentv.adapters.claude.lookalike import lookalike
from pytest_agentv.adapters.claude.messages import PROVIDER, MessageBuilder
from pytest_agentv.adapters.claude.persisted import PersistedOutputs
from pytest_agentv.adapters.claude.records import IndexRecord, MessageRecord
from pytest_agentv.adapters.claude.stream_json import StreamIndexRecord, StreamMessageRecord
from pytest_agentv.adapters.claude.subagents import SubAgents, agent_files, spawning_call
from pytest_agentv.adapters.claude.thread import Entry
from pytest_agentv.adapters.claude.usage import total_usage
from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.errors import Location, SessionError, SessionUnreadable
from pytest_agentv.transcript.model import Source
from pytest_agentv.transcript.stream import Head, Tail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.transcript.model import Message

_MAYBE_TYPED = (Entry.USER, Entry.SLASH_PROMPT, Entry.QUEUED)


class Dialect(NamedTuple):
    """The two ways Claude Code writes the same records."""

    index_record: type[IndexRecord]
    message_record: type[MessageRecord]


ON_DISK = Dialect(IndexRecord, MessageRecord)
PRINTED = Dialect(StreamIndexRecord, StreamMessageRecord)


class ClaudeSession:
    """One session, read in two passes: an index of places, then the messages."""

    def __init__(
        self, path: Path, *, tested: str, include_subagents: bool = False, dialect: Dialect
    ) -> None:
        self._path = path
        self._dialect = dialect
        self._include_subagents = include_subagents
        self._index = _indexed(path, dialect, keep_sidechains=include_subagents)
        if not len(self._index.main):
            raise SessionUnreadable(_nothing_in(path, self._index), at=Location(path))
        if self._index.version is not None and is_newer(self._index.version, tested):
            self._index.drift.note(f"version {self._index.version[:40]} is newer than {tested}", 1)
        self._persisted = PersistedOutputs(path)
        self._tail = Tail()

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        index = self._index
        return Head(
            source=Source(
                provider=PROVIDER,
                session_id=self._session_id(),
                model=index.model,
                version=index.version,
                title=index.title,
                timestamp=timestamp(index.started),
                ended_at=timestamp(index.ended),
                git_branch=index.git_branch,
                cwd=index.cwd,
            ),
            input=self._first_prompt(),
        )

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        drift = Drift()
        subagents = SubAgents()
        with RecordFile(self._path, self._dialect.message_record, drift) as file:
            builder = self._builder(file, subagents)
            if self._include_subagents:
                self._add_agents(subagents, file)
            for message in builder.conversation(self._index.main):
                yield message
                if self._include_subagents:
                    yield from subagents.after(message)
            yield from subagents.rest()
            for entry, places in self._index.main.abandoned():
                builder.messages(entry, places)  # not part of the conversation, but paid for
        self._index.drift.include(drift)
        self._tail = self._finished(builder)

    @property
    def tail(self) -> Tail:
        """Tokens, duration, cost and what was left out; complete when all messages were read."""
        return self._tail

    def _finished(self, builder: MessageBuilder) -> Tail:
        index = self._index
        left_out = dict(index.left_out)
        if self._persisted.missing:
            left_out["tool output in a file that is not there"] = self._persisted.missing
        return Tail(
            token_usage=total_usage(builder.totals.usage, index.result.usages),
            duration_ms=self._duration(),
            cost_usd=index.result.cost_usd if index.cost_usd is None else index.cost_usd,
            drift=dict(index.drift.counts),
            left_out=left_out,
            drift_lines=dict(index.drift.first_line),
        )

    def _duration(self) -> int | None:
        index = self._index
        if index.result.duration_ms is not None:
            return index.result.duration_ms
        if index.started is None or index.ended is None:
            return None
        return round((index.ended - index.started).total_seconds() * 1000)

    def _session_id(self) -> str | None:
        if locate.UUID.fullmatch(self._path.stem):
            return self._path.stem
        return next((one for one, _ in self._index.session_ids.most_common(1)), None)

    def _first_prompt(self) -> str | None:
        with RecordFile(self._path, self._dialect.message_record, Drift()) as file:
            builder = self._builder(file, SubAgents())
            for entry, places in self._index.main.messages():
                for message in builder.messages(entry, places) if entry in _MAYBE_TYPED else ():
                    if message.origin == "human" and message.content.strip():
                        return message.content.strip()
        return None

    def _builder(self, file: RecordFile[MessageRecord], subagents: SubAgents) -> MessageBuilder:
        return MessageBuilder(file, persisted=self._persisted.text, spawned=subagents.link)

    def _add_agents(self, subagents: SubAgents, file: RecordFile[MessageRecord]) -> None:
        """Make known all agents there are, and which call spawned them where that is written."""
        for agent, path in agent_files(self._path).items():
            subagents.add(agent, partial(self._agent_messages, path, subagents))
            call_id = spawning_call(path) or self._index.spawned_by.get(agent)
            if call_id is not None:
                subagents.link(agent, call_id)
        for agent, thread in self._index.sidechains.items():
            builder = self._builder(file, subagents)
            opening = next(iter(builder.messages(*thread.message(0))), None)
            subagents.add(
                agent,
                partial(builder.conversation, thread),
                prompt=opening.content if opening is not None else None,
            )

    def _agent_messages(self, path: Path, subagents: SubAgents) -> Iterator[Message]:
        """Messages of an agent's own file; what it repeats of the main thread is left out."""
        try:
            index = _indexed(path, self._dialect, keep_sidechains=False)
        except SessionError:
            self._index.drift.note("sub-agent file that cannot be read", 1)
            return
        drift = Drift()
        with RecordFile(path, self._dialect.message_record, drift) as file:
            for message in self._builder(file, subagents).conversation(index.main):
                if not self._index.main.has_response(message.id):
                    yield message
        index.drift.include(drift)
        for reason, count in index.drift.counts.items():
            self._index.drift.note(f"sub-agent: {reason}", index.drift.first_line[reason], count)


def _indexed(path: Path, dialect: Dialect, *, keep_sidechains: bool) -> Index:
    index = Index(keep_sidechains=keep_sidechains)
    with RecordFile(path, dialect.index_record, index.drift) as file:
        index.scan(file)
        if len(index.main) or not (index.sidechains or index.left_out["sub-agent record"]):
            return index
    # Nothing but side chains: the file of a sub-agent, whose thread is then the main one.
    index = Index(sidechain_is_main=True)
    with RecordFile(path, dialect.index_record, index.drift) as file:
        index.scan(file)
    return index


def _nothing_in(path: Path, index: Index) -> str:
    if path.stat().st_size == 0:
        return "is empty"
    if index.left_out or index.session_ids:
        return "holds no message at all: neither a prompt nor a response"
    return lookalike(path) or "holds no record of a Claude Code session"
