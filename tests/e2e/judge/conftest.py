"""A project whose judge is a server on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded
from judge_server import JudgeServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eval_runs import EvalProject


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    server = JudgeServer()
    yield server
    server.stop()


@pytest.fixture
def judged(
    project: EvalProject, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> EvalProject:
    """A project whose judge is a server on this machine."""
    # There pytest shows reasons at full length a second time, in its last lines.
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AGENTV_MODEL", "AGENTV_JUDGE_CACHE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    project.sessions(recorded("Please find it done, thank you."))
    return project
