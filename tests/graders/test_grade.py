"""A grade: what it refuses to say, what it counts, and what becomes of its score and opposite."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_agentv import Grade
from pytest_agentv.graders.grade import Evidence


@pytest.mark.parametrize(
    ("fields", "error", "said"),
    [
        ({"outcome": "held"}, ValueError, "no outcome of a grade: 'held'"),
        ({"outcome": True}, ValueError, "no outcome of a grade: True"),
        ({"reason": None}, TypeError, "the reason of a grade is a text, not None"),
        ({"claim": 1}, TypeError, "the claim of a grade is a text, not 1"),
        ({"details": ["a"]}, TypeError, "the details of a grade are a text, not ['a']"),
        ({"evidence": ("a",)}, TypeError, "the evidence of a grade is Evidence, not ('a',)"),
        ({"score": 1.01}, ValueError, "a score is a number from 0 to 1, not 1.01"),
        ({"score": -0.01}, ValueError, "a score is a number from 0 to 1, not -0.01"),
        ({"score": math.nan}, ValueError, "a score is a number from 0 to 1, not nan"),
    ],
)
def test_what_is_no_grade_is_refused_where_it_is_made(
    fields: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        Grade(**{"outcome": "passed", **fields})
    assert str(caught.value) == said


@pytest.mark.parametrize("score", [0, 0.0, 0.5, 1, 1.0])
def test_a_score_may_be_anything_from_0_to_1(score: float) -> None:
    assert Grade("failed", score=score, evidence=(Evidence(1),)).points == score


@pytest.mark.parametrize(
    ("grade", "points"),
    [
        (Grade("passed"), 1.0),
        (Grade("failed"), 0.0),
        (Grade("skipped"), None),
        (Grade("skipped", score=0.5), None),
        (Grade("passed", score=0.25), 0.25),
        (Grade("failed", score=0.75), 0.75),
    ],
)
def test_a_grade_counts_by_its_score_or_else_by_its_outcome(
    grade: Grade, points: float | None
) -> None:
    assert grade.points == points


@pytest.mark.parametrize(
    ("grade", "opposite"),
    [
        (Grade("passed", "yes", 0.75, "it is"), Grade("failed", "yes", 0.25, "not: it is")),
        (Grade("failed", "no", 0.25), Grade("passed", "no", 0.75)),
        (Grade("failed", barred=True), Grade("passed")),
        (Grade("failed", score=0.0, vacuous=True), Grade("skipped", vacuous=True)),
        (Grade("failed", score=0.5, mixed=True), Grade("failed", mixed=True)),
        (Grade("skipped", score=0.5), Grade("skipped")),
    ],
)
def test_the_opposite_of_a_grade(grade: Grade, opposite: Grade) -> None:
    assert grade.negated() == opposite


@pytest.mark.parametrize(
    ("grade", "threshold", "judged"),
    [
        (Grade("failed", score=0.7), 0.7, Grade("passed", "score 0.7 of at least 0.7", 0.7)),
        (Grade("passed", score=0.7), 0.71, Grade("failed", "score 0.7 of at least 0.71", 0.7)),
        (Grade("passed", "so"), 1.0, Grade("passed", "score 1 of at least 1: so", 1.0)),
        (Grade("skipped", "who knows"), 0.1, Grade("skipped", "who knows")),
        (
            Grade("failed", score=1.0, barred=True),
            0.5,
            Grade("failed", "score 1 of at least 0.5", 1.0, barred=True),
        ),
    ],
)
def test_a_grade_against_a_threshold(grade: Grade, threshold: float, judged: Grade) -> None:
    assert grade.against(threshold) == judged
