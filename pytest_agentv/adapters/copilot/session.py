"""A session of Copilot's as a stream of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.copilot.eventfile import EventFile
from pytest_agentv.adapters.copilot.events import Events
from pytest_agentv.adapters.copilot.locate import session_id_of
from pytest_agentv.adapters.copilot.sniff import Form, form_of
from pytest_agentv.adapters.copilot.workspace import workspace_of
from pytest_agentv.adapters.ids import is_uuid
from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_agentv.adapters.base import SessionRef
    from pytest_agentv.adapters.told import Told


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


class CopilotSession(ToldSession):
    """One session, read in one pass."""

    def __init__(self, ref: SessionRef, *, tested: str, include_subagents: bool = False) -> None:
        told = read_session(ref.path, include_subagents=include_subagents)
        self._has_begun = told.session_id is not None
        if is_uuid(session_id_of(ref.path)):
            told.session_id = session_id_of(ref.path)
        super().__init__(told, ref, tested=tested)

    def _nothing(self) -> SessionUnreadable:
        if any(self._told.left_out.values()) or self._has_begun:
            return super()._nothing()
        return SessionUnreadable("holds no record of a Copilot session", at=self._ref.at)
