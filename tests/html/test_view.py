"""A run as a page shows it: what passed where, what each session took, how repeats did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from pages import example_run
from runs import MadeCase, make_run, score

from pytest_agentv.html.view import run_view
from pytest_agentv.results.model import Figures, Repeats
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from pathlib import Path


def test_the_matrix_has_a_row_for_each_test_and_a_column_for_each_target(tmp_path: Path) -> None:
    view = run_view(example_run(tmp_path))

    assert [one.name for one in view.targets] == [
        "claude-cli", "codex-cli", "copilot-cli", "no session",
    ]  # fmt: skip
    cells = {
        row.test_id: [one and (one.outcome, one.text) for one in row.cells] for row in view.matrix
    }
    assert cells == {
        "login-limit": [("passed", "passed"), ("failed", "failed"), ("error", "error"), None],
        "route-audit": [("failed", "4 of 5 passed"), None, None, None],
        "token-expiry": [("failed", "failed"), None, None, None],
        "upgrade-express": [None, None, None, ("skipped", "skipped")],
    }


def test_a_cell_of_repeats_leads_to_the_first_that_did_not_pass(tmp_path: Path) -> None:
    view = run_view(example_run(tmp_path))
    linked = next(
        cell.href for row in view.matrix for cell in row.cells if cell and "4 of 5" in cell.text
    )
    cases = {case.anchor: case for test in view.tests for case in test.cases}

    assert cases[linked[1:]].label == "claude-cli-b84d17e3"


def test_what_does_not_hold_comes_first_and_the_worst_of_it_before(tmp_path: Path) -> None:
    verdicts = {"a": "pass", "b": "soft", "c": "skip", "d": "error", "e": "fail"}
    scores = tuple(score(name, verdict) for name, verdict in verdicts.items())
    [test] = run_view(make_run(tmp_path, [MadeCase(scores=scores)])).tests
    [case] = test.cases

    assert [one.name for one in case.needing_a_look] == ["d", "e", "b"]
    assert [one.name for one in case.holding] == ["c", "a"]
    assert case.broken == "d, e"


def test_a_case_that_passed_does_not_look_as_if_something_broke_it(tmp_path: Path) -> None:
    scores = (score("a"), score("b", "soft"))
    [test] = run_view(make_run(tmp_path, [MadeCase(scores=scores)])).tests

    assert [(one.outcome, one.broken) for one in test.cases] == [("passed", "soft: b")]


def test_a_case_that_was_not_finished_says_why_it_is_an_error(tmp_path: Path) -> None:
    [test] = run_view(make_run(tmp_path, [MadeCase(ungraded=1)], complete=False)).tests
    [case] = test.cases
    assert (case.outcome, case.score) == ("error", None)
    assert case.error == "the run broke off: 1 of 2 assertions were graded"
    assert [one.name for one in case.holding] == ["holds"]


def test_failures_that_do_not_fail_the_run_are_told_in_the_overview(tmp_path: Path) -> None:
    excused = (score("a", "fail", excused="xfail"),)
    cases = [
        MadeCase(test_id="known", scores=excused),
        MadeCase(test_id="new", scores=(score("a", "fail"),)),
        *(MadeCase(test_id="often", session=one, scores=excused) for one in ("1", "2")),
    ]
    run = make_run(tmp_path, cases)
    gate = score("gate", "pass", claim="at least 0 % pass")
    repeats = Repeats(
        eval_file=cases[0].eval_file,
        test_id="often",
        target="claude-cli",
        runs=2,
        passed=0,
        gate=gate,
    )
    summary = msgspec.structs.replace(run.summary, repeats=(repeats,))

    view = run_view(msgspec.structs.replace(run, summary=summary))

    assert view.excused == 3
    notes = {row.test_id: [one and one.note for one in row.cells] for row in view.matrix}
    assert notes == {"known": ["excused"], "new": [""], "often": ["gate holds"]}


def test_failures_under_a_gate_that_does_not_hold_are_not_excused(tmp_path: Path) -> None:
    failing = (score("a", "fail", excused="gate"),)
    cases = [MadeCase(session=one, scores=failing) for one in ("1", "2")]
    run = make_run(tmp_path, cases)
    repeats = Repeats(
        eval_file=cases[0].eval_file,
        test_id=cases[0].test_id,
        target="claude-cli",
        runs=2,
        passed=0,
        gate=score("gate", "fail"),
    )
    summary = msgspec.structs.replace(run.summary, repeats=(repeats,))

    view = run_view(msgspec.structs.replace(run, summary=summary))

    assert view.excused == 0
    assert [one and one.note for row in view.matrix for one in row.cells] == ["gate fails"]


def test_a_session_that_called_no_tool_is_known_to_have_called_none(tmp_path: Path) -> None:
    cases = [
        MadeCase(test_id="none", figures=Figures(tool_calls=0)),
        MadeCase(test_id="unknown", target="codex-cli"),
    ]
    view = run_view(make_run(tmp_path, cases))

    assert [one.mix.text for one in view.targets] == ["none", "unknown"]
    assert [one.figures[0].mix.text for one in view.tests] == ["none", "unknown"]


def _ran(test_id: str, target: str, duration: int | None, verdict: str = "pass") -> MadeCase:
    figures = Figures(duration_ms=duration, tool_calls=1)
    scores = (score("a", verdict),)
    return MadeCase(test_id=test_id, target=target, figures=figures, scores=scores)


def test_targets_that_ran_different_tests_are_compared_on_those_they_share(tmp_path: Path) -> None:
    cases = [
        _ran("easy", "claude-cli", 1),
        _ran("hard", "claude-cli", 9000),
        _ran("hard", "codex-cli", 3000, "fail"),
        msgspec.structs.replace(_ran("hard", "codex-cli", 6000), session="again"),
    ]

    shared = run_view(make_run(tmp_path, cases)).shared

    assert shared is not None
    assert shared.tests == 1
    assert [(one.name, one.passed, one.charts[1].text) for one in shared.rows] == [
        ("claude-cli", "1 of 1", "9.0s"),
        ("codex-cli", "1 of 2", "4.5s"),
    ]


def test_what_one_of_the_shared_tests_does_not_say_is_unknown(tmp_path: Path) -> None:
    cases = [
        _ran("a", "claude-cli", 1000),
        _ran("b", "claude-cli", 1000),
        _ran("c", "claude-cli", 1000),
        _ran("a", "codex-cli", 1000),
        _ran("b", "codex-cli", None),
    ]

    shared = run_view(make_run(tmp_path, cases)).shared

    assert shared is not None
    assert [one.charts[1].text for one in shared.rows] == ["1.0s", "unknown"]


def test_shared_tests_are_scored_as_compare_scores_them(tmp_path: Path) -> None:
    cases = [
        _ran("only-here", "claude-cli", 1),
        *(_ran("a", one, 1) for one in ("claude-cli", "codex-cli")),
        *(_ran("skipped", one, 1, "skip") for one in ("claude-cli", "codex-cli")),
        _ran("broken", "claude-cli", 1),
        _ran("broken", "codex-cli", 1, "error"),
    ]

    shared = run_view(make_run(tmp_path, cases)).shared

    assert shared is not None
    assert shared.tests == 2
    assert [(one.passed, one.score.text) for one in shared.rows] == [
        ("2 of 2", "1.00"),
        ("1 of 2", "0.50"),
    ]


@pytest.mark.parametrize("targets", [("claude-cli",), ("claude-cli", "codex-cli"), (None,)])
def test_targets_that_ran_the_same_tests_are_compared_as_they_are(
    targets: tuple[str | None, ...], tmp_path: Path
) -> None:
    cases = [MadeCase(test_id=name, target=one) for one in targets for name in ("a", "b")]

    assert run_view(make_run(tmp_path, cases)).shared is None


def test_targets_that_share_no_test_are_not_compared(tmp_path: Path) -> None:
    cases = [MadeCase(test_id="a"), MadeCase(test_id="b", target="codex-cli")]

    shared = run_view(make_run(tmp_path, cases)).shared

    assert shared is not None
    assert (shared.tests, shared.rows) == (0, ())


def test_a_failure_that_is_excused_says_by_what(tmp_path: Path) -> None:
    excused = score("a", "fail", excused="baseline")
    [test] = run_view(make_run(tmp_path, [MadeCase(scores=(excused, score("b")))])).tests

    assert (test.cases[0].outcome, test.cases[0].excused) == ("failed", "baseline")


def test_a_failure_beside_an_excused_one_is_not_excused(tmp_path: Path) -> None:
    scores = (score("a", "fail", excused="xfail"), score("b", "fail"))
    [test] = run_view(make_run(tmp_path, [MadeCase(scores=scores)])).tests

    assert test.cases[0].excused is None


def test_figures_of_a_test_are_of_one_scale_and_unknown_is_unknown(tmp_path: Path) -> None:
    known = Figures(
        token_usage=TokenUsage(input=900, output=100), duration_ms=1000, tools={"read": 2}
    )
    half = Figures(token_usage=TokenUsage(input=400, output=100), tool_errors=3)
    unknown = Figures(token_usage=TokenUsage(output=100))
    cases = [
        MadeCase(target=name, figures=one)
        for name, one in {"a": known, "b": half, "c": unknown}.items()
    ]
    [test] = run_view(make_run(tmp_path, cases)).tests

    assert [(one.tokens.text, one.tokens.width) for one in test.figures] == [
        ("1,000", 100), ("500", 50), ("unknown", None),
    ]  # fmt: skip
    assert [one.duration.text for one in test.figures] == ["1.0s", "unknown", "unknown"]
    assert [one.mix.text for one in test.figures] == ["read 2", "unknown", "unknown"]
    assert test.figures[1].errors == "3 failed"


def test_a_target_has_means_of_what_its_sessions_say(tmp_path: Path) -> None:
    cases = [
        MadeCase(test_id=str(number), figures=Figures(duration_ms=took, tools={"shell": 1}))
        for number, took in enumerate([1000, 3000, None])
    ]
    [target] = run_view(make_run(tmp_path, cases)).targets

    charts = {name: bar.text for name, bar in target.charts}
    assert charts == {
        "Tokens": "unknown",
        "Time": "2.0s",
        "Cost": "unknown",
        "Tool calls": "unknown",
    }
    assert target.mix.text == "shell 3"


def test_repeats_have_a_rate_an_interval_and_a_gate(tmp_path: Path) -> None:
    run = make_run(tmp_path, [MadeCase()])
    gate = score("gate", "fail", type="gate", reason="4 of 5 passed, 0.9 is needed")
    repeats = Repeats(
        eval_file="evals/auth.eval.yaml",
        test_id="adds-jwt",
        target="claude-cli",
        runs=5,
        passed=4,
        errors=1,
        skipped=2,
        pass_rate=0.8,
        wilson_low=0.376,
        wilson_high=0.964,
        pass_at_k=(0.8, 1.0),
        pass_hat_k=(0.8, 0.6),
        gate=gate,
    )
    summary = msgspec.structs.replace(run.summary, repeats=(repeats,))
    [test] = run_view(msgspec.structs.replace(run, summary=summary)).tests

    [found] = test.repeats
    assert (found.rate, found.interval) == ("4 of 5 (80.0%)", "37.6% to 96.4%")
    assert (found.at_k, found.hat_k) == ("2: 100.0%", "2: 60.0%")
    assert found.others == "1 error, 2 skipped"
    assert found.gate == ("fail", "4 of 5 passed, 0.9 is needed")


@pytest.mark.parametrize(("failing", "is_open"), [(10, True), (11, False)])
def test_what_failed_is_open_unless_it_is_much(failing: int, is_open: bool, tmp_path: Path) -> None:  # noqa: FBT001
    cases = [
        MadeCase(test_id=str(number), scores=(score("a", "fail"),)) for number in range(failing)
    ]

    assert run_view(make_run(tmp_path, cases)).open_broken is is_open


def test_very_many_assertions_are_counted(tmp_path: Path) -> None:
    scores = tuple(score(f"a{number}") for number in range(600))
    [test] = run_view(make_run(tmp_path, [MadeCase(scores=scores)])).tests

    assert len(test.cases[0].holding) == 500
    assert test.cases[0].assertions_left_out == 100
