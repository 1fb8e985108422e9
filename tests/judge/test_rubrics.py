"""Rubrics in every form that eval files write them in."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_agentv.graders.judge import LlmRubric
from pytest_agentv.graders.judging import Criterion


def criteria(value: Any) -> tuple[Criterion, ...]:
    return LlmRubric.model_validate({"value": value}).criteria


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Is polite ", [Criterion(text="Is polite")]),
        (["a", "b"], [Criterion(text="a"), Criterion(text="b")]),
        ({"goal": "a"}, [Criterion(text="a")]),
        ({"criteria": ["a", "b"]}, [Criterion(text="a"), Criterion(text="b")]),
        (
            {"tone": "a", "length": "b"},
            [Criterion(text="a", id="tone"), Criterion(text="b", id="length")],
        ),
        (
            [{"id": 1, "outcome": "a", "weight": 2, "required": True}],
            [Criterion(text="a", id="1", weight=2.0, required=True)],
        ),
        ([{"text": "a", "operator": "contradiction"}], [Criterion(text="a", contradiction=True)]),
        (
            [{"outcome": "a", "score_ranges": {"0": "poor", "5": "fair", "8": "good"}}],
            [Criterion(text="a", ranges=((0, "poor"), (5, "fair"), (8, "good")))],
        ),
        (
            [{"outcome": "a", "score_ranges": {"0-4": "poor", "5-10": "good"}, "required": 7}],
            [
                Criterion(
                    text="a", ranges=((0, "poor"), (5, "good")), required=True, min_score=0.7
                )
            ],
        ),
        (
            [{"required_min_score": 1, "score_ranges": {"0": "poor", "5": "good"}}],
            [
                Criterion(
                    text="The points that fit best",
                    ranges=((0, "poor"), (5, "good")),
                    required=True,
                    min_score=0.1,
                )
            ],
        ),
        (
            [
                {
                    "outcome": "a",
                    "min_score": 0.5,
                    "score_ranges": [
                        {"score_range": [6, 10], "outcome": "good"},
                        {"score_range": [0, 5], "outcome": "poor"},
                    ],
                }
            ],
            [
                Criterion(
                    text="a", ranges=((0, "poor"), (6, "good")), required=True, min_score=0.5
                )
            ],
        ),
    ],
)  # fmt: skip
def test_criteria_are_read(value: Any, expected: list[Criterion]) -> None:
    assert list(criteria(value)) == expected


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (" ", "must not be blank"),
        ([], "must be a text, a list of criteria or a mapping, not []"),
        ([1], "item 1 must be a text or a mapping, not 1"),
        ([{"outcome": "a", "wieght": 2}], "item 1 has an unknown key 'wieght'"),
        ([{"id": "a"}], "item 1 needs one text, as `outcome`"),
        ([{"outcome": 5}], "the text of item 1 must be a text, not 5"),
        ([{"outcome": "a", "weight": 0}], "`weight` of item 1 must be above 0"),
        ([{"outcome": "a", "weight": "2"}], "`weight` of item 1 must be a number"),
        ([{"outcome": "a", "required": "yes"}], "`required` of item 1 must be true or false"),
        ([{"outcome": "a", "operator": "x"}], "`operator` of item 1 must be one of correctness"),
        ([{"outcome": "a", "min_score": 0.5}], "`min_score` of item 1 needs `score_ranges`"),
        (
            [{"outcome": "a", "min_score": 0.5, "required_min_score": 5, "score_ranges": {0: "x"}}],
            "`required_min_score` and `min_score` of item 1 mean the same; keep one",
        ),
        (
            [{"outcome": "a", "required_min_score": 11, "score_ranges": {0: "x"}}],
            "`required_min_score` of item 1 must be a number from 0 to 10, not 11",
        ),
        ([{"outcome": "a", "score_ranges": {}}], "must not be empty"),
        ([{"outcome": "a", "score_ranges": {"1": "x"}}], "must cover 0 to 10 without gap"),
        ([{"outcome": "a", "score_ranges": {"0-4": "x", "4-10": "y"}}], "without gap or overlap"),
        ([{"outcome": "a", "score_ranges": {"0-9": "x"}}], "must cover 0 to 10"),
        ([{"outcome": "a", "score_ranges": {"low": "x"}}], "must map points to texts"),
        ([{"outcome": "a", "score_ranges": "x"}], "must map points to texts, not 'x'"),
        ([{"outcome": "a", "score_ranges": [{"score_range": [0]}]}], "needs `score_range: [from"),
        ({"a": 1, "b": 2}, "must name what has to hold"),
    ],
)
def test_what_is_wrong_is_said(value: Any, problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        criteria(value)
    assert problem in str(caught.value)
