"""Numbers from 0 to 1: their mean, and whether they reach a threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def reaches(score: float, threshold: float) -> bool:
    """Whether a score is high enough, rounding errors aside."""
    if score <= 0 < threshold:
        return False
    return score >= threshold or math.isclose(score, threshold, abs_tol=1e-9)


def weighted_mean(parts: Iterable[tuple[float, float]]) -> float | None:
    """The mean of scores, each with its weight; None if nothing has a weight."""
    weighed = [(score, weight) for score, weight in parts if weight > 0]
    if not weighed:
        return None
    # Weights are made small first: the sum of large ones can be infinite.
    largest = max(weight for _, weight in weighed)
    total = math.fsum(weight / largest for _, weight in weighed)
    mean = math.fsum(score * (weight / largest) for score, weight in weighed) / total
    return min(1.0, max(0.0, mean))
