"""Fixtures of the graders' tests."""

from __future__ import annotations

import pytest

from pytest_agentv.graders import patterns


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that may not take long, so that the tests do not."""
    monkeypatch.setattr(patterns, "SEARCH_SECONDS", 0.3)
