"""A session of Copilot's as a stream of messages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.copilot import PROVIDER
from pytest_agentv.adapters.copilot.eventfile import EventFile
from pytest_agentv.adapters.copilot.events import Events
from pytest_agentv.adapters.copilot.locate import session_id_of
from pytest_agentv.adapters.copilot.sniff import Form, form_of
from pytest_agentv.adapters.copilot.workspace import workspace_of
from pytest_agentv.adapters.ids import is_uuid
from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.versions import is_newer
from pytest_agentv.errors import Location, SessionUnreadable
from pytest_agentv.transcript.model import Source
from pytest_agentv.transcript.stream import Head, Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_agentv.adapters.copilot.told import Told
    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.writing import Written


def read_session(
    path: Path,
    *,
    include_subagents: bool = False,
    until: Callable[[Told], bool] | None = None,
) -> Told:
    """What a file tells, or what it tells before ``until`` is content."""
    drift = Drift()
    if form_of(path) is Form.DOCUMENT:
        from pytest_agentv.adapters.copilot.history import read_history  # noqa: PLC0415 (rare)

        told = read_history(path, drift)
    else:
        events = Events(drift, include_subagents=include_subagents)
        with EventFile(path, drift) as file:
            told = events.read(file, until=until)
    workspace = workspace_of(path)
    told.title = workspace.name or workspace.summary
    told.cwd = told.cwd or workspace.cwd
    told.git_branch = told.git_branch or workspace.branch
    return told


class CopilotSession:
    """One session, read in one pass."""

    def __init__(self, path: Path, *, tested: str, include_subagents: bool = False) -> None:
        self._path = path
        self._told = told = read_session(path, include_subagents=include_subagents)
        if not len(told.conversation):
            raise SessionUnreadable(_nothing_in(path, told), at=Location(path))
        if told.version is not None and is_newer(told.version, tested):
            told.drift.note(f"version {told.version[:40]} is newer than {tested}", 1)

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        told = self._told
        return Head(
            source=Source(
                provider=PROVIDER,
                session_id=self._session_id(),
                model=told.model,
                version=told.version,
                title=told.title,
                timestamp=timestamp(told.started),
                ended_at=timestamp(told.ended),
                git_branch=told.git_branch,
                cwd=told.cwd,
            ),
            input=told.opening,
        )

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        return self._told.conversation.messages()

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the conversation as JSON, joined by commas."""
        return self._told.conversation.write_messages(file)

    @property
    def tail(self) -> Tail:
        """Tokens, duration and what was left out."""
        told = self._told
        return Tail(
            token_usage=told.usage,
            duration_ms=told.duration_ms,
            drift=dict(told.drift.counts),
            left_out=dict(told.left_out),
            drift_lines=dict(told.drift.first_line),
        )

    def _session_id(self) -> str | None:
        named = session_id_of(self._path)
        return named if is_uuid(named) else self._told.session_id


def _nothing_in(path: Path, told: Told) -> str:
    if path.stat().st_size == 0:
        return "is empty"
    if told.left_out or told.session_id is not None:
        return "holds no message at all: neither a prompt nor a response"
    return "holds no record of a Copilot session"
