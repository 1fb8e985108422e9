"""--agentv-results: what a run keeps, whatever becomes of it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import WORKERS, recorded
from hostile_texts import assert_harmless

from pytest_agentv.results.reading import find_run

if TYPE_CHECKING:
    from eval_runs import EvalProject

    from pytest_agentv.results.model import Row, Score
    from pytest_agentv.results.reading import Run

KEEP = "--agentv-results=out"
# Takes its process away, or stops it.
ENDS = """\
import os, signal
import pytest_agentv

@pytest_agentv.assertion("dies")
def dies(): os._exit(3)

@pytest_agentv.assertion("kills")
def kills(): os.kill(os.getpid(), signal.SIGKILL)

@pytest_agentv.assertion("interrupts")
def interrupts(): os.kill(os.getpid(), signal.SIGINT)
"""
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def kept(project: EvalProject) -> Run:
    return find_run("latest", root=project.path / "out")


def scores(row: Row) -> dict[str, Score]:
    return {one.name: one for one in row.scores}


def verdicts(row: Row) -> dict[str, str]:
    return {one.name: one.verdict for one in row.scores}


def folders(project: EvalProject) -> list[str]:
    out = project.path / "out"
    return sorted(one.name for one in out.iterdir()) if out.exists() else []


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


def test_a_row_for_each_case_and_session(graded: EvalProject) -> None:
    run = graded.run("--transcript=runs", KEEP)
    assert run.code == 1
    found = kept(graded)
    assert [(row.case, row.target, row.outcome) for row in found.rows] == [
        ("first[claude-cli]", "claude-cli", "failed"),
        ("first[codex-cli]", "codex-cli", "failed"),
        ("second[claude-cli]", "claude-cli", "passed"),
        ("second[codex-cli]", "codex-cli", "passed"),
    ]
    first, _, second, _ = found.rows
    assert (first.test_id, first.suite, first.category) == ("first", "shop", "backend/auth")
    assert (first.eval_file, first.line, first.tags) == ("evals/shop.eval.yaml", 4, ("auth",))
    assert first.score == pytest.approx(2 / 3)
    assert first.execution_status == "quality_failure"
    assert (second.score, second.threshold) == (0.75, 0.4)
    assert (first.input, first.messages, first.tool_calls, first.cost_usd) == ("Do it", 2, 0, None)
    assert first.source is not None
    assert first.source.model == "claude-opus-4-6"


def test_a_score_says_what_was_claimed_and_found(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP)
    first, *_ = kept(graded).rows
    assert [one.name for one in first.scores] == [
        "contains-Done",
        "not-contains-nowhere",
        "contains-missing",
    ]
    missing = scores(first)["contains-missing"]
    assert (missing.type, missing.verdict, missing.score) == ("contains", "fail", 0.0)
    assert missing.claim == "the final answer contains 'missing'"
    assert missing.reason.startswith("not found")
    assert (missing.line, missing.excused) == (6, None)
    assert missing.duration_ms is not None
    assert scores(first)["not-contains-nowhere"].negated
    assert [one.passed for one in first.assertions] == [True, True, False]
    assert [one.message for one in scores(first)["contains-Done"].evidence] == [2]


def test_a_run_says_how_it_went(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP)
    summary = kept(graded).summary
    assert summary.complete
    assert summary.exit_status == 1
    assert summary.arguments[-2:] == ("--transcript=runs", KEEP)
    assert summary.pytest_version == pytest.__version__
    assert [(one.target, one.cases, one.passed) for one in summary.targets] == [
        ("claude-cli", 2, 1),
        ("codex-cli", 2, 1),
    ]


def test_the_transcript_that_was_graded_is_there(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP)
    run = kept(graded)
    for row in run.rows:
        transcript = run.transcript(row)
        assert transcript.source.provider == row.target
        assert transcript.test_id == row.test_id
        assert transcript.final_answer == "Done."


def test_a_transcript_that_a_fixture_changed_is_kept_as_it_was_graded(project: EvalProject) -> None:
    project.conftest(
        """\
        import msgspec, pytest

        @pytest.fixture
        def transcript(transcript):
            return msgspec.structs.replace(transcript, output=transcript.output[1:])
        """,
        folder="short",
    )
    project.assertions("contains: Done", name="short/a.eval.yaml")
    project.assertions("contains: Done", name="b.eval.yaml")
    project.sessions(recorded())
    project.grade(KEEP)
    run = kept(project)
    lengths = {row.eval_file: len(run.transcript(row).output) for row in run.rows}
    assert lengths == {"b.eval.yaml": 2, "short/a.eval.yaml": 1}
    assert [row.messages for row in run.rows] == [2, 1]


def test_what_pytest_shows_and_what_is_kept_are_the_same(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest, pytest_agentv

        @pytest_agentv.assertion("crashes")
        def crashes(): return 1 / 0

        @pytest.fixture
        def broken_later():
            yield
            raise RuntimeError("too late")

        @pytest_agentv.assertion("torn-down")
        def torn_down(broken_later): return True
        """
    )
    project.eval_file(
        """\
        tests:
          - id: hard
            assert:
              - contains: Done
              - contains: missing
              - {type: crashes}
              - {type: torn-down}
              - {type: cost, max_usd: 1}
          - id: soft
            threshold: 0.9
            assert: [contains: missing, {contains: Done, required: true}]
          - id: expected
            xfail: {reason: known, strict: true}
            assert: [contains: missing, contains: Done]
          - id: left-out
            skip: not today
            assert: [contains: Done]
        """
    )
    project.sessions(*[recorded(test_id=one) for one in ("hard", "soft", "expected", "left-out")])
    project.grade(KEEP)
    rows = {row.test_id: row for row in kept(project).rows}
    assert verdicts(rows["hard"]) == {
        "contains-Done": "pass",
        "contains-missing": "fail",
        "crashes": "error",
        "torn-down": "error",
        "cost": "skip",
    }
    assert (rows["hard"].outcome, rows["hard"].score) == ("error", None)
    assert rows["hard"].error == "ZeroDivisionError: division by zero"
    assert "1 / 0" in scores(rows["hard"])["crashes"].details
    assert scores(rows["hard"])["torn-down"].reason == "RuntimeError: too late"
    assert verdicts(rows["soft"]) == {
        "contains-missing": "soft",
        "contains-Done": "pass",
        "score": "fail",
    }
    assert (rows["soft"].outcome, rows["soft"].score) == ("failed", 0.5)
    expected = scores(rows["expected"])
    assert verdicts(rows["expected"]) == {"contains-missing": "fail", "contains-Done": "fail"}
    assert expected["contains-missing"].excused == "xfail"
    assert expected["contains-Done"].excused is None
    assert expected["contains-Done"].reason == "[XPASS(strict)] known"
    assert rows["left-out"].outcome == "skipped"
    assert rows["left-out"].error == "not today"


