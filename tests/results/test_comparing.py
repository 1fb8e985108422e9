"""Comparing results test by test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import score

from pytest_agentv.results.comparing import Comparison, compare, matrix
from pytest_agentv.results.matching import Side
from pytest_agentv.results.model import Row
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.results.comparing import FailOn

_SCORES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=8
)


def _row(test_id: str, score: float | None, *, target: str = "claude-cli", **more: object) -> Row:
    outcome = "skipped" if score is None else "passed" if score == 1 else "failed"
    known = {"test_id": test_id, "score": score, "target": target, "outcome": outcome}
    return Row(**{"eval_file": "evals/a.eval.yaml", **known, **more})  # type: ignore[arg-type]


def _side(label: str, *rows: Row) -> Side:
    return Side(label=label, run_id=label, rows=rows)


def _compared(
    before: Mapping[str, float | None], after: Mapping[str, float | None], threshold: float = 0.1
) -> Comparison:
    sides = [
        _side(label, *(_row(test_id, score) for test_id, score in scores.items()))
        for label, scores in (("before", before), ("after", after))
    ]
    return compare(*sides, threshold=threshold)


def _results(comparison: Comparison) -> dict[str, str]:
    return {one.test.test_id: one.result for one in comparison.tests}


def test_a_score_that_differs_by_the_threshold_is_a_win_or_a_loss() -> None:
    found = _compared(
        {"up": 0.5, "down": 0.5, "little": 0.5, "same": 0.5},
        {"up": 0.6, "down": 0.4, "little": 0.55, "same": 0.5},
    )
    assert _results(found) == {"up": "win", "down": "loss", "little": "tie", "same": "tie"}
    assert (found.wins, found.losses, found.ties) == (1, 1, 2)
    assert found.mean_delta == pytest.approx(0.0125)


def test_a_case_that_its_run_did_not_finish_is_neither_won_nor_lost() -> None:
    unfinished = _row("a", None, outcome="error", ungraded=2, scores=(score("b"),))
    whole = _row("a", 1.0)
    for sides in ((unfinished, whole), (whole, unfinished)):
        found = compare(_side("before", sides[0]), _side("after", sides[1]), threshold=0.1)
        assert not found.tests
        assert [one.test_id for one in found.unmatched.not_graded] == ["a"]


def test_an_error_counts_though_its_run_broke_off() -> None:
    broken = _row("a", None, outcome="error", ungraded=2, scores=(score("b", "error"),))
    found = compare(_side("before", _row("a", 1.0)), _side("after", broken), threshold=0.1)
    assert _results(found) == {"a": "loss"}


def test_rounding_does_not_decide_whether_the_threshold_is_reached() -> None:
    assert _results(_compared({"a": 0.1 + 0.2}, {"a": 0.2})) == {"a": "loss"}


def test_with_a_threshold_of_zero_what_is_the_same_is_a_tie() -> None:
    found = _compared({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.51}, threshold=0)
    assert _results(found) == {"a": "tie", "b": "win"}


def test_a_test_that_no_longer_passes_is_lost_however_little_its_score_fell() -> None:
    found = _compared({"a": 1.0, "b": 0.95}, {"a": 0.95, "b": 1.0})
    assert _results(found) == {"a": "loss", "b": "win"}
    assert (found.passed_only_baseline, found.passed_only_candidate) == (1, 1)


def test_an_error_counts_as_nothing_and_never_as_a_pass() -> None:
    broken = _row("a", None, outcome="error")
    found = compare(_side("before", _row("a", 1.0)), _side("after", broken), threshold=0.1)
    assert _results(found) == {"a": "loss"}
    assert found.mean_candidate == 0.0


def test_the_normalized_gain_is_what_was_gained_of_what_could_be() -> None:
    found = _compared({"a": 0.5, "b": 0.5}, {"a": 0.75, "b": 0.75})
    assert found.normalized_gain == pytest.approx(0.5)
    assert found.tests[0].normalized_gain == pytest.approx(0.5)


def test_there_is_no_gain_where_nothing_could_be_gained() -> None:
    assert _compared({"a": 1.0}, {"a": 0.5}).normalized_gain is None


def test_tests_of_one_side_and_tests_without_a_score_are_listed() -> None:
    found = _compared({"a": 1.0, "old": 1.0, "skipped": None}, {"a": 1.0, "new": 1.0, "skipped": 1})
    assert [one.test_id for one in found.unmatched.baseline_only] == ["old"]
    assert [one.test_id for one in found.unmatched.candidate_only] == ["new"]
    assert [one.test_id for one in found.unmatched.not_graded] == ["skipped"]
    assert _results(found) == {"a": "tie"}


def test_repeats_count_by_their_mean_and_pass_if_all_of_them_do() -> None:
    before = _side("before", _row("a", 1.0), _row("a", 1.0))
    after = _side("after", _row("a", 1.0), _row("a", 0.9))
    (one,) = compare(before, after, threshold=0.1).tests
    assert one.candidate.score == pytest.approx(0.95)
    assert (one.candidate.sessions, one.candidate.outcome, one.result) == (2, "failed", "loss")


def test_the_threshold_holds_for_the_share_of_repeats_that_pass() -> None:
    before = _side("before", *[_row("a", 1.0)] * 20)
    after = _side("after", *[_row("a", 1.0)] * 19, _row("a", 0.9))
    assert _results(compare(before, after, threshold=0.1)) == {"a": "tie"}
    assert _results(compare(before, after, threshold=0.05)) == {"a": "loss"}


def test_the_share_that_passes_says_who_won_even_against_the_mean_score() -> None:
    before = _row("a", 0.9, outcome="failed")
    after = _row("a", 0.7, outcome="passed")
    found = compare(_side("before", before), _side("after", after), threshold=0.1)
    assert _results(found) == {"a": "win"}
    assert found.tests[0].delta == pytest.approx(-0.2)
    found = compare(_side("before", after), _side("after", before), threshold=0.1)
    assert _results(found) == {"a": "loss"}
    assert found.tests[0].delta == pytest.approx(0.2)


@pytest.mark.parametrize(("score", "counted"), [(7.5, 1.0), (-3.0, 0.0), (0.5, 0.5)])
def test_scores_of_others_count_from_0_to_1(score: float, counted: float) -> None:
    found = matrix([_side("theirs", _row("a", score))])
    assert list(found.values()) == [[counted]]


def test_where_nothing_was_compared_nothing_became_worse() -> None:
    found = _compared({"a": 1.0}, {"b": 0.0})
    assert (found.mean_delta, found.normalized_gain, found.interval) == (None, None, None)
    assert [found.is_regression(one) for one in ("mean", "loss", "never")] == [False] * 3


def test_a_failure_is_seen_where_no_assertion_has_any_weight() -> None:
    rows = [_row("a", None, outcome=outcome) for outcome in ("passed", "failed")]
    found = compare(_side("before", rows[0]), _side("after", rows[1]), threshold=0.1)
    assert (_results(found), found.mean_delta) == ({"a": "loss"}, -1.0)


def test_a_score_of_a_case_that_was_skipped_does_not_count() -> None:
    skipped = _row("a", 1.0, outcome="skipped", duration_ms=1)
    sides = _side("before", skipped, _row("a", 0.5, duration_ms=9)), _side("after", skipped)
    assert compare(*sides, threshold=0.1).unmatched.not_graded == tuple(matrix(sides))
    assert list(matrix(sides).values()) == [[0.5, None]]
    (one,) = compare(sides[0], sides[0], threshold=0.1).tests
    assert (one.baseline.sessions, one.baseline.figures["duration_ms"]) == (1, 9)


def test_of_lower_bounds_nobody_knows_the_difference() -> None:
    bound = TokenUsage(input=10, output=2, output_complete=False)
    before = _side("before", _row("a", 1.0, token_usage=bound))
    after = _side("after", _row("a", 1.0, token_usage=TokenUsage(input=10, output=5)))
    figures = compare(before, after, threshold=0.1).figures
    output = figures["output_tokens"]
    assert (output.baseline_at_least, output.candidate_at_least) == (True, False)
    assert (output.delta, output.ratio) == (None, None)
    assert figures["total_tokens"].delta is None
    assert figures["input_tokens"].delta == 0


def test_one_lower_bound_among_the_tests_makes_one_of_the_mean() -> None:
    bound = TokenUsage(input=10, output=2, output_complete=False)
    whole = TokenUsage(input=10, output=2)
    rows = [_row("a", 1.0, token_usage=bound), _row("b", 1.0, token_usage=whole)]
    known = [_row("a", 1.0, token_usage=whole), _row("b", 1.0, token_usage=whole)]
    output = compare(_side("x", *known), _side("y", *rows), threshold=0.1).figures["output_tokens"]
    assert (output.tests, output.baseline_at_least, output.candidate_at_least) == (2, False, True)
    assert (output.delta, output.ratio) == (None, None)


@pytest.mark.parametrize(
    ("scores", "fail_on", "regression"),
    [
        ((0.9, 0.8), "mean", True),
        ((0.9, 0.85), "mean", False),
        ((0.8, 0.9), "mean", False),
        ((0.9, 0.8), "loss", True),
        ((0.9, 0.85), "loss", False),
        ((0.9, 0.0), "never", False),
    ],
)
def test_rounding_does_not_decide_what_a_regression_is(
    scores: tuple[float, float], fail_on: FailOn, *, regression: bool
) -> None:
    found = _compared({"a": scores[0]}, {"a": scores[1]})
    assert found.is_regression(fail_on) is regression


def test_sides_of_one_target_each_are_compared_though_the_targets_differ() -> None:
    found = compare(
        _side("claude", _row("a", 1.0)),
        _side("codex", _row("a", 0.5, target="codex-cli")),
        threshold=0.1,
    )
    assert _results(found) == {"a": "loss"}


def test_of_sides_with_several_targets_each_is_compared_with_itself() -> None:
    before = _side("before", _row("a", 1.0), _row("a", 0.0, target="codex-cli"))
    after = _side("after", _row("a", 0.0), _row("a", 1.0, target="codex-cli"))
    found = compare(before, after, threshold=0.1)
    assert {one.test.target: one.result for one in found.tests} == {
        "claude-cli": "loss",
        "codex-cli": "win",
    }


def test_tests_of_the_same_id_in_two_eval_files_are_two_tests() -> None:
    rows = [_row("a", score, eval_file=file) for file, score in (("x.yaml", 1.0), ("y.yaml", 0.0))]
    found = compare(_side("before", *rows), _side("after", *reversed(rows)), threshold=0.1)
    assert [one.result for one in found.tests] == ["tie", "tie"]


def test_tests_are_found_by_their_ids_if_their_eval_file_has_moved() -> None:
    moved = _row("a", 0.5, eval_file="elsewhere/a.eval.yaml")
    found = compare(_side("before", _row("a", 1.0)), _side("after", moved), threshold=0.1)
    assert _results(found) == {"a": "loss"}


def test_figures_are_compared_over_the_tests_of_which_both_sides_know_them() -> None:
    before = _side(
        "before",
        _row("a", 1.0, duration_ms=1_000, tool_calls=0, token_usage=TokenUsage(input=7)),
        _row("b", 1.0, duration_ms=9_000),
    )
    after = _side(
        "after", _row("a", 1.0, duration_ms=3_000, tool_calls=4), _row("b", 1.0, tool_calls=9)
    )
    figures = compare(before, after, threshold=0.1).figures
    duration = figures["duration_ms"]
    assert (duration.tests, duration.baseline, duration.candidate) == (1, 1_000, 3_000)
    assert duration.ratio == pytest.approx(3.0)
    calls = figures["tool_calls"]
    assert (calls.tests, calls.candidate, calls.ratio) == (1, 4, None)
    assert "input_tokens" not in figures
    assert "total_tokens" not in figures


def test_figures_of_repeats_are_the_mean_of_those_that_are_known() -> None:
    bound = TokenUsage(input=10, output=4, output_complete=False)
    repeats = [
        _row("a", 1.0, duration_ms=1_000, token_usage=bound),
        _row("a", 1.0, token_usage=TokenUsage(input=10, output=2)),
        _row("a", 1.0, duration_ms=2_000),
    ]
    (one,) = compare(_side("x", *repeats), _side("y", *repeats), threshold=0.1).tests
    figures = one.baseline.figures
    assert (figures["duration_ms"], figures["output_tokens"]) == (1_500, 3)
    assert one.baseline.at_least == ("output_tokens", "total_tokens")
    assert "cost_usd" not in figures


def test_the_matrix_has_every_test_of_every_side() -> None:
    sides = [
        _side("x", _row("a", 1.0), _row("b", 0.5)),
        _side("y", _row("a", 0.0)),
        _side("z", _row("c", None)),
    ]
    found = {key.test_id: row for key, row in matrix(sides).items()}
    assert found == {"a": [1.0, 0.0, None], "b": [0.5, None, None], "c": [None, None, None]}


@given(before=_SCORES, after=_SCORES)
def test_to_compare_the_other_way_round_turns_everything_around(
    before: dict[str, float], after: dict[str, float]
) -> None:
    one, other = _compared(before, after), _compared(after, before)
    assert (one.wins, one.losses, one.ties) == (other.losses, other.wins, other.ties)
    assert one.sign_test_p == other.sign_test_p
    assert one.mcnemar_p == other.mcnemar_p
    assert (one.mean_delta is None) == (other.mean_delta is None) == (not before.keys() & after)
    assert (one.mean_delta or 0) == pytest.approx(-(other.mean_delta or 0))
    turned = other.interval and tuple(-end for end in reversed(other.interval))
    assert one.interval == (turned and pytest.approx(turned))


@given(scores=_SCORES)
def test_a_side_compared_with_itself_is_all_ties(scores: dict[str, float]) -> None:
    found = _compared(scores, scores)
    assert (found.wins, found.losses, found.ties) == (0, 0, len(scores))
    assert found.sign_test_p is None
