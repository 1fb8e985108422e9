"""How a test did on several sessions of one provider: rates, and how sure they are."""

from __future__ import annotations

from collections import Counter
from math import comb, sqrt
from typing import TYPE_CHECKING

from pytest_agentv.results.model import Repeats
from pytest_agentv.results.outcomes import outcome_of_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.results.model import Outcome, Row

# The quantile of the normal distribution for a confidence of 95 %.
_Z = 1.959963984540054
# pass@k and pass^k are told for k up to this.
_MOST_K = 10


def repeats_of(rows: Iterable[Row]) -> tuple[Repeats, ...]:
    """Of every test that a provider did more than once, in the order of the rows."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.target is not None:
            groups.setdefault((row.eval_file, row.test_id, row.target), []).append(row)
    return tuple(
        repeats(*key, map(outcome_of_row, several))
        for key, several in groups.items()
        if len(several) > 1
    )


def pass_at_k(runs: int, passed: int, k: int) -> float:
    """The chance that one of k sessions drawn from these passes."""
    return 1 - comb(runs - passed, k) / comb(runs, k)


def pass_hat_k(runs: int, passed: int, k: int) -> float:
    """The chance that all of k sessions drawn from these pass."""
    return comb(passed, k) / comb(runs, k)


def wilson(runs: int, passed: int) -> tuple[float, float]:
    """The Wilson interval of a rate at a confidence of 95 %."""
    rate, z2 = passed / runs, _Z * _Z
    centre = (rate + z2 / (2 * runs)) / (1 + z2 / runs)
    margin = _Z * sqrt(rate * (1 - rate) / runs + z2 / (4 * runs * runs)) / (1 + z2 / runs)
    # By rounding alone the ends may lie outside of what a rate can be, or on the wrong side of it.
    return max(0.0, min(centre - margin, rate)), min(1.0, max(centre + margin, rate))


def percent(share: float) -> str:
    """A share as people read it; 100.0% means all, and 0.0% none."""
    return f"{min(max(share, 0.001), 0.999) if 0 < share < 1 else share:.1%}"


def repeats(eval_file: str, test_id: str, target: str, outcomes: Iterable[Outcome]) -> Repeats:
    """What the outcomes of a test on several sessions of one provider come to."""
    counts = Counter(outcomes)
    passed = counts["passed"]
    runs = passed + counts["failed"]
    ks = range(1, min(runs, _MOST_K) + 1)
    low, high = wilson(runs, passed) if runs else (None, None)
    return Repeats(
        eval_file=eval_file,
        test_id=test_id,
        target=target,
        runs=runs,
        passed=passed,
        errors=counts["error"],
        skipped=counts["skipped"],
        pass_rate=passed / runs if runs else None,
        wilson_low=low,
        wilson_high=high,
        pass_at_k=tuple(pass_at_k(runs, passed, k) for k in ks),
        pass_hat_k=tuple(pass_hat_k(runs, passed, k) for k in ks),
    )
