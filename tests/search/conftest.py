"""Fixtures of the tests of search: somebody with sessions, and an index of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agentv_command import ClaudeHome, new_home
from search_index import Index

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    """A user without any session yet."""
    return new_home(tmp_path, monkeypatch)


@pytest.fixture
def index(tmp_path: Path, home: ClaudeHome) -> Index:
    """The index of their sessions."""
    return Index(tmp_path / "data" / "index.db", home)
