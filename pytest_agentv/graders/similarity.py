"""How alike two texts are by their letters alone; linear in their lengths.

The measure is the Sørensen-Dice coefficient over runs of three characters, after folding case and
blanks: twice what both have in common, divided by what they have together.
"""

from __future__ import annotations

from collections import Counter


def similarity(one: str, other: str) -> float:
    """From 0, nothing in common, to 1, the same runs equally often."""
    first, second = _runs(one), _runs(other)
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0


def _runs(text: str) -> Counter[tuple[str, str, str]]:
    # A blank on each side gives even a single letter a run.
    folded = f" {' '.join(text.casefold().split())} "
    return Counter(zip(folded, folded[1:], folded[2:], strict=False))
