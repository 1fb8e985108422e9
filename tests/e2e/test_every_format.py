"""One eval file grades the same task, whichever client's format it is told in."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from adapter_fixtures import NAMES, fixtures

from pytest_agentv import ReadOptions, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from eval_runs import EvalProject, EvalRun

EXAMPLES = Path(__file__).parents[2] / "examples"
TOLD = {one.adapter: one for one in fixtures() if one.path.name.partition(".")[0] == "login-limit"}
REGISTRY = registry()


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, str]]:
    """What became of each assertion, by provider; graded once for all tests here."""
    return {}


@pytest.fixture
def graded(
    project: EvalProject, outcomes: dict[str, dict[str, str]], tmp_path: Path
) -> dict[str, dict[str, str]]:
    if outcomes:
        return outcomes
    folder = project.path
    shutil.copytree(EXAMPLES / "evals", folder / "evals")
    shutil.copy(EXAMPLES / "conftest.py", folder)
    sessions = [one.made(tmp_path) for one in TOLD.values()]
    run: EvalRun = project.run(
        "evals/three-clients.eval.yaml", *(f"--transcript={session}" for session in sessions)
    )
    assert not run.problems, run.problems
    for node, outcome in run.outcomes.items():
        _, case, assertion = node.split("::")
        provider = case.partition("[")[2].rstrip("]")
        outcomes.setdefault(provider, {})[assertion] = outcome
    return outcomes


def test_every_format_tells_the_task() -> None:
    assert set(TOLD) == set(NAMES)


@pytest.mark.parametrize("name", TOLD)
def test_the_task_passes_in_every_format(
    graded: dict[str, dict[str, str]], name: str, tmp_path: Path
) -> None:
    adapter = REGISTRY.adapter(name)
    of_format = graded[adapter.provider]
    assert of_format["score"] == "passed"
    assert set(of_format.values()) <= {"passed", "skipped", "xfailed"}
    for required in ("leaves-alone", "no-new-dependency", "contains-Retry-After"):
        assert of_format[required] == "passed"
    # Whether a call did what it was for, some formats do not say: that cannot be graded, and is
    # not held against the session.
    (ref,) = refs_of(adapter, TOLD[name].made(tmp_path))
    calls = load(adapter.read(ref, ReadOptions())).tool_calls()
    changes = [call for call in calls if call.kind in ("edit", "write")]
    runs = [call for call in calls if (call.command or "").startswith("npm test")]
    for required, graded_calls in (("right-files", changes), ("command-run-npm-test", runs)):
        is_known = all(call.status != "unknown" for call in graded_calls)
        assert of_format[required] == ("passed" if is_known else "skipped")
