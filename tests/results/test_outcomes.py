"""What passed means: of verdicts, of our rows, and of rows that AgentV wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import score

from pytest_agentv.results.model import Row, Verdict
from pytest_agentv.results.outcomes import mean_score, outcome_of, outcome_of_row, status_of
from pytest_agentv.results.verdicts import PytestOutcome, excuse_of, verdict_of

if TYPE_CHECKING:
    from pytest_agentv.results.model import Outcome

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)
VERDICTS = st.sampled_from(get_args(Verdict))


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (["pass"], "passed"),
        (["pass", "skip", "soft"], "passed"),
        (["pass", "fail"], "failed"),
        (["pass", "fail", "error"], "error"),
        (["soft", "skip"], "failed"),
        (["skip"], "skipped"),
        ([], "skipped"),
    ],
)
def test_a_case_passes_if_something_holds_and_nothing_is_broken(
    verdicts: list[str], outcome: Outcome
) -> None:
    assert outcome_of(verdicts) == outcome


@_laws
@given(st.lists(VERDICTS), st.integers(1, 5))
def test_what_was_not_graded_leaves_a_failure_and_no_pass(verdicts: list[str], more: int) -> None:
    outcome = outcome_of(verdicts, ungraded=more)
    assert outcome == ("failed" if "fail" in verdicts and "error" not in verdicts else "error")


@_laws
@given(st.lists(VERDICTS), VERDICTS)
def test_more_verdicts_make_no_pass_of_what_is_none(verdicts: list[str], more: str) -> None:
    before, after = outcome_of(verdicts), outcome_of([*verdicts, more])
    if after == "passed":
        assert before == "passed" or (more == "pass" and not {"fail", "error"} & set(verdicts))


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"outcome": "failed", "execution_status": "ok"}, "failed"),
        ({"execution_status": "ok", "score": 0.2}, "passed"),
        ({"execution_status": "quality_failure"}, "failed"),
        ({"execution_status": "execution_error"}, "error"),
        ({"error": "no agent", "score": 1.0}, "error"),
        ({"scores": (score("a"), score("b", "fail"))}, "failed"),
        ({"score": 0.8}, "passed"),
        ({"score": 0.79}, "failed"),
        ({"score": 0.9, "threshold": 0.95}, "failed"),
        ({"score": 0.9, "scores": (score("a", ""),)}, "passed"),
        ({}, "skipped"),
        ({"outcome": "wonderful", "score": 0.0}, "failed"),
    ],
)
def test_a_row_says_it_in_one_way_or_another(fields: dict[str, Any], outcome: Outcome) -> None:
    assert outcome_of_row(Row(test_id="one", **fields)) == outcome


@pytest.mark.parametrize("outcome", ["passed", "failed", "error"])
def test_agentv_calls_it_by_other_names(outcome: Outcome) -> None:
    row = Row(test_id="one", execution_status=status_of(outcome))
    assert outcome_of_row(row) == outcome


def test_the_score_of_a_case_is_the_weighted_mean_of_what_was_graded() -> None:
    graded = [score("a", weight=3.0), score("b", "soft"), score("c", "skip")]
    assert mean_score(graded) == 0.75
    assert mean_score([*graded, score("d", "error")]) is None
    assert mean_score([score("c", "skip")]) is None
    assert mean_score([score("a", weight=0.0)]) is None


def test_every_outcome_of_pytest_has_a_verdict() -> None:
    outcomes = get_args(PytestOutcome)
    assert {one: verdict_of(one, if_xfailed="soft") for one in outcomes} == {
        "passed": "pass",
        "xpassed": "pass",
        "failed": "fail",
        "error": "error",
        "skipped": "skip",
        "xfailed": "soft",
    }


@pytest.mark.parametrize(
    ("verdict", "reason", "excuse"),
    [
        ("fail", "known", "xfail"),
        ("fail", "gate: 3 of 5", "gate"),
        ("fail", "baseline", "baseline"),
        ("fail", "baseline: known", "baseline"),
        ("fail", "gated", "xfail"),
        ("error", "known", "xfail"),
        ("soft", "soft: x", None),
    ],
)
def test_a_failure_that_does_not_fail_the_run_has_an_excuse(
    verdict: Verdict, reason: str, excuse: str | None
) -> None:
    assert excuse_of(verdict, reason) == excuse
