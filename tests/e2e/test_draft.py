"""What ``agentv draft`` wrote passes in pytest, on the session that it was drafted from."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agentv_command import InProcess
from eval_runs import recorded

# pytester forgets modules that are loaded in a test, and some cannot be loaded twice.
import pytest_agentv.cli.draft  # noqa: F401

if TYPE_CHECKING:
    from eval_runs import EvalProject

EXAMPLES = Path(__file__).parents[2] / "examples"
TRANSCRIPTS = sorted(EXAMPLES.glob("transcripts/**/*.jsonl"))
HOMES = sorted(EXAMPLES.glob("*-home/**/*.jsonl"))


@pytest.fixture
def agentv(project: EvalProject, capsys: pytest.CaptureFixture[str]) -> InProcess:
    """The command, in the folder of the project."""
    del project  # goes there
    return InProcess(capsys)


@pytest.mark.parametrize("session", [*TRANSCRIPTS, *HOMES], ids=lambda path: path.name)
def test_a_session_passes_its_own_draft(
    session: Path, project: EvalProject, agentv: InProcess
) -> None:
    shutil.copy(session, project.path / "s.jsonl")

    drafted = agentv("draft", "s.jsonl", "-o", "a.eval.yaml")
    run = project.run("--transcript=s.jsonl", "--agentv-missing=fail")

    assert drafted.code == 0, drafted.err
    assert run.problems == {}
    assert len(run.outcomes) >= 3
    assert set(run.outcomes.values()) == {"passed"}


def test_a_draft_of_several_sessions_fits_the_same_value_of_the_option(
    project: EvalProject, agentv: InProcess
) -> None:
    project.sessions(recorded("One", duration_ms=1), recorded("Two", duration_ms=90_000))

    agentv("draft", "t.jsonl", "-o", "a.eval.yaml")
    run = project.grade()

    assert {nodeid.split("::")[1] for nodeid in run.outcomes} == {
        "do-it[claude-cli]",
        "do-it-2[claude-cli]",
    }
    assert set(run.outcomes.values()) == {"passed"}


def test_a_session_that_did_otherwise_fails_a_draft(
    project: EvalProject, agentv: InProcess
) -> None:
    project.sessions(recorded())
    [session] = EXAMPLES.glob("claude-home/projects/*/*.jsonl")
    shutil.copy(session, project.path / "s.jsonl")

    agentv("draft", "s.jsonl", "-o", "a.eval.yaml")
    outcomes = project.grade().by_name

    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert {name[:13] for name in failed} == {"tool-trajecto", "command-run-n", "files-changed"}
    assert outcomes["no-dangerous-commands"] == "passed"
