"""A project with eval files for each test, far from whatever the tests themselves run in."""

from __future__ import annotations

import pytest
from eval_runs import EvalProject

_FOREIGN = (
    "CLAUDE_CONFIG_DIR",
    "COLUMNS",
    "GITHUB_ACTIONS",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
    "PYTEST_ADDOPTS",
)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> EvalProject:
    """A project with our plugin and no other one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # Under pytest-xdist these say that the process is a worker.
    for name in (*_FOREIGN, "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    return EvalProject(pytester)
