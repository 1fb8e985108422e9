"""Codex's adapter.

An adapter is made in every run, and mostly for another client's session: what reads sessions is
imported when one is read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.codex import PROVIDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date
    from pathlib import Path
    from typing import BinaryIO

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.adapters.codex.session import CodexSession


class CodexAdapter:
    """Sessions of Codex CLI, of all forms that it ever kept them in."""

    name = "codex"
    provider = PROVIDER
    tested = ("0.34.0", "0.146.0")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """CODEX_HOME, else ~/.codex."""
        from pytest_agentv.adapters.codex import locate

        return locate.home(environ)

    def claims(self, path: Path) -> bool:
        """Whether Codex wrote a file."""
        from pytest_agentv.adapters.codex.sniff import is_session

        return is_session(path)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """All sessions; child threads have files like any other."""
        from pytest_agentv.adapters.codex import locate

        return locate.sessions(home, project, os.environ)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt; what no person began has no prompt."""
        from pytest_agentv.adapters.codex import locate
        from pytest_agentv.adapters.codex.session import scan_beginning

        scan = scan_beginning(ref.path)
        about = scan.about
        return SessionSummary(
            started=about.started or about.created,
            project=about.cwd,
            first_prompt=scan.builder.opening if locate.is_own_session(ref) else None,
        )

    def read(self, ref: SessionRef, options: ReadOptions) -> CodexSession:
        """The session as a stream."""
        from pytest_agentv.adapters.codex.session import CodexSession

        return CodexSession(
            ref.path, tested=self.tested[1], include_subagents=options.include_subagents
        )

    def is_child(self, ref: SessionRef) -> bool:
        """Whether another thread, or Codex by itself, began a session."""
        from pytest_agentv.adapters.codex import locate

        return not locate.is_own_session(ref)

    def session_id_of(self, path: Path) -> str:
        """The id of the thread, which the file's name ends with."""
        from pytest_agentv.adapters.codex import locate

        return locate.session_id_of(path)

    def open_records(self, path: Path) -> BinaryIO:
        """The records of a session, which Codex compresses when it is old."""
        from pytest_agentv.adapters.codex.compressed import open_session

        return open_session(path)

    def date_of(self, ref: SessionRef) -> date | None:
        """The day that the file's name or its folders say."""
        from pytest_agentv.adapters.codex import locate

        return locate.date_of(ref)
