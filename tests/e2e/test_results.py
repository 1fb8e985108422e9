"""--agentv-results: what the rows of a run say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded
from results_of_runs import KEEP, kept, scores, verdicts

if TYPE_CHECKING:
    from eval_runs import EvalProject


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


def test_an_assertion_takes_as_long_as_its_own_fixtures_and_no_others(
    project: EvalProject,
) -> None:
    project.conftest(
        """\
        import time, pytest

        @pytest.fixture(autouse=True)
        def waits(request):
            if "first" in request.node.name:
                time.sleep(0.2)
        """
    )
    project.assertions("{contains: Done, name: first}", "contains: Do")
    project.sessions(recorded())
    assert project.run("--transcript=t.jsonl", KEEP).code == 0
    (row,) = kept(project).rows
    first, second = (one.duration_ms or 0 for one in row.scores)
    assert second < 200 <= first


def test_tests_of_other_kinds_among_assertions_leave_no_notes(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest

        def pytest_collection_modifyitems(items):
            items.sort(key=lambda item: item.name)
        """
    )
    project.write("test_plain.py", "def test_it(): pass\n\ndef d_test(): assert False\n")
    project.write("pytest.ini", "[pytest]\npython_functions = test_* d_test\n")
    project.assertions("contains: Done", "regex: Done")
    project.sessions(recorded())
    run = project.run("--transcript=t.jsonl", KEEP, project.path)
    assert run.code == 1
    (row,) = kept(project).rows
    assert verdicts(row) == {"contains-Done": "pass", "regex-Done": "pass"}


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
