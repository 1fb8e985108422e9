"""``agentv eval``: pytest, with a run that is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agentv_command import run_agentv
from eval_runs import one_test, recorded

from pytest_agentv.results.reading import find_run

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess, Outcome

    from pytest_agentv.results.reading import Run


@pytest.fixture
def project(work: Path) -> Path:
    """A project with two assertions, one of which fails, and a session."""
    (work / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    (work / "a.eval.yaml").write_text(
        one_test("contains: Done", "contains: missing"), encoding="utf-8"
    )
    (work / "t.jsonl").write_text(json.dumps(recorded()) + "\n", encoding="utf-8")
    return work


def run_eval(project: Path, *arguments: str, **environment: str) -> Outcome:
    clean = {"PYTEST_ADDOPTS": None, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": None, "COLUMNS": None}
    return run_agentv("eval", *arguments, cwd=project, **{**clean, **environment})


def latest(root: Path) -> Run:
    return find_run("latest", root=root)


def test_it_grades_as_pytest_does_and_keeps_the_results(project: Path) -> None:
    outcome = run_eval(project, "a.eval.yaml", "--transcript=t.jsonl", "-q")
    assert outcome.code == 1
    assert "1 failed, 1 passed" in outcome.out
    run = latest(project / ".agentv" / "results")
    assert f"results: .agentv/results/{run.summary.run_id}" in outcome.out
    assert run.summary.arguments == ("a.eval.yaml", "--transcript=t.jsonl", "-q")
    assert [(row.test_id, row.outcome) for row in run.rows] == [("one", "failed")]


def test_workers_keep_the_results_too(project: Path) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist starts the workers")
    outcome = run_eval(project, "a.eval.yaml", "--transcript=t.jsonl", "-n2")
    assert outcome.code == 1
    run = latest(project / ".agentv" / "results")
    assert run.summary.complete
    assert [(row.outcome, len(row.scores)) for row in run.rows] == [("failed", 2)]
    assert run.transcript(run.rows[0]).input == recorded()["input"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("-k", "contains-Done"), 0),
        (("-rA", "-k", "contains-Done", "--", "a.eval.yaml"), 0),
        (("--no-such-option",), 4),
        (("-k", "nothing"), 5),
    ],
)
def test_options_are_those_of_pytest_and_so_is_the_exit_code(
    project: Path, arguments: tuple[str, ...], code: int
) -> None:
    assert run_eval(project, "--transcript=t.jsonl", *arguments).code == code


def test_a_file_that_is_not_there_is_what_pytest_says_of_it(project: Path) -> None:
    outcome = run_eval(project, "nowhere.eval.yaml")
    assert outcome.code == 4
    assert "ERROR: file or directory not found: nowhere.eval.yaml" in outcome.err
    assert "Traceback" not in outcome.out + outcome.err


@pytest.mark.parametrize(
    "setting", ["addopts = --agentv-results=elsewhere", "agentv_results = elsewhere"]
)
def test_a_project_may_say_where_results_go(project: Path, setting: str) -> None:
    (project / "pytest.ini").write_text(f"[pytest]\n{setting}\n", encoding="utf-8")
    run_eval(project, "--transcript=t.jsonl")
    assert len(latest(project / "elsewhere").rows) == 1
    assert not (project / ".agentv").exists()


def test_an_option_says_best_where_results_go(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nagentv_results = x\n", encoding="utf-8")
    run_eval(project, "--transcript=t.jsonl", "--agentv-results", "y")
    assert len(latest(project / "y").rows) == 1
    assert not (project / "x").exists()


def test_help_is_ours(agentv: InProcess) -> None:
    for option in ("-h", "--help"):
        outcome = agentv("eval", option)
        assert outcome.code == 0
        assert outcome.out.startswith("Usage: agentv eval FILE... [PYTEST OPTIONS]")
        assert "--agentv-results" in outcome.out
