"""Sessions that do not say everything, or say what nobody understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

BUDGETS = (
    "{type: cost, max_usd: 1}",
    "{type: not-cost, max_usd: 1}",
    "{type: token-usage, max_total: 5}",
    "{type: latency, max_ms: 5}",
)
DRIFTED = recorded(drift={"record type 'x'": 3})


def test_missing_data_is_skipped(project: EvalProject) -> None:
    project.assertions(*BUDGETS)
    project.sessions(recorded())
    run = project.grade()
    assert set(run.outcomes.values()) == {"skipped"}
    assert run.code == 0


def test_missing_data_fails_on_request(project: EvalProject) -> None:
    project.assertions(*BUDGETS, "contains: Done")
    project.sessions(recorded())
    run = project.grade("--agentv-missing=fail")
    assert run.by_name == {
        "cost": "failed",
        "not-cost": "failed",
        "token-usage": "failed",
        "latency": "failed",
        "contains-Done": "passed",
    }
    assert "found:    not evaluable: the session does not say" in run.text_of["cost"]


def test_an_entry_says_itself_what_becomes_of_missing_data(project: EvalProject) -> None:
    project.assertions(
        "{type: cost, max_usd: 1, on_missing: fail, metric: fails}",
        "{type: cost, max_usd: 1, on_missing: skip, metric: skips}",
        "{type: not-cost, max_usd: 1, on_missing: fail, metric: fails-too}",
    )
    project.sessions(recorded())
    assert project.grade().by_name == {"fails": "failed", "skips": "skipped", "fails-too": "failed"}
    assert project.grade("--agentv-missing=fail").by_name["skips"] == "skipped"


def test_a_set_fails_on_request_if_a_member_lacks_data(project: EvalProject) -> None:
    project.assertions(
        "{type: assert-set, metric: budget, on_missing: fail, assert: [{type: cost, max_usd: 1}]}"
    )
    project.sessions(recorded())
    assert project.grade().by_name == {"budget": "failed"}


def test_the_option_takes_two_values(project: EvalProject) -> None:
    run = project.run("--agentv-missing=pass")
    assert run.code == 4
    assert "--agentv-missing" in run.errors


def test_the_cost_of_the_test_serves_where_the_session_has_none(project: EvalProject) -> None:
    project.assertions("{type: cost, max_usd: 1}", test="cost_usd: 0.5")
    project.sessions(recorded())
    assert project.grade().by_name == {"cost": "passed"}


def test_prices_of_the_project_make_a_cost(project: EvalProject) -> None:
    project.assertions("{type: cost, max_usd: 1}", "{type: cost, max_usd: 0.01, metric: cheap}")
    project.sessions(recorded(token_usage={"input": 100_000, "output": 1_000, "cached": 0}))
    project.write("pyproject.toml", '[tool.agentv.prices]\n"claude-*" = {input = 5, output = 25}\n')
    assert project.grade().by_name == {"cost": "passed", "cheap": "failed"}


def test_wrong_prices_are_an_error_that_names_the_file(project: EvalProject) -> None:
    project.assertions("{type: cost, max_usd: 1}")
    project.sessions(recorded())
    project.write(
        "pyproject.toml", '[tool.agentv.prices]\n"claude-*" = {input = -5, output = 25}\n'
    )
    run = project.grade()
    assert run.code == 2
    assert (
        "pyproject.toml: the price of 'claude-*' for `input` must be a number from 0 on, not -5"
        in run.text
    )
    assert "Traceback" not in run.text


def test_drift_is_no_obstacle(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(DRIFTED)
    assert project.grade().by_name == {"contains-Done": "passed"}


def test_drift_is_an_error_if_strict(project: EvalProject) -> None:
    project.assertions("contains: Done", "not-contains: Done")
    project.sessions(DRIFTED)
    run = project.grade("--agentv-strict")
    assert run.by_name == {"contains-Done": "error", "not-contains-Done": "error"}
    assert "not all of it is understood: " in run.text_of["contains-Done"]
    assert "record type 'x'" in run.text_of["contains-Done"]


def test_drift_of_a_plain_test_is_an_error_if_strict(project: EvalProject) -> None:
    project.write("test_it.py", "def test_it(transcript): pass\n")
    project.sessions(DRIFTED)
    assert project.grade().outcomes == {"test_it.py::test_it[claude-cli]": "passed"}
    assert project.grade("--agentv-strict").outcomes == {"test_it.py::test_it[claude-cli]": "error"}
