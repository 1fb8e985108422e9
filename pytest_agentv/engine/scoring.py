"""The score of a case: one more outcome, by the weighted mean of its assertions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_agentv.graders.group import Member, combine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.engine.assertions import Assertion
    from pytest_agentv.graders.grade import Grade


def score(assertions: Sequence[Assertion], grades: Sequence[Grade], threshold: float) -> Grade:
    """The weighted mean of what was graded, against the threshold of the case."""
    members = [
        Member(one.name, grade, one.weight) for one, grade in zip(assertions, grades, strict=True)
    ]
    grade = combine(members, mode="weighted", threshold=threshold)
    # The assertions say what judges took: who adds it up must not count it twice.
    return replace(grade, judge=None)