@pytest.mark.parametrize(
    ("mark", "verdict", "excused"),
    [
        ("xfail(reason='flaky')", "error", "xfail"),
        ("xfail(reason='slow', run=False)", "skip", None),
    ],
)
def test_a_mark_makes_no_grade_of_an_error(
    project: EvalProject, mark: str, verdict: str, excused: str | None
) -> None:
    project.conftest(
        f"""\
        import pytest, pytest_agentv

        @pytest_agentv.assertion("crashes")
        def crashes(): return 1 / 0

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.{mark})
        """
    )
    project.assertions("type: crashes")
    project.sessions(recorded())
    run = project.grade(KEEP)
    assert run.by_name == {"crashes": "xfailed"}
    (row,) = kept(project).rows
    assert (row.scores[0].verdict, row.scores[0].excused) == (verdict, excused)
    errors = int(verdict == "error")
    assert f"claude-cli     0/1       0       0       {errors}        {1 - errors}" in run.text


def test_of_an_assertion_that_is_repeated_the_last_time_counts(project: EvalProject) -> None:
    # As plugins do that repeat what failed: all reports are made first, and then logged.
    project.conftest(
        """\
        import pytest_agentv
        from _pytest.runner import runtestprotocol

        attempts = []

        @pytest_agentv.assertion("unsteady")
        def unsteady():
            attempts.append(1)
            return len(attempts) > 1

        def pytest_runtest_protocol(item, nextitem):
            for again in (True, False):
                item._initrequest()
                for report in runtestprotocol(item, nextitem=nextitem, log=False):
                    if again:
                        report.outcome = "rerun"
                    item.ihook.pytest_runtest_logreport(report=report)
            return True
        """
    )
    project.assertions("type: unsteady", "contains: Done")
    project.sessions(recorded())
    assert "2 passed" in project.run_apart("--transcript=t.jsonl", KEEP).text
    (row,) = kept(project).rows
    assert verdicts(row) == {"unsteady": "pass", "contains-Done": "pass"}
    assert row.messages == 2


