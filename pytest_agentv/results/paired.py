"""Statistics of pairs: how sure a difference is.

Written out here because they are few and a library of them is large; tests hold them against one.
"""

from __future__ import annotations

from math import exp, lgamma, log, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONFIDENCE = 0.95
# Differences are those of sums of products: by less they do not differ.
_SAME = 1e-9
_TINY = 1e-300
_PRECISION = 1e-15
_MOST_STEPS = 500


def mean_interval(differences: Sequence[float]) -> tuple[float, float] | None:
    """The interval of a mean at a confidence of 95 %, by Student's t.

    None for fewer than two, and if all are the same: to be sure of no spread at all is too much.
    """
    count = len(differences)
    if not count or max(differences) - min(differences) < _SAME:
        return None
    margin = t_quantile((1 + _CONFIDENCE) / 2, count - 1) * stdev(differences) / sqrt(count)
    mean = fmean(differences)
    return mean - margin, mean + margin


def sign_test(better: int, worse: int) -> float | None:
    """How likely a split as uneven as this one is, if neither side were better; None for none.

    The exact binomial test of two sides. Of tests that passed on one side only, it is McNemar's.
    """
    count = better + worse
    if not count:
        return None
    # In whole numbers: floats could not hold the terms of many tests.
    ways = total = 1
    for k in range(min(better, worse)):
        ways = ways * (count - k) // (k + 1)
        total += ways
    return min(1.0, 2 * total / (1 << count))


def t_quantile(share: float, freedom: int) -> float:
    """The value below which this share of Student's t distribution lies; from a half on."""
    low, high = 0.0, 1.0
    while t_share(high, freedom) < share:
        low, high = high, high * 2
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_share(middle, freedom) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_share(value: float, freedom: int) -> float:
    """The share of Student's t distribution below a value that is not negative."""
    return 1 - _incomplete_beta(freedom / (freedom + value * value), freedom / 2, 0.5) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    # The fraction converges fast on one side of the distribution's mean only.
    if x < (a + 1) / (a + b + 2):
        return factor * _beta_fraction(x, a, b) / a
    return 1 - factor * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, _not_zero(1 - (a + b) * x / (a + 1))
    result = 1 / d
    d = result
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return result


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
