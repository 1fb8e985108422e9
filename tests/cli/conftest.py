"""Fixtures of the command line's tests: a user with a home of their own, and the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agentv_command import ClaudeHome, InProcess, new_home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that the command runs in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    """A user without any session yet."""
    del work  # is there before
    return new_home(tmp_path, monkeypatch)


@pytest.fixture
def agentv(home: ClaudeHome, capsys: pytest.CaptureFixture[str]) -> InProcess:
    """The command ``agentv``, run in this process."""
    del home  # never the home of whoever runs the tests
    return InProcess(capsys)
