"""Equality of values, and the accuracy of single fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from grading import answer, graded, problems, session
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.equality import difference, same


@pytest.mark.parametrize(
    ("expected", "text", "outcome"),
    [
        ({"a": 1, "b": [1, 2]}, '{"b": [1, 2], "a": 1.0}', "passed"),
        ({"a": 1}, 'It is {"a": 1}.', "passed"),
        ({"a": 1}, '```json\n{"a": 1}\n```', "passed"),
        ([1, None], "[1, null]", "passed"),
        ({"a": 1}, '{"a": true}', "failed"),
        ({"a": 0}, '{"a": false}', "failed"),
        ({"a": "1"}, '{"a": 1}', "failed"),
        ({"a": 1}, '{"a": 1, "b": 2}', "failed"),
        ([1, 2], "[2, 1]", "failed"),
        ({"a": 1}, "nothing", "failed"),
        ({}, "[]", "failed"),
        ([], "[]", "passed"),
    ],
)
def test_equality_of_values(expected: Any, text: str, outcome: str) -> None:
    assert graded("equals", text, value=expected).outcome == outcome


def test_a_failure_shows_what_differs() -> None:
    grade = graded("equals", '{"a": 1, "c": 3}', value={"a": True, "b": 2, "c": 3.0})
    assert grade.claim == 'the final answer equals {"a": true, "b": 2, "c": 3.0}'
    assert grade.reason == 'is {"a": 1, "c": 3}'
    assert grade.details.splitlines() == [
        "Item root['b'] (2) removed from dictionary.",
        "Type of root['a'] changed from bool to int and value changed from True to 1.",
    ]


def test_no_answer_has_no_value() -> None:
    assert graded("equals", session(), value={"a": 1}).vacuous
    assert graded("equals", session(), value={"a": 1}).negated().outcome == "skipped"


@pytest.mark.parametrize(
    "text",
    ["[" * 199 + "]" * 199, json.dumps(list(range(100_000))), '"\\ud800"', '{"": {"": [[{}]]}}'],
    ids=range(4),
)
def test_an_odd_value_differs_without_an_error(text: str) -> None:
    grade = graded("equals", text, value={"a": "\ud800"})
    assert grade.outcome == "failed"
    assert len(grade.details) < 20_000


def test_a_deep_value_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    assert problems("equals", value=deep) == [(("value",), "is nested deeper than 200")]


def test_a_long_difference_is_cut() -> None:
    lines = difference(list(range(400)), [-one - 1 for one in range(400)]).splitlines()
    assert len(lines) == 51
    assert lines[-1] == "… and 350 more"
    assert difference(list(range(5000)), []) == ""


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)  # fmt: skip


@given(json_values, json_values)
def test_a_value_is_the_same_as_itself_and_written_in_json(one: Any, other: Any) -> None:
    assert same(one, json.loads(json.dumps(one)))
    assert same(one, other) is same(other, one)
    assert isinstance(difference(one, other), str)


EXPECTED = {
    "vendor": {"name": "Acme"},
    "total": 100,
    "date": "2026-03-05",
    "lines": [{"sku": "a-1"}, {"sku": "b-2"}],
}
FIELDS: list[dict[str, Any]] = [
    {"path": "vendor.name"},
    {"path": "total", "match": "numeric_tolerance", "tolerance": 1},
    {"path": "date", "match": "date"},
    {"path": "lines[1].sku", "required": False},
]


def _answer(**changes: Any) -> str:
    return json.dumps({**EXPECTED, **changes})


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (_answer(), 1.0),
        (_answer(total="100.9"), 1.0),
        (_answer(total=99), 1.0),
        (_answer(total=101.1), 0.75),
        (_answer(total="100 USD"), 0.75),
        (_answer(total=True), 0.75),
        (_answer(date="05-Mar-2026"), 1.0),
        (_answer(date="2026-03-05T23:59:00Z"), 1.0),
        (_answer(date="2026-03-06"), 0.75),
        (_answer(date="03/05/2026"), 0.75),
        (_answer(vendor={"name": "acme"}), 0.75),
        (_answer(vendor="Acme"), 0.75),
        (_answer(lines=[]), 1.0),
        (_answer(lines=[{}, {"sku": "x"}]), 0.75),
        ("{}", 0.0),
        ("no JSON at all", 0.0),
    ],
)
def test_the_score_is_the_share_of_right_fields(text: str, score: float) -> None:
    grade = graded("field-accuracy", text, expected=EXPECTED, fields=FIELDS)
    assert grade.score == score
    assert grade.outcome == ("passed" if score == 1 else "failed")


def test_every_field_is_listed() -> None:
    text = _answer(total=5, lines=[])
    grade = graded("field-accuracy", text, expected=EXPECTED, fields=FIELDS)
    assert grade.claim == "the final answer has the expected vendor.name, total, date, lines[1].sku"
    assert grade.reason == "2 of 3 fields, a score of 0.667"
    assert grade.details.splitlines() == [
        "vendor.name: passed: 'Acme' expected, 'Acme' found",
        "total: failed: 100 expected, 5 found",
        "date: passed: '2026-03-05' expected, '2026-03-05' found",
        "lines[1].sku: left out: 'b-2' expected, not there",
    ]


def test_weights_threshold_and_aggregation() -> None:
    fields = [{"path": "a", "weight": 3}, {"path": "b"}]
    keys: dict[str, Any] = {"expected": {"a": 1, "b": 2}, "fields": fields}
    assert graded("field-accuracy", '{"a": 1}', **keys).score == 0.75
    assert not graded("field-accuracy", '{"a": 1}', **keys)
    assert graded("field-accuracy", '{"a": 1}', **keys, threshold=0.75)
    all_of_it = graded("field-accuracy", '{"a": 1}', **keys, aggregation="all_or_nothing")
    assert (all_of_it.outcome, all_of_it.score) == ("failed", 0.0)


@pytest.mark.parametrize(
    ("rule", "expected", "found", "holds"),
    [
        ({"match": "numeric_tolerance", "tolerance": 0.1, "relative": True}, 200, 220, True),
        ({"match": "numeric_tolerance", "tolerance": 0.1, "relative": True}, 200, 221, False),
        ({"match": "numeric_tolerance", "tolerance": 0.1, "relative": True}, 0, 0.1, True),
        ({"match": "numeric_tolerance", "tolerance": 0.2}, 0.1, 0.3, True),
        ({"match": "numeric_tolerance"}, 5, 5.0, True),
        ({"match": "numeric_tolerance"}, 5, "Infinity", False),
        ({"match": "date", "formats": ["DD/MM/YYYY"]}, "05/03/2026", "5/3/2026", True),
        ({"match": "date", "formats": ["MM/DD/YYYY"]}, "12/31/2026", "31/12/2026", False),
        ({"match": "date", "formats": ["DD MMM YYYY"]}, "05 MAR 2026", "5 mar 2026", True),
        ({"match": "date"}, "2026-02-28", 20260228, False),
        ({"match": "date"}, "2026-02-28", "28-Foo-2026", False),
        ({"match": "date"}, "2026-02-28", "2026-02-31", False),
        ({}, [1, {"a": True}], [1.0, {"a": True}], True),
        ({}, None, None, True),
    ],
)
def test_how_a_field_is_compared(
    rule: dict[str, Any], expected: Any, found: Any, *, holds: bool
) -> None:
    grade = graded(
        "field-accuracy",
        json.dumps({"f": found}),
        expected={"f": expected},
        fields=[{"path": "f", **rule}],
    )
    assert bool(grade) is holds


@pytest.mark.parametrize(
    "expected_output",
    [
        {"a": 1},
        '{"a": 1}',
        'As JSON: {"a": 1}',
        [{"role": "assistant", "content": {"a": 1}}],
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": '{"a": 1}'}],
    ],
)
def test_the_case_says_what_is_expected(expected_output: Any) -> None:
    case = CaseFacts(id="x", expected_output=expected_output)
    assert graded("field-accuracy", '{"a": 1}', case=case, fields=[{"path": "a"}])
    assert not graded("field-accuracy", '{"a": 2}', case=case, fields=[{"path": "a"}])
    of_its_own = {"fields": [{"path": "a"}], "expected": {"a": 2}}
    assert graded("field-accuracy", '{"a": 2}', case=case, **of_its_own)


@pytest.mark.parametrize(
    ("expected_output", "rule", "problem"),
    [
        (None, {}, "needs `expected`, or an `expected_output` of the case"),
        ("no JSON", {}, "`expected_output` cannot be compared: no JSON"),
        ({"b": 1}, {}, "nothing is expected of the field 'a'"),
        ({"a": "soon"}, {"match": "date"}, "'a' expects 'soon', which is no date in YYYY-MM-DD"),
        ({"a": "x"}, {"match": "numeric_tolerance"}, "'a' expects 'x', which is no number"),
    ],
)
def test_nothing_to_compare_with_is_an_error(
    expected_output: Any, rule: dict[str, Any], problem: str
) -> None:
    case = CaseFacts(id="x", expected_output=expected_output)
    with pytest.raises(NotGradable, match=problem):
        graded("field-accuracy", '{"a": 1}', case=case, fields=[{"path": "a", **rule}])


def test_optional_fields_that_are_all_absent_say_nothing() -> None:
    fields = [{"path": "a", "required": False}]
    grade = graded("field-accuracy", "{}", expected={"a": 1}, fields=fields)
    assert (grade.outcome, grade.vacuous) == ("failed", True)
    assert grade.negated().outcome == "skipped"


def test_an_optional_field_that_nothing_is_expected_of_is_left_out() -> None:
    fields = [{"path": "a"}, {"path": "b", "match": "date", "required": False}]
    for text, outcome in (('{"a": 1, "b": 2}', "passed"), ('{"a": 2}', "failed")):
        grade = graded("field-accuracy", text, expected={"a": 1}, fields=fields)
        assert (grade.outcome, grade.score) == (outcome, float(outcome == "passed"))
    assert "b: left out: nothing is expected of it" in grade.details


A_PATH = "must be a path such as 'user.names[0]'"
A_LIMIT = "must be a finite number of at least 0"


@pytest.mark.parametrize(
    ("fields", "place", "problem"),
    [
        ([], ("fields",), "must be a list of at least one field, not []"),
        ("a", ("fields",), "must be a list of at least one field, not 'a'"),
        ([{"path": "a..b"}], ("fields", 0, "path"), f"{A_PATH}, not 'a..b'"),
        ([{"path": "a[x]"}], ("fields", 0, "path"), f"{A_PATH}, not 'a[x]'"),
        ([{"path": "a", "weight": -1}], ("fields", 0, "weight"), f"{A_LIMIT}, not -1"),
        ([{"path": "a", "weight": 0}], ("fields",), "must have a field with a weight over 0"),
        (
            [{"path": "a", "formats": ["DD/MM"]}],
            ("fields", 0, "formats"),
            "must have YYYY, MM or MMM, and DD, as in 'DD/MM/YYYY', not 'DD/MM'",
        ),
    ],
)
def test_a_bad_field_is_refused(fields: Any, place: tuple[str | int, ...], problem: str) -> None:
    assert problems("field-accuracy", fields=fields) == [(place, problem)]


def test_an_odd_answer_is_graded() -> None:
    for text in ("\ud800", "[" * 5000, '{"f": 1e999}', '{"f": 1, "f": 1}'):
        grade = graded("field-accuracy", answer(text), expected={"f": 1}, fields=[{"path": "f"}])
        assert (grade.outcome, grade.score) == ("failed", 0.0)
