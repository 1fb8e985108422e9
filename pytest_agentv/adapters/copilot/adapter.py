"""Copilot's adapter.

An adapter is made in every run, and mostly for another client's session: what reads sessions is
imported when one is read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.copilot import PROVIDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.adapters.copilot.session import CopilotSession


class CopilotAdapter:
    """Sessions of GitHub Copilot CLI, of all its versions."""

    name = "copilot"
    provider = PROVIDER
    tested = ("0.0.342", "1.0.78")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """COPILOT_HOME, else ~/.copilot."""
        from pytest_agentv.adapters.copilot import locate

        return locate.home(environ)

    def session_id_of(self, path: Path) -> str:
        """The id that the name of a session's file or folder says."""
        from pytest_agentv.adapters.copilot import locate

        return locate.session_id_of(path)

    def claims(self, path: Path) -> bool:
        """Whether Copilot wrote a file."""
        from pytest_agentv.adapters.copilot.sniff import form_of

        return form_of(path) is not None

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Each session once, wherever it lies; beside the usual home also where it was before."""
        from pytest_agentv.adapters.copilot import locate

        return locate.sessions(home, project, os.environ)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt, from no more records than that takes."""
        from pytest_agentv.adapters.copilot.session import read_session

        told = read_session(ref.path, until=lambda found: found.opening is not None)
        return SessionSummary(started=told.started, project=told.cwd, first_prompt=told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> CopilotSession:
        """The session as a stream."""
        from pytest_agentv.adapters.copilot.session import CopilotSession

        return CopilotSession(
            ref, tested=self.tested[1], include_subagents=options.include_subagents
        )