def test_what_a_session_cost_goes_by_the_case_and_by_prices(project: EvalProject) -> None:
    project.eval_file(
        """\
        tests:
          - {id: stated, assert: [contains: Done]}
          - {id: given, cost_usd: 0.5, assert: [contains: Done]}
          - {id: priced, assert: [contains: Done]}
        """
    )
    project.write("pyproject.toml", '[tool.agentv.prices."claude-*"]\ninput = 2.0\noutput = 10.0\n')
    usage = {"input": 1_000_000, "output": 100_000, "cached": 0, "cache_write": 0}
    project.sessions(
        recorded(test_id="stated", cost_usd=0.25),
        recorded(test_id="given"),
        recorded(test_id="priced", token_usage=usage),
    )
    project.grade(KEEP)
    costs = {row.test_id: row.cost_usd for row in kept(project).rows}
    assert costs == {"stated": 0.25, "given": 0.5, "priced": 3.0}


def test_a_session_that_cannot_be_read_is_an_error_without_a_source(project: EvalProject) -> None:
    project.assertions("contains: Done")
    path = project.sessions(recorded())
    path.write_bytes(path.read_bytes()[:-20] + b"\n")
    project.grade(KEEP)
    (row,) = kept(project).rows
    assert (row.outcome, row.target, row.source) == ("error", "claude-cli", None)
    assert row.error is not None
    assert row.error.startswith("t.jsonl:1")


def test_cases_without_a_session_have_rows(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.run(KEEP)
    (row,) = kept(project).rows
    assert (row.case, row.target, row.outcome) == ("one", None, "skipped")


def _comparable(run: Run) -> list[dict[str, Any]]:
    """Rows without times."""
    lines = run.path.read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, Any]] = list(map(json.loads, lines))
    for row in rows:
        del row["timestamp"]
        for score in row["scores"]:
            del score["duration_ms"]
    return rows


def test_workers_keep_the_same_rows(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP)
    alone = kept(graded)
    graded.run("--transcript=runs", KEEP, *WORKERS)
    together = kept(graded)
    assert together.path != alone.path
    assert _comparable(together) == _comparable(alone)
    assert together.summary.complete
    assert [together.transcript(one) for one in together.rows] == [
        alone.transcript(one) for one in alone.rows
    ]


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


def test_a_transcript_that_cannot_be_kept_fails_nothing(graded: EvalProject) -> None:
    graded.conftest(
        """\
        from pathlib import Path

        def pytest_collection_finish():
            for folder in Path("out").iterdir():
                (folder / "transcripts").write_text("in the way")
        """
    )
    run = graded.run("--transcript=runs", KEEP, "-k", "contains-Done")
    assert run.code == 0
    assert "results: of 4 of 4 cases the transcript could not be kept" in run.text
    assert {row.transcript_path for row in kept(graded).rows} == {None}


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


def test_a_run_that_stops_early_is_incomplete(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP, "-x")
    found = kept(graded)
    assert not found.summary.complete
    assert [row.case for row in found.rows] == ["first[claude-cli]"]


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
    assert [verdicts(row) for row in found.rows] == [{"contains-Done": "pass"}]
    assert f"results: out/{found.summary.run_id} (incomplete)" in run.text


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


def test_nothing_of_a_session_is_kept_that_could_steer_a_terminal(project: EvalProject) -> None:
    hostile = "\x1b[2J\x9b31m\u202e\ud800 ::error::x ##[error] é 日本"
    session = recorded(f"Done {hostile}", session_id=hostile, model=hostile, input=hostile)
    session["source"].update(title=hostile * 500, cwd=hostile)
    project.assertions("contains: nowhere", "contains: Done")
    project.sessions(session)
    project.grade(KEEP)
    (row,) = kept(project).rows
    assert row.source is not None
    assert row.source.title is not None
    assert len(row.source.title) <= 500
    assert row.source.cwd is not None
    assert row.source.cwd.endswith("é 日本")
    texts = [row.input, row.source.session_id, row.source.model, row.source.title, row.source.cwd]
    texts += [place.excerpt for one in row.scores for place in one.evidence]
    for text in texts:
        assert text is not None
        assert_harmless(text)
    kept(project).path.read_bytes().decode()


def test_long_texts_are_cut(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("talks")
        def talks():
            places = [pytest_agentv.Evidence(1, "no number", "x" * 10**6)] * 1000
            return pytest_agentv.Grade(
                "failed", "r" * 10**6, claim="c" * 10**6, details="d" * 10**6,
                evidence=tuple(places),
            )
        """
    )
    project.assertions("type: talks")
    project.sessions(recorded(input="p" * 10**6))
    project.grade(KEEP)
    run = kept(project)
    assert run.path.stat().st_size < 100_000
    (row,) = run.rows
    assert len(row.input or "") == 300
    assert [place.line for place in row.scores[0].evidence] == [None] * 10
