"""--agentv-results: a run is kept where somebody asks for it, and not otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded
from results_of_runs import KEEP, folders, kept

if TYPE_CHECKING:
    from eval_runs import EvalProject


def test_the_terminal_says_where_the_results_are(graded: EvalProject) -> None:
    run = graded.run("--transcript=runs", KEEP, "-q")
    assert f"\nresults: out/{kept(graded).summary.run_id}\n" in run.text


def test_nothing_is_kept_unless_it_is_asked_for(graded: EvalProject) -> None:
    run = graded.run("--transcript=runs")
    assert "results:" not in run.text
    assert folders(graded) == []
    assert not (graded.path / ".agentv").exists()


def test_a_setting_asks_for_it_and_an_empty_option_does_not(graded: EvalProject) -> None:
    graded.ini("agentv_results = out")
    graded.run("--transcript=runs", "--agentv-results=")
    assert folders(graded) == []
    graded.run("--transcript=runs")
    assert len(folders(graded)) == 1


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--fixtures", "--help"])
def test_looking_at_tests_keeps_nothing(graded: EvalProject, option: str) -> None:
    run = graded.run("--transcript=runs", KEEP, option)
    assert run.code == 0
    assert folders(graded) == []


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_a_run_that_grades_nothing_keeps_nothing(
    project: EvalProject, workers: tuple[str, ...]
) -> None:
    project.write("test_it.py", "def test_it(): pass\n")
    run = project.run(KEEP, *workers)
    assert run.code == 0
    assert "results:" not in run.text
    assert folders(project) == []


def test_a_folder_that_cannot_be_made_is_wrong_usage(graded: EvalProject) -> None:
    graded.write("out", "a file\n")
    run = graded.run("--transcript=runs", KEEP)
    assert run.code == 4
    (line,) = run.errors.strip().splitlines()
    assert line == f"ERROR: --agentv-results: {graded.path / 'out'}: is not a folder"


def test_results_that_cannot_be_written_fail_the_run(project: EvalProject) -> None:
    project.conftest(
        """\
        import shutil
        import pytest_agentv

        @pytest_agentv.assertion("cleans-up")
        def cleans_up():
            shutil.rmtree("out")
            return True
        """
    )
    project.assertions("type: cleans-up")
    project.sessions(recorded())
    run = project.grade(KEEP)
    assert run.code == 1
    assert "results: not written: " in run.text
    assert "Traceback" not in run.text
