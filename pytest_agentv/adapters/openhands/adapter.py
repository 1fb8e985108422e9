"""OpenHands' adapter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.openhands import PROVIDER
from pytest_agentv.adapters.openhands.files import (
    event_files,
    folder_of,
    id_of,
    is_session,
    no_session,
    read_session,
    rows_of,
)
from pytest_agentv.adapters.openhands.tools import TOOLS
from pytest_agentv.adapters.places import InUsersHome, folder_ref, row_refs
from pytest_agentv.adapters.projects import of_project
from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.session import ToldSession

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "OpenHandsAdapter"]

_PLACES = ("", "conversations", "sessions", "users/*/conversations")


class OpenHandsAdapter(InUsersHome):
    """Conversations of OpenHands 1, sessions and trajectories of OpenHands 0, output of evals."""

    name = "openhands"
    provider = PROVIDER
    tested = ("0.9.0", "1.11.5")
    usual_home = ".openhands"
    home_variables = ("OPENHANDS_CONVERSATIONS_DIR", "OPENHANDS_PERSISTENCE_DIR")

    def claims(self, path: Path) -> bool:
        """Whether a file holds events, or is one of a conversation's folder."""
        return is_session(path)

    def claims_folder(self, path: Path) -> bool:
        """Whether a folder is that of a conversation, or of its events."""
        return folder_of(path) is not None

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Every folder of a conversation."""
        folders = (
            folder
            for place in _PLACES
            for folder in sorted(home.glob(f"{place}/*" if place else "*"))
            if not os.path.islink(folder) and event_files(folder / "events")  # noqa: PTH114
        )
        refs = (folder_ref(folder.name, folder, ".json") for folder in folders)
        return of_project(refs, project, lambda ref: read_session(ref).cwd)

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The conversation of a folder, or a session for each row of a file."""
        folder = folder_of(path)
        if folder is not None:
            yield folder_ref(folder.name, folder, ".json")
            return
        rows = [(number, id_of(row)) for number, row in rows_of(path, Drift())]
        if not rows:
            raise no_session(path)
        yield from row_refs(path, rows)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Folder and first prompt; times say no zone."""
        told = read_session(ref)
        return SessionSummary(None, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(read_session(ref), ref, tested=self.tested[1])
