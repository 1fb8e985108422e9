"""Several rankings made one, by ranks alone: their scores measure different things."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

_Thing = TypeVar("_Thing", bound="Hashable")

# Of Cormack, Clarke and Buettcher, who proposed the method: larger, and first places count less.
K = 60


def fused(rankings: Iterable[Sequence[_Thing]], *, k: int = K) -> list[tuple[_Thing, float]]:
    """Things by reciprocal rank fusion, best first; of equals, what is met first.

    In each ranking the best comes first; only the first place of a thing counts.
    """
    scores: dict[_Thing, float] = {}
    for ranking in rankings:
        for place, thing in enumerate(dict.fromkeys(ranking), 1):
            scores[thing] = scores.get(thing, 0.0) + 1 / (k + place)
    return sorted(scores.items(), key=lambda one: -one[1])
