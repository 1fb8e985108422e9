"""What a run shows: a table of providers, and nothing at all where nothing was graded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

TABLE = """\
             cases  assertions
provider    passed  passed  failed  errors  skipped  soft   held
claude-cli     1/2       3       0       1        1     1  75.0%
codex-cli      0/2       1       1       1        1     2  25.0%
total          1/4       4       1       2        2     3  50.0%
"""


@pytest.fixture
def compared(project: EvalProject) -> EvalProject:
    """A project with two tests, and sessions of two clients that do differently."""
    project.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("crashes")
        def crashes(): return 1 / 0
        """
    )
    project.eval_file(
        """\
        tests:
          - id: soft
            threshold: 0.5
            assert: [contains: First, contains: nowhere]
          - id: hard
            assert: [contains: Second, {type: crashes}, {type: cost, max_usd: 1}]
        """
    )
    project.sessions(recorded("First"), recorded("Second"))
    project.sessions(
        recorded("x", provider="codex-cli"),
        recorded("Second", provider="codex-cli"),
        name="codex.jsonl",
    )
    return project


def test_the_table_of_providers(compared: EvalProject) -> None:
    assert TABLE in compared.grade("--transcript=codex.jsonl").text


def test_the_table_is_the_same_with_workers(compared: EvalProject) -> None:
    assert TABLE in compared.grade("--transcript=codex.jsonl", *WORKERS).text


def test_sessions_that_were_not_given_have_a_line(project: EvalProject) -> None:
    project.assertions("contains: Done")
    assert (
        "no transcript     0/1       0       0       0        1     0     -" in project.run().text
    )


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_a_run_without_sessions_says_how_to_give_them(
    project: EvalProject, workers: tuple[str, ...]
) -> None:
    project.assertions("contains: Done", "contains: x")
    hint = "2 skipped: give --transcript=…, or the eval file a `transcript` key"
    assert hint in project.run(*workers).text
    project.sessions(recorded("Done x"))
    assert "give --transcript" not in project.grade(*workers).text


def test_a_collection_shows_no_table(compared: EvalProject) -> None:
    assert "assertions" not in compared.grade("--collect-only").text


def test_a_run_without_evals_shows_nothing_of_ours(project: EvalProject) -> None:
    project.write("test_it.py", "def test_it(): pass\n")
    project.write("docker-compose.yaml", "services: {}\n")
    run = project.run("-v")
    assert "agentv" not in run.text.replace(str(project.path), "")
    assert run.code == 0


def test_a_quiet_run_is_short(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded())
    assert "1 passed" in project.grade("-q").text


def test_a_failure_is_titled_by_case_and_assertion(project: EvalProject) -> None:
    project.assertions("contains: nowhere")
    project.sessions(recorded())
    run = project.grade()
    assert " one[claude-cli]::contains-nowhere ____" in run.text
    assert "FAILED a.eval.yaml::one[claude-cli]::contains-nowhere" in run.text
