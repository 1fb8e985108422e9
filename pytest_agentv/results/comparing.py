"""Comparing results: test by test, and how sure the difference is as a whole."""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.paired import mean_interval, sign_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_agentv.results.model import Outcome, Row

Result = Literal["win", "loss", "tie"]

# Of what was graded at all.
_WORST_FIRST: tuple[Outcome, ...] = ("error", "failed", "passed")
# Scores are sums of products: what differs by less is the same.
_SAME = 1e-9


class Side(Struct, frozen=True, kw_only=True):
    """One side of a comparison: the rows of a run, or of one target in it."""

    # As people know it: ``latest``, ``claude-cli``.
    label: str
    run_id: str
    complete: bool = True
    rows: tuple[Row, ...]

    @property
    def targets(self) -> list[str]:
        """The targets that its sessions are of."""
        return sorted({row.target for row in self.rows if row.target is not None})


class TestKey(Struct, frozen=True, kw_only=True, order=True):
    """A test, as it is matched between sides."""

    __test__ = False

    file: str
    test_id: str
    # Only where sides have several.
    target: str | None = None

    def __str__(self) -> str:
        return self.test_id if self.target is None else f"{self.test_id} [{self.target}]"


class Standing(Struct, frozen=True, kw_only=True):
    """How one side did on one test; of repeats the mean."""

    # An error counts as 0: it is no pass.
    score: float
    # ``passed`` if all of its sessions did.
    outcome: Outcome
    sessions: int
    figures: dict[str, float]


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
    delta: float
    # None where the baseline is 0.
    ratio: float | None


class Unmatched(Struct, frozen=True, kw_only=True):
    """Tests that could not be compared, and why."""

    baseline_only: tuple[TestKey, ...] = ()
    candidate_only: tuple[TestKey, ...] = ()
    # On one side or both there is no score, because everything was skipped.
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


def compare(baseline: Side, candidate: Side, *, threshold: float) -> Comparison:
    """Compare two sides; a delta of at least the threshold is a win, or a loss.

    A test that passed on one side only is won or lost whatever its scores.
    """
    before, after = _keyed([baseline, candidate])
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
    keyed = _keyed(sides)
    keys = dict.fromkeys(key for side in keyed for key in side)
    return {key: [_score(side.get(key, ())) for side in keyed] for key in keys}


def _keyed(sides: Sequence[Side]) -> list[dict[TestKey, list[Row]]]:
    """The rows of each side by the tests they are of, by names that fit all sides.

    Where no side has more than one target, it is the targets that are compared. Eval files may
    have moved from one run to the other: then the ids of tests have to do.
    """
    by_target = any(len(side.targets) > 1 for side in sides)
    by_file = _grouped(sides, lambda row: row.eval_file or row.suite, by_target=by_target)
    if _have_common(by_file):
        return by_file
    by_id = _grouped(sides, lambda _: "", by_target=by_target)
    return by_id if _have_common(by_id) and _are_single_files(sides) else by_file


def _grouped(
    sides: Sequence[Side], file_of: Callable[[Row], str], *, by_target: bool
) -> list[dict[TestKey, list[Row]]]:
    found: list[dict[TestKey, list[Row]]] = []
    for side in sides:
        tests: dict[TestKey, list[Row]] = {}
        for row in side.rows:
            target = row.target if by_target else None
            key = TestKey(file=file_of(row), test_id=row.test_id, target=target)
            tests.setdefault(key, []).append(row)
        found.append(tests)
    return found


def _have_common(sides: Sequence[Mapping[TestKey, object]]) -> bool:
    return bool(sides) and any(all(key in side for side in sides) for key in sides[0])


def _are_single_files(sides: Sequence[Side]) -> bool:
    """Whether the id of a test says which it is."""
    for side in sides:
        places = {(row.eval_file or row.suite, row.test_id) for row in side.rows}
        if len(places) > len({test_id for _, test_id in places}):
            return False
    return True


def _standing(rows: Sequence[Row]) -> Standing | None:
    """How a side did on a test; None if nothing was graded."""
    outcomes = Counter(map(outcome_of_row, rows))
    score = _score(rows)
    if score is None:
        return None
    graded = [one for one in _WORST_FIRST if outcomes[one]]
    known = [_figures(row) for row in rows]
    names = dict.fromkeys(name for one in known for name in one)
    return Standing(
        score=score,
        outcome=graded[0],
        sessions=sum(outcomes[one] for one in graded),
        figures={name: fmean(one[name] for one in known if name in one) for name in names},
    )


def _score(rows: Sequence[Row]) -> float | None:
    scores = [0.0 if outcome_of_row(row) == "error" else row.score for row in rows]
    graded = [one for one in scores if one is not None]
    return fmean(graded) if graded else None


def _figures(row: Row) -> dict[str, float]:
    """What a session took, as far as it says so."""
    usage = row.token_usage
    known = {
        "duration_ms": row.duration_ms,
        "cost_usd": row.cost_usd,
        "input_tokens": None if usage is None else usage.input,
        "output_tokens": None if usage is None else usage.output,
        "total_tokens": None if usage is None else _sum(usage.input, usage.output),
        "tool_calls": row.tool_calls,
        "tool_errors": row.tool_errors,
        "llm_calls": row.llm_calls,
    }
    return {name: float(value) for name, value in known.items() if value is not None}


def _sum(*parts: int | None) -> int | None:
    """All of them together; unknown if any is."""
    known = [one for one in parts if one is not None]
    return sum(known) if len(known) == len(parts) else None


def _result(key: TestKey, baseline: Standing, candidate: Standing, threshold: float) -> TestResult:
    delta = candidate.score - baseline.score
    delta = 0.0 if abs(delta) < _SAME else delta
    result: Result = "tie"
    passed = baseline.outcome == "passed", candidate.outcome == "passed"
    if passed[0] != passed[1]:
        result = "win" if passed[1] else "loss"
    elif delta and abs(delta) >= threshold - _SAME:
        result = "win" if delta > 0 else "loss"
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
    before = fmean(one.baseline.score for one in tests) if tests else None
    after = fmean(one.candidate.score for one in tests) if tests else None
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
        mean_delta=fmean(deltas) if deltas else None,
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
    names = dict.fromkeys(name for one in tests for name in one.baseline.figures)
    found = {name: _difference(name, tests) for name in names}
    return {name: one for name, one in found.items() if one is not None}


def _difference(name: str, tests: Sequence[TestResult]) -> Difference | None:
    pairs = [
        (one.baseline.figures[name], one.candidate.figures[name])
        for one in tests
        if name in one.baseline.figures and name in one.candidate.figures
    ]
    if not pairs:
        return None
    before, after = fmean(one for one, _ in pairs), fmean(one for _, one in pairs)
    return Difference(
        tests=len(pairs),
        baseline=before,
        candidate=after,
        delta=after - before,
        ratio=after / before if before else None,
    )
