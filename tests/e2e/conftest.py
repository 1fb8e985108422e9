"""A project with eval files for each test, far from whatever the tests themselves run in."""

from __future__ import annotations

import pytest
from eval_runs import EvalProject, recorded

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


@pytest.fixture
def graded(project: EvalProject) -> EvalProject:
    """A project with two tests and sessions of two clients."""
    project.eval_file(
        """\
        name: shop
        category: backend/auth
        tests:
          - id: first
            tags: [auth]
            assert: [contains: Done, not-contains: nowhere, contains: missing]
          - id: second
            threshold: 0.4
            assert:
              - {contains: Done, weight: 3}
              - {contains: missing}
              - {type: cost, max_usd: 1}
        """,
        name="evals/shop.eval.yaml",
    )
    for provider in ("claude-cli", "codex-cli"):
        project.sessions(
            recorded("Done.", provider=provider, test_id="first"),
            recorded("Done.", provider=provider, test_id="second", session_id="other"),
            name=f"runs/{provider}.jsonl",
        )
    return project
