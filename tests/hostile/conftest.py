"""Where hostile sessions lie and their transcripts go; in CI the same examples in every run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from agentv_command import InProcess
from hostile_vendors import VENDORS, Vendor
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pathlib import Path

# Examples are written to no database: what fails belongs into a test of its own.
settings.register_profile(
    "hostile",
    max_examples=150,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "hostile-ci", settings.get_profile("hostile"), max_examples=60, derandomize=True
)
settings.load_profile("hostile-ci" if os.environ.get("CI") else "hostile")


@pytest.fixture(params=VENDORS, ids=str)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    """Every client in turn: what is promised of one is promised of all."""
    assert isinstance(request.param, Vendor)
    return request.param


@pytest.fixture
def session_file(tmp_path: Path) -> Path:
    """Where the session of a test lies; nothing is there yet."""
    return tmp_path / "5e550000-0000-4000-8000-000000000001.jsonl"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Where its transcript goes; nothing is there yet."""
    return tmp_path / "transcript.jsonl"


@pytest.fixture
def agentv_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> InProcess:
    """The command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return InProcess(capsys)
