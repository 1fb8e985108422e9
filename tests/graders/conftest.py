"""Fixtures of the graders' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripts import Scripts

from pytest_agentv.graders import patterns

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that may not take long, so that the tests do not."""
    monkeypatch.setattr(patterns, "SEARCH_SECONDS", 0.3)


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    """Programs that judge sessions."""
    return Scripts(tmp_path)
