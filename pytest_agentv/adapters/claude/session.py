"""A Claude Code session file as a stream of messages."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, BinaryIO

from pytest_agentv.adapters.claude import locate
from pytest_agentv.adapters.claude.index import Index
from pytest_agentv.adapters.claude.lookalike import lookalike
from pytest_agentv.adapters.claude.maker import MessageMaker
from pytest_agentv.adapters.claude.messages import PROVIDER, Surroundings
from pytest_agentv.adapters.claude.persisted import PersistedOutputs
from pytest_agentv.adapters.claude.records import Record
from pytest_agentv.adapters.claude.spool import MessageSpool, stored, stored_one
from pytest_agentv.adapters.claude.stream_json import StreamRecord
from pytest_agentv.adapters.claude.subagents import (
    SubAgents,
    agent_files,
    sibling_agent_file,
    spawning_call,
)
from pytest_agentv.adapters.claude.thread import Entry
from pytest_agentv.adapters.claude.usage import Totals, total_usage
from pytest_agentv.adapters.clock import milliseconds, timestamp
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.errors import Location, SessionError, SessionUnreadable
from pytest_agentv.transcript.model import Source
from pytest_agentv.transcript.stream import Head, Tail, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from pytest_agentv.adapters.claude.spool import Stored
    from pytest_agentv.transcript.model import Message

    # The two ways Claude Code writes the same records.
    Dialect: TypeAlias = type[Record]

ON_DISK = Record
PRINTED = StreamRecord

_MAYBE_TYPED = (Entry.USER, Entry.SLASH_PROMPT, Entry.QUEUED)


class ClaudeSession:
    """One session: scanned once, most of its messages made on the way."""

    def __init__(
        self,
        path: Path,
        *,
        dialect: Dialect,
        tested: str | None = None,
        include_subagents: bool = False,
        spawned: Callable[[str, str], None] | None = None,
    ) -> None:
        """``spawned`` is told of every sub-agent and the call that spawned it."""
        self._path = path
        self._dialect = dialect
        self._persisted = PersistedOutputs(path)
        self._subagents = SubAgents() if include_subagents else None
        self._around = Surroundings(self._persisted.text, spawned or self._note_agent)
        self._index = Index(keep_sidechains=include_subagents)
        self._spool = MessageSpool(self._around, self._index.drift)
        self._scan()
        if not len(self._index.main):
            self._spool.close()
            raise SessionUnreadable(_nothing_in(path, self._index), at=Location(path))
        version = self._index.version
        if version is not None and tested is not None and is_newer(version, tested):
            self._index.drift.note(f"version {version[:40]} is newer than {tested}", 1)
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
        for found in self._stored():
            yield from found.decoded()

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the conversation as JSON, joined by commas, mostly as it lies in the spool."""
        messages = tool_calls = 0
        for text, said, called in self._stored():
            if messages:
                file.write(b",")
            file.write(text)
            messages += said
            tool_calls += called
        return Written(messages, tool_calls)

    @property
    def tail(self) -> Tail:
        """Tokens, duration, cost and what was left out; complete when all messages were read."""
        return self._tail

    def _scan(self) -> None:
        with RecordFile(self._path, self._dialect, self._index.drift) as file:
            self._index.scan(file, spool=self._spool)
        if len(self._index.main) or not self._index.has_sidechains:
            return
        # Nothing but side chains: the file of a sub-agent, whose thread is then the main one.
        self._spool.close()
        self._index = Index(sidechain_is_main=True)
        self._spool = MessageSpool(self._around, self._index.drift)
        with RecordFile(self._path, self._dialect, self._index.drift) as file:
            self._index.scan(file, spool=self._spool)

    def _stored(self) -> Iterator[Stored]:
        """The messages in order, from the spool or made from their records, and sub-agents'."""
        drift = Drift()
        thread = self._index.main
        with RecordFile(self._path, self._dialect, drift) as file:
            maker = MessageMaker(file, thread, self._around, self._spool.totals)
            if self._subagents is not None:
                self._add_agents(self._subagents, file)
            for number in thread.living():
                found = self._spool.stored(number) or stored(maker.messages(number))
                if found.messages:
                    yield found
                if self._subagents is not None and found.tool_calls:
                    for message in found.decoded():
                        yield from map(stored_one, self._subagents.after(message))
            if self._subagents is not None:
                yield from map(stored_one, self._subagents.rest())
            for number in thread.abandoned():  # not part of the conversation, but paid for
                if self._spool.stored(number) is None:
                    maker.messages(number)
        self._index.drift.include(drift)
        self._tail = self._finished()
        self._spool.close()

    def _finished(self) -> Tail:
        index = self._index
        left_out = dict(index.left_out)
        if self._persisted.missing:
            left_out["tool output in a file that is not there"] = len(self._persisted.missing)
        return Tail(
            token_usage=total_usage(self._spool.totals.usage, index.result.usages),
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
        return milliseconds(index.started, index.ended)

    def _session_id(self) -> str | None:
        if locate.UUID.fullmatch(self._path.stem):
            return self._path.stem
        return next((one for one, _ in self._index.session_ids.most_common(1)), None)

    def _first_prompt(self) -> str | None:
        thread = self._index.main
        with RecordFile(self._path, self._dialect, Drift()) as file:
            maker = MessageMaker(file, thread, self._around, Totals())
            typed = (one for one in thread.living() if thread.entry(one) in _MAYBE_TYPED)
            for number in typed:
                for message in maker.messages(number):
                    if message.origin == "human" and message.content.strip():
                        return message.content.strip()
        return None

    def _note_agent(self, agent: str, call_id: str) -> None:
        if self._subagents is not None:
            self._subagents.link(agent, call_id)

    def _add_agents(self, subagents: SubAgents, file: RecordFile[Record]) -> None:
        """Make known all agents there are, and which call spawned them where that is written."""
        beside = {agent: sibling_agent_file(self._path, agent) for agent in subagents.linked}
        found = {agent: path for agent, path in beside.items() if path is not None}
        for agent, path in {**found, **agent_files(self._path)}.items():
            subagents.add(agent, partial(self._agent_messages, path, subagents))
            call_id = spawning_call(path) or self._index.spawned_by.get(agent)
            if call_id is not None:
                subagents.link(agent, call_id)
        for agent, thread in self._index.sidechains.items():
            maker = MessageMaker(file, thread, self._around, Totals())
            opening = next(iter(maker.messages(0)), None)
            prompt = opening.content if opening is not None else None
            subagents.add(agent, maker.conversation, prompt=prompt)

    def _agent_messages(self, path: Path, subagents: SubAgents) -> Iterator[Message]:
        """Messages of an agent's own file; what it repeats of the main thread is left out."""
        try:
            agent = ClaudeSession(path, dialect=self._dialect, spawned=subagents.link)
        except SessionError:
            self._index.drift.note("sub-agent file that cannot be read", 1)
            return
        for message in agent.messages():
            if not self._index.main.has_response(message.id):
                yield message
        for reason, count in agent.tail.drift.items():
            line = agent.tail.drift_lines.get(reason, 1)
            self._index.drift.note(f"sub-agent: {reason}", line, count)


def _nothing_in(path: Path, index: Index) -> str:
    if path.stat().st_size == 0:
        return "is empty"
    if index.left_out or index.session_ids:
        return "holds no message at all: neither a prompt nor a response"
    return lookalike(path) or "holds no record of a Claude Code session"
