"""Reading synthetic Codex sessions through the adapter's public side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from codex_sessions import Session

from pytest_agentv import ReadOptions, SessionRef, load
from pytest_agentv.adapters.codex.adapter import CodexAdapter

if TYPE_CHECKING:
    from pathlib import Path

    from codex_sessions import Read

    from pytest_agentv import Transcript


@pytest.fixture
def adapter() -> CodexAdapter:
    return CodexAdapter()


@pytest.fixture
def read(adapter: CodexAdapter, tmp_path: Path) -> Read:
    """Read a session file, or write a session to one and read that."""

    def transcript(session: Session | Path, *, include_subagents: bool = False) -> Transcript:
        path = session.write_in(tmp_path) if isinstance(session, Session) else session
        options = ReadOptions(include_subagents=include_subagents)
        return load(adapter.read(SessionRef(path.stem, path), options))

    return transcript
