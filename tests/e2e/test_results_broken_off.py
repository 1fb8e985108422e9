"""--agentv-results: a run that does not end as it should keeps what was graded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded
from msgspec.structs import replace
from results_of_runs import KEEP, folders, kept, scores, verdicts

from pytest_agentv.results.reading import read_run

if TYPE_CHECKING:
    from eval_runs import EvalProject

# Takes its process away, or stops it.
ENDS = """\
import os, signal, time
from pathlib import Path
import pytest_agentv

@pytest_agentv.assertion("dies")
def dies(): os._exit(3)

@pytest_agentv.assertion("kills")
def kills(): os.kill(os.getpid(), signal.SIGKILL)

@pytest_agentv.assertion("kills-controller")
def kills_controller():
    (journal,) = Path("out").glob("*/journal.jsonl")
    while journal.read_bytes().count(b"\\n") < 2:  # what was graded before is on its way
        time.sleep(0.01)
    os.kill(os.getppid(), signal.SIGKILL)

@pytest_agentv.assertion("interrupts")
def interrupts(): os.kill(os.getpid(), signal.SIGINT)
"""
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def test_a_run_that_stops_early_is_incomplete(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP, "-x")
    found = kept(graded)
    assert not found.summary.complete
    assert [row.case for row in found.rows] == ["first[claude-cli]"]


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_the_journal_says_all_that_the_results_will_say(
    graded: EvalProject, workers: tuple[str, ...]
) -> None:
    graded.conftest(
        """\
        import shutil
        from pathlib import Path
        import pytest

        @pytest.fixture(autouse=True)
        def breaks(request):
            yield
            assert "nowhere" not in request.node.name

        def pytest_sessionfinish(session):
            if not hasattr(session.config, "workerinput"):
                (journal,) = Path("out").glob("*/journal.jsonl")
                shutil.copytree(journal.parent, "killed")
        """
    )
    graded.run("--transcript=runs", KEEP, *workers)
    ended, killed = kept(graded), read_run(graded.path / "killed")
    assert killed.path.name == "journal.jsonl"
    assert {"fail", "error", "pass", "soft"} <= {
        one.verdict for row in ended.rows for one in row.scores
    }
    places = {"transcript_path": None, "transcript_line": None}
    assert [replace(row, **places) for row in killed.rows] == [
        replace(row, **places) for row in ended.rows
    ]
    assert killed.summary.targets == ended.summary.targets


@pytest.mark.parametrize("option", ["--continue-on-collection-errors", "-v"])
def test_a_run_of_which_something_cannot_be_collected_is_incomplete(
    graded: EvalProject, option: str
) -> None:
    graded.write("broken.eval.yaml", "tests: []\n")
    graded.run("--transcript=runs", KEEP, option)
    if option == "-v":
        assert folders(graded) == []
    else:
        assert not kept(graded).summary.complete
        assert len(kept(graded).rows) == 4


def test_a_test_that_ends_the_run_leaves_it_incomplete(project: EvalProject) -> None:
    project.write(
        "test_it.py", "import pytest\n\ndef test_it(): pytest.exit('enough', returncode=0)\n"
    )
    project.assertions("contains: Done")
    project.sessions(recorded())
    run = project.grade(KEEP)
    assert run.code == 0
    assert not kept(project).summary.complete
    assert "(incomplete)" in run.text


def test_a_plugin_that_breaks_at_the_end_costs_no_results(project: EvalProject) -> None:
    project.conftest("def pytest_sessionfinish(): raise RuntimeError('broken')\n")
    project.assertions("contains: Done")
    project.sessions(recorded())
    assert project.run_apart("--transcript=t.jsonl", KEEP).code not in {0, 5}
    found = kept(project)
    assert (found.path.name, found.summary.complete) == ("index.jsonl", False)
    assert [row.outcome for row in found.rows] == ["passed"]


@POSIX
def test_an_interrupted_run_keeps_what_was_graded(project: EvalProject) -> None:
    project.conftest(ENDS)
    project.assertions("contains: Done", "type: interrupts", "contains: late")
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", KEEP)
    assert run.code == 2
    found = kept(project)
    assert (found.path.name, found.summary.complete) == ("index.jsonl", False)
    assert found.summary.exit_status == 2
    (row,) = found.rows
    assert verdicts(row) == {"contains-Done": "pass"}
    assert f"results: out/{found.summary.run_id} (incomplete)" in run.text


@POSIX
@pytest.mark.parametrize("how", ["interrupts", "kills"])
def test_a_case_that_was_graded_in_part_is_never_passed(project: EvalProject, how: str) -> None:
    project.conftest(ENDS)
    project.assertions("contains: Done", f"type: {how}", "contains: Do")
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", KEEP)
    found = kept(project)
    (row,) = found.rows
    assert verdicts(row) == {"contains-Done": "pass"}
    assert (row.outcome, row.execution_status, row.score) == ("error", "execution_error", None)
    assert row.error == "the run broke off: 1 of 3 assertions were graded"
    assert row.ungraded == 2
    assert [(one.passed, one.errors) for one in found.summary.targets] == [(0, 1)]
    if how == "interrupts":
        assert "claude-cli     0/1       1" in run.text


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_what_nobody_selected_is_not_missing(
    project: EvalProject, workers: tuple[str, ...]
) -> None:
    project.assertions("contains: Done", "contains: missing", "contains: Do")
    project.sessions(recorded())
    run = project.grade(KEEP, "-k", "not missing", *workers)
    (row,) = kept(project).rows
    assert (row.outcome, row.ungraded) == ("passed", 0)
    assert "claude-cli     1/1       2" in run.text


def test_a_case_with_a_score_and_a_gate_is_whole(project: EvalProject) -> None:
    project.assertions("contains: Done", "contains: Do", test="gate: 1.0\nthreshold: 0.5")
    project.sessions(recorded(session_id="1"), recorded(session_id="2"))
    assert project.grade(KEEP).code == 0
    assert [(row.outcome, row.ungraded) for row in kept(project).rows] == [("passed", 0)] * 2


@POSIX
def test_a_killed_run_leaves_a_journal_that_can_be_read(project: EvalProject) -> None:
    project.conftest(ENDS)
    project.assertions("contains: Done", "type: kills", "contains: late")
    project.sessions(recorded())
    assert project.run_apart("--transcript=t.jsonl", KEEP).code == -9
    found = kept(project)
    assert (found.path.name, found.summary.complete) == ("journal.jsonl", False)
    assert (found.summary.exit_status, found.summary.ended_at) == (None, None)
    (row,) = found.rows
    assert verdicts(row) == {"contains-Done": "pass"}
    assert found.transcript(row).final_answer == "Done."


def test_a_crash_of_a_worker_is_an_error_of_its_assertion(project: EvalProject) -> None:
    project.conftest(ENDS)
    project.eval_file(
        """\
        tests:
          - {id: good, assert: [contains: Done]}
          - {id: bad, assert: [contains: Done, {type: dies}, contains: Do]}
        """
    )
    project.sessions(recorded(test_id="good"), recorded(test_id="bad"))
    run = project.run_apart("--transcript=t.jsonl", KEEP, *WORKERS)
    assert run.code == 1
    found = kept(project)
    assert not found.summary.complete
    good, bad = found.rows
    assert (good.outcome, bad.outcome) == ("passed", "error")
    assert (bad.case, bad.test_id, bad.target) == ("bad[claude-cli]", "bad", "claude-cli")
    assert verdicts(bad) == {"contains-Done": "pass", "dies": "error", "contains-Do": "pass"}
    assert "crashed while running" in scores(bad)["dies"].reason
    assert "claude-cli     1/2       3       0       1" in run.text
    assert [found.transcript(row).test_id for row in found.rows] == ["good", "bad"]


@POSIX
def test_of_workers_whose_controller_is_killed_the_journal_and_transcripts_are_left(
    project: EvalProject,
) -> None:
    project.conftest(ENDS)
    project.assertions("contains: Done", "type: kills-controller")
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", KEEP, *WORKERS, "--dist=loadfile")
    assert run.code == -9
    found = kept(project)
    assert (found.path.name, found.summary.complete) == ("journal.jsonl", False)
    (row,) = found.rows
    assert verdicts(row) == {"contains-Done": "pass"}
    assert found.transcript(row).final_answer == "Done."
