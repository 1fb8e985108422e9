"""Claude Code's adapter.

An adapter is made in every run, and mostly for another client's session: what reads sessions is
imported when one is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.claude import PROVIDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.adapters.claude.session import ClaudeSession


class ClaudeAdapter:
    """Sessions of Claude Code, as it keeps them and as claude -p prints them (stream-json)."""

    name = "claude"
    provider = PROVIDER
    tested = ("1.0.17", "2.1.222")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """``projects`` below CLAUDE_CONFIG_DIR, else below ~/.claude."""
        from pytest_agentv.adapters.claude.locate import projects_folder

        return projects_folder(environ)

    def claims(self, path: Path) -> bool:
        """Whether Claude Code wrote a file."""
        from pytest_agentv.adapters.claude.sniff import dialect_of

        return dialect_of(path) is not None

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Main sessions; the files of sub-agents are part of theirs."""
        from pytest_agentv.adapters.claude.locate import sessions

        return sessions(home, project)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt, from no more records than that takes."""
        from pytest_agentv.adapters.claude.index import Index
        from pytest_agentv.adapters.claude.session import ON_DISK
        from pytest_agentv.adapters.claude.sniff import dialect_of
        from pytest_agentv.adapters.claude.thread import Thread
        from pytest_agentv.adapters.records import Drift, RecordFile

        dialect = dialect_of(ref.path) or ON_DISK
        index = Index(Thread(), Drift())
        with RecordFile(ref.path, dialect.index_record, index.drift) as file:
            index.look(file, until=lambda found: found.opening is not None)
        return SessionSummary(
            started=index.about.started, project=index.about.cwd, first_prompt=index.opening
        )

    def read(self, ref: SessionRef, options: ReadOptions) -> ClaudeSession:
        """The session as a stream."""
        from pytest_agentv.adapters.claude.session import ON_DISK, ClaudeSession
        from pytest_agentv.adapters.claude.sniff import dialect_of

        return ClaudeSession(
            ref.path,
            tested=self.tested[1],
            include_subagents=options.include_subagents,
            dialect=dialect_of(ref.path) or ON_DISK,
        )
