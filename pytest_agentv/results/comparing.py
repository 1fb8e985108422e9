"""Comparing results: test by test, and how sure the difference is as a whole."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from pytest_agentv.results.matching import TestKey, matched
from pytest_agentv.results.outcomes import is_unfinished, outcome_of_row
from pytest_agentv.results.paired import mean_interval, sign_test
from pytest_agentv.results.statistics import METRICS, is_bound, mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.results.matching import Side
    from pytest_agentv.results.model import Outcome, Row

Result = Literal["win", "loss", "tie"]
# What makes a candidate worse: a test that is lost, a mean that fell, nothing.
FailOn = Literal["loss", "mean", "never"]

# Of what was graded at all.
_WORST_FIRST: tuple[Outcome, ...] = ("error", "failed", "passed")
_FIGURES = {name: figure for name, figure in METRICS.items() if name != "score"}
# Scores are sums of products: what differs by less is the same.
_SAME = 1e-9


class Standing(Struct, frozen=True, kw_only=True):
    """How one side did on one test; of repeats the mean."""

    # An error counts as 0: it is no pass.
    score: float
    # ``passed`` if all of its sessions did.
    outcome: Outcome
    sessions: int
    # How many of them passed.
    passed: int
    figures: dict[str, float]
    # Figures of which no more is known than that it was at least so much.
    at_least: tuple[str, ...] = ()


class TestResult(Struct, frozen=True, kw_only=True):
    """One test on both sides."""

    __test__ = False

    test: TestKey
    baseline: Standing
    candidate: Standing
    delta: float
    # Of what could be gained; None where there was nothing to gain.
    normalized_gain: float | None
    result: Result


class Difference(Struct, frozen=True, kw_only=True):
    """Means of one figure over the tests of which both sides know it."""

    tests: int
    baseline: float
    candidate: float
    # Whether it was at least so much: the session does not say all of it.
    baseline_at_least: bool = False
    candidate_at_least: bool = False
    # None where that is so of a side: nobody knows which of them took more.
    delta: float | None
    # None where the baseline is 0, too.
    ratio: float | None


class Unmatched(Struct, frozen=True, kw_only=True):
    """Tests that could not be compared, and why."""

    baseline_only: tuple[TestKey, ...] = ()
    candidate_only: tuple[TestKey, ...] = ()
    # On one side or both there is no score: everything was skipped, or the run broke off.
    not_graded: tuple[TestKey, ...] = ()


class Comparison(Struct, frozen=True, kw_only=True):
    """A candidate against the baseline."""

    baseline: str
    candidate: str
    threshold: float
    wins: int
    losses: int
    ties: int
    mean_baseline: float | None
    mean_candidate: float | None
    mean_delta: float | None
    # What was gained of what could be: (candidate - baseline) / (1 - baseline), of the means.
    normalized_gain: float | None
    # Of the mean delta, at a confidence of 95 %.
    interval: tuple[float, float] | None
    # Exact and of two sides: on scores that rose or fell, and on tests that passed on one side.
    sign_test_p: float | None
    passed_only_baseline: int
    passed_only_candidate: int
    mcnemar_p: float | None
    tests: tuple[TestResult, ...]
    unmatched: Unmatched
    figures: dict[str, Difference] = field(default_factory=dict)

    def is_regression(self, fail_on: FailOn) -> bool:
        """Whether the candidate is worse, by what somebody wants to look at."""
        if fail_on == "mean":
            fell = -(self.mean_delta or 0.0)
            return fell >= max(self.threshold - _SAME, _SAME)
        return fail_on == "loss" and self.losses > 0


def compare(baseline: Side, candidate: Side, *, threshold: float) -> Comparison:
    """Compare two sides; a delta of at least the threshold is a win, or a loss.

    The share of sessions that pass comes first. Of one session that is all or nothing: a test
    that passed on one side only is won or lost whatever its scores.
    """
    before, after = matched([baseline, candidate])
    both = [key for key in before if key in after]
    tests = []
    not_graded = []
    for key in both:
        sides = _standing(before[key]), _standing(after[key])
        if sides[0] is None or sides[1] is None:
            not_graded.append(key)
        else:
            tests.append(_result(key, sides[0], sides[1], threshold))
    unmatched = Unmatched(
        baseline_only=tuple(key for key in before if key not in after),
        candidate_only=tuple(key for key in after if key not in before),
        not_graded=tuple(not_graded),
    )
    return _comparison(baseline.label, candidate.label, threshold, tests, unmatched)


def matrix(sides: Sequence[Side]) -> dict[TestKey, list[float | None]]:
    """The score of every test on every side; None where it has none."""
    keyed = matched(sides)
    keys = dict.fromkeys(key for side in keyed for key in side)
    found = {key: [_standing(side.get(key, ())) for side in keyed] for key in keys}
    return {
        key: [None if one is None else one.score for one in several]
        for key, several in found.items()
    }


def _standing(rows: Sequence[Row]) -> Standing | None:
    """How a side did on a test; None if nothing was graded."""
    graded = graded_rows(rows)
    if not graded:
        return None
    outcomes = Counter(map(outcome_of_row, graded))
    known = {name: [figure(row) for row in graded] for name, figure in _FIGURES.items()}
    return Standing(
        score=mean([compared_score(row) for row in graded]),
        outcome=next(one for one in _WORST_FIRST if outcomes[one]),
        sessions=len(graded),
        passed=outcomes["passed"],
        figures={
            name: mean([one for one in values if one is not None])
            for name, values in known.items()
            if any(one is not None for one in values)
        },
        at_least=tuple(name for name in _FIGURES if any(is_bound(name, row) for row in graded)),
    )


def graded_rows(rows: Sequence[Row]) -> list[Row]:
    """The cases that count: one that was skipped or not finished says nothing of its target."""
    return [row for row in rows if outcome_of_row(row) != "skipped" and not is_unfinished(row)]


def compared_score(row: Row) -> float:
    """The score of a case that was graded; where all weights are 0, its outcome says it."""
    outcome = outcome_of_row(row)
    if outcome == "error":
        return 0.0
    if row.score is None:
        return float(outcome == "passed")
    return min(max(row.score, 0.0), 1.0)  # a file of others may say anything


def _result(key: TestKey, baseline: Standing, candidate: Standing, threshold: float) -> TestResult:
    delta = candidate.score - baseline.score
    delta = 0.0 if abs(delta) < _SAME else delta
    result: Result = "tie"
    shares = candidate.passed / candidate.sessions - baseline.passed / baseline.sessions
    for change in (shares, delta):
        if result == "tie" and abs(change) >= max(threshold - _SAME, _SAME):
            result = "win" if change > 0 else "loss"
    return TestResult(
        test=key,
        baseline=baseline,
        candidate=candidate,
        delta=delta,
        normalized_gain=_gain(baseline.score, candidate.score),
        result=result,
    )


def _comparison(
    baseline: str,
    candidate: str,
    threshold: float,
    tests: Sequence[TestResult],
    unmatched: Unmatched,
) -> Comparison:
    counts = Counter(one.result for one in tests)
    deltas = [one.delta for one in tests]
    before = mean([one.baseline.score for one in tests]) if tests else None
    after = mean([one.candidate.score for one in tests]) if tests else None
    lost = sum(one.baseline.outcome == "passed" != one.candidate.outcome for one in tests)
    won = sum(one.candidate.outcome == "passed" != one.baseline.outcome for one in tests)
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        threshold=threshold,
        wins=counts["win"],
        losses=counts["loss"],
        ties=counts["tie"],
        mean_baseline=before,
        mean_candidate=after,
        mean_delta=mean(deltas) if deltas else None,
        normalized_gain=None if before is None or after is None else _gain(before, after),
        interval=mean_interval(deltas),
        sign_test_p=sign_test(sum(one > 0 for one in deltas), sum(one < 0 for one in deltas)),
        passed_only_baseline=lost,
        passed_only_candidate=won,
        mcnemar_p=sign_test(won, lost),
        tests=tuple(tests),
        unmatched=unmatched,
        figures=_differences(tests),
    )


def _gain(baseline: float, candidate: float) -> float | None:
    room = 1 - baseline
    return None if room < _SAME else (candidate - baseline) / room


def _differences(tests: Sequence[TestResult]) -> dict[str, Difference]:
    found = {name: _difference(name, tests) for name in _FIGURES}
    return {name: one for name, one in found.items() if one is not None}


def _difference(name: str, tests: Sequence[TestResult]) -> Difference | None:
    both = [one for one in tests if name in one.baseline.figures and name in one.candidate.figures]
    pairs = [(one.baseline.figures[name], one.candidate.figures[name]) for one in both]
    if not pairs:
        return None
    before, after = (mean(side) for side in zip(*pairs, strict=True))
    bounds = [
        any(name in one.at_least for one in side)
        for side in ([one.baseline for one in both], [one.candidate for one in both])
    ]
    return Difference(
        tests=len(pairs),
        baseline=before,
        candidate=after,
        baseline_at_least=bounds[0],
        candidate_at_least=bounds[1],
        delta=None if any(bounds) else after - before,
        ratio=None if any(bounds) or not before else after / before,
    )
