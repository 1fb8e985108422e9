"""What a session says of itself: id, folder, branch, version, model, title, times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.codex.records import Payload, Record


class About:
    """What is known so far; None is what the session does not say."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.is_child = False
        self.version: str | None = None
        self.model: str | None = None
        # The first one that was chosen: another may be, before a turn begins.
        self.chosen_model: str | None = None
        # The parent's when a fork was made, if the fork itself does not say.
        self.inherited_model: str | None = None
        self.title: str | None = None
        self.git_branch: str | None = None
        self.cwd: str | None = None
        # When the session began by its own head: all that the first versions say of time.
        self.created: datetime | None = None
        self.started: datetime | None = None
        self.ended: datetime | None = None
        self.has_head = False

    def head(self, meta: Payload) -> None:
        """The first head of a file; those after it are refreshed, or of another session."""
        self.has_head = True
        self.session_id = meta.id or meta.session_id
        is_spawned = isinstance(meta.source, dict) and "subagent" in meta.source
        self.is_child = is_spawned or meta.parent_thread_id is not None
        self.version = meta.cli_version
        self.model = meta.model
        self.cwd = meta.cwd
        self.git_branch = meta.git.branch if meta.git is not None else None
        self.created = meta.timestamp

    def bare_head(self, head: Record) -> None:
        """The head of a file of the first versions, which say little of themselves."""
        self.has_head = True
        self.session_id = head.id
        self.git_branch = head.git.branch if head.git is not None else None
        self.created = head.timestamp

    def at(self, time: datetime) -> None:
        """A record of this time is part of the session."""
        if self.started is None or time < self.started:
            self.started = time
        if self.ended is None or time > self.ended:
            self.ended = time
