"""Graders of texts: when they hold, and which entries they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from grading import graded, problems, session
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv import Message
from pytest_agentv.graders.similarity import similarity

ANSWER = "  I set JWT_SECRET.\nThe Straße is done.  "


@pytest.mark.parametrize(
    ("type_", "keys", "outcome"),
    [
        ("contains", {"value": "JWT_SECRET"}, "passed"),
        ("contains", {"value": "jwt_secret"}, "failed"),
        ("contains", {"value": " "}, "passed"),
        ("icontains", {"value": "jwt_secret"}, "passed"),
        ("icontains", {"value": "STRASSE IS"}, "passed"),
        ("icontains", {"value": "jwt-secret"}, "failed"),
        ("contains-any", {"value": ["no", "done"]}, "passed"),
        ("contains-any", {"value": ["no", "DONE"]}, "failed"),
        ("contains-all", {"value": ["JWT", "done"]}, "passed"),
        ("contains-all", {"value": ["JWT", "DONE"]}, "failed"),
        ("icontains-any", {"value": ["no", "DONE"]}, "passed"),
        ("icontains-any", {"value": ["no", "never"]}, "failed"),
        ("icontains-all", {"value": ["jwt", "DONE"]}, "passed"),
        ("icontains-all", {"value": ["jwt", "never"]}, "failed"),
        ("starts-with", {"value": "I set"}, "passed"),
        ("starts-with", {"value": " I set"}, "passed"),
        ("starts-with", {"value": "i set"}, "failed"),
        ("ends-with", {"value": "done."}, "passed"),
        ("ends-with", {"value": "done"}, "failed"),
        ("equals", {"value": "I set JWT_SECRET.\nThe Straße is done."}, "passed"),
        ("equals", {"value": "I set JWT_SECRET."}, "failed"),
        ("equals", {"value": ""}, "failed"),
        ("word-count", {"value": 7}, "passed"),
        ("word-count", {"value": 8}, "failed"),
        ("word-count", {"min": 7, "max": 7}, "passed"),
        ("word-count", {"min": 8}, "failed"),
        ("word-count", {"max": 6}, "failed"),
        ("word-count", {"max": 100}, "passed"),
        ("similar", {"value": "i set JWT_SECRET. the straße is DONE."}, "passed"),
        ("similar", {"value": "Nothing of the kind"}, "failed"),
        ("regex", {"value": r"^The \w+ is"}, "failed"),
        ("regex", {"value": r"^The \w+ is", "flags": "m"}, "passed"),
        ("regex", {"value": "jwt_[a-z]+"}, "failed"),
        ("regex", {"value": "jwt_[a-z]+", "flags": "gi"}, "passed"),
        ("regex", {"value": r"(?i)jwt"}, "passed"),
        ("regex", {"value": r"SECRET.+Straße"}, "failed"),
        ("regex", {"value": r"SECRET.+Straße", "flags": "s"}, "passed"),
        ("regex", {"value": "JWT _SECRET  # a name", "flags": "xu"}, "passed"),
    ],
)
def test_what_holds_of_a_final_answer(type_: str, keys: dict[str, Any], outcome: str) -> None:
    grade = graded(type_, ANSWER, **keys)
    assert grade.outcome == outcome
    assert grade.negated().outcome == {"passed": "failed", "failed": "passed"}[outcome]


@pytest.mark.parametrize(
    ("type_", "keys", "problem"),
    [
        ("contains", {"value": ""}, "must not be empty: every text holds an empty one"),
        ("contains", {"value": 42}, "must be a text, not 42; quote it"),
        ("contains", {"value": True}, "must be a text, not true; quote it"),
        ("contains", {"value": None}, "must be a text, not null; quote it"),
        ("contains", {"value": ["a"]}, "must be a text, not a list"),
        ("icontains", {"value": {"a": 1}}, "must be a text, not a mapping"),
        ("contains-any", {"value": "a"}, "must be a list of texts, not 'a'"),
        ("word-count", {"min": 0}, "`min` 0 without `max` says nothing"),
        ("contains-all", {"value": []}, "must not be empty: list at least one text"),
        ("starts-with", {"value": " "}, "must not be blank: blanks around a text do not count"),
        ("equals", {"value": 3.1}, "must be a text, an object or a list, not 3.1; quote it"),
        ("word-count", {"value": 1.5}, "must be a whole number of at least 0, not 1.5"),
        ("word-count", {"value": -1}, "must be a whole number of at least 0, not -1"),
        ("word-count", {"value": True}, "must be a whole number of at least 0, not true"),
        ("similar", {"value": "a", "threshold": 2}, "must be a number from 0 to 1, not 2"),
        (
            "regex",
            {"value": "a", "flags": "iz"},
            "must be a text of the letters i m s x g u, not 'iz'",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_what_would_be_right(
    type_: str, keys: dict[str, Any], problem: str
) -> None:
    ((_, message),) = problems(type_, **keys)
    assert message == problem


def test_an_unknown_scope_is_refused_with_those_that_are_known() -> None:
    known = "must be one of final, any, all, user, thinking, tool-output, transcript"
    assert problems("contains", value="a", in_="finl") == [
        (("in",), f"{known}, not 'finl'; did you mean 'final'?")
    ]
    assert problems("contains", value="a", in_=7) == [(("in",), f"{known}, not 7")]


def test_a_member_that_is_no_text_is_named() -> None:
    found = problems("contains-any", value=["a", 1, "b", ""])
    assert found == [
        (("value", 1), "must be a text, not 1; quote it"),
        (("value", 3), "must not be empty: every text holds an empty one"),
    ]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({}, "needs either `value`, the exact number of words, or `min` and `max`"),
        (
            {"value": 1, "min": 1},
            "needs either `value`, the exact number of words, or `min` and `max`",
        ),
        ({"min": 5, "max": 3}, "`min` 5 is more than `max` 3"),
    ],
)
def test_a_number_of_words_is_exact_or_a_range(keys: dict[str, Any], problem: str) -> None:
    assert problems("word-count", **keys) == [((), problem)]


def test_an_unknown_key_is_refused() -> None:
    assert problems("contains", value="a", vlaue="b") == [
        (("vlaue",), "Extra inputs are not permitted")
    ]


def test_an_empty_answer_can_be_asked_for() -> None:
    silent = session(Message(role="assistant", content=""))
    assert graded("equals", silent, value="").outcome == "passed"
    assert graded("equals", " \n", value="").outcome == "passed"
    assert graded("equals", silent, value="x").vacuous
    assert graded("equals", session(), value="").vacuous


def test_a_grade_says_what_is_claimed_and_what_was_found() -> None:
    grade = graded("contains", ANSWER, value="JWT_SECRET")
    assert grade.claim == "the final answer contains 'JWT_SECRET'"
    assert grade.reason == "found"
    (evidence,) = grade.evidence
    assert (evidence.message, evidence.line) == (2, 2)
    assert evidence.excerpt == "  I set JWT_SECRET.⏎The Straße is done.  "
    assert graded("contains", "x" * 1204, value="a").reason == "not found in 1,204 characters"
    assert graded("contains-all", ANSWER, value=["JWT", "q", "z"]).reason == "not found: 'q', 'z'"


def test_long_values_and_long_texts_are_shortened() -> None:
    grade = graded("contains", "y" * 500 + "x" * 1000 + "z" * 500, value="x" * 1000)
    assert grade.claim == f"the final answer contains '{'x' * 59}…'"
    assert grade.evidence[0].excerpt == f"…{'y' * 60}{'x' * 180}…"


def test_an_excerpt_stands_where_the_text_is_whatever_folding_does() -> None:
    text = "ß" * 500 + "here" + "ß" * 500
    assert "here" in graded("icontains", text, value="HERE").evidence[0].excerpt


texts = st.text(max_size=30)
words = st.text(min_size=1, max_size=3)


@given(texts, st.lists(words, min_size=1, max_size=4))
def test_several_texts_are_found_as_each_of_them_is(text: str, values: list[str]) -> None:
    answer = f"{text}."
    for prefix in ("", "i"):
        single = [bool(graded(f"{prefix}contains", answer, value=one)) for one in values]
        assert bool(graded(f"{prefix}contains-all", answer, value=values)) is all(single)
        assert bool(graded(f"{prefix}contains-any", answer, value=values)) is any(single)


@given(texts, texts)
def test_likeness_is_symmetric_and_a_share(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, one) == 1
    assert similarity(one, f" {one.upper()}\n") == similarity(one, one.upper())


def test_likeness_of_known_texts() -> None:
    assert similarity("night", "nacht") == 0.2
    assert similarity("abc", "xyz") == 0
    assert graded("similar", "nacht", value="night").score == 0.2
