"""Answers in JSON: whole, embedded, by a schema; and what hostile ones may not do."""

from __future__ import annotations

from typing import Any

import pytest
from grading import graded, problems
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable

FENCED = 'Here it is:\n\n```json\n{"a": 1}\n```\nDone.'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no final answer"),
        ("hello", "no JSON: Expecting value at line 1 column 1"),
        ('{"a": 1', "no JSON: Expecting ',' delimiter at line 1 column 8"),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("1e400", "the number '1e400' is too large"),
        ("9" * 5000, "a number is too long"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' comes twice in an object"),
        ("[" * 100_000, "nested deeper than 200"),
        ("[" * 300 + "]" * 300, "nested deeper than 200"),
        (FENCED, "no JSON: Expecting value at line 1 column 1"),
    ],
    ids=range(11),
)
def test_what_is_no_json(text: str, reason: str) -> None:
    grade = graded("is-json", text)
    assert (grade.outcome, grade.reason) == ("failed", reason)


@pytest.mark.parametrize("text", ["{}", " [1, 2.5, null]\n", '"text"', "0", "true", '"\\ud800"'])
def test_what_is_json(text: str) -> None:
    assert graded("is-json", text).outcome == "passed"


def test_json_may_have_to_keep_to_a_schema() -> None:
    schema = {"type": "object", "required": ["b"]}
    assert graded("is-json", '{"b": 1}', value=schema).outcome == "passed"
    grade = graded("is-json", '{"a": 1}', value=schema)
    assert (grade.outcome, grade.reason) == ("failed", "$: 'b' is a required property")
    assert graded("contains-json", 'so {"b": 1}', value=schema).outcome == "passed"
    assert graded("contains-json", 'so {"a": 1}', value=schema).outcome == "failed"


@pytest.mark.parametrize(
    "text",
    [
        FENCED,
        'The result is {"a": [1, 2]}, as asked.',
        "see [1]",
        '{not this} but {"this": 1}',
        '{"broken": [1, 2], oops',
        "~~~\n[1]\n~~~",
        "```\nplain\n```\nthen {}",
        "[" * 150 + "]" * 150,
        "[" * 300 + "]" * 300,
        "[1, oops] " * 10_000 + "[1]",
    ],
    ids=range(10),
)
def test_json_is_found_in_a_text(text: str) -> None:
    assert graded("contains-json", text).outcome == "passed"


def test_json_is_shown_where_it_stands() -> None:
    text = "[1, oops] " * 10_000 + '{"a": 7} and on'
    assert graded("contains-json", text).evidence[0].excerpt.endswith('oops] {"a": 7} and on')


@pytest.mark.parametrize("text", ["none", "{x [y", "5", '"text"', "```json\n1\n```", '{"a": NaN}'])
def test_no_json_is_found_where_there_is_none(text: str) -> None:
    grade = graded("contains-json", text)
    assert grade.outcome == "failed"
    assert grade.negated().outcome == "passed"


@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, '{"' * 1_000_000, '[1,{"a":' * 500_000, "[" * 900 + '"' + "a" * 10_000_000],
    ids=range(4),
)
def test_a_text_with_too_many_brackets_is_an_error(text: str) -> None:
    with pytest.raises(NotGradable, match="too many brackets"):
        graded("contains-json", text)


SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}, "age": {"minimum": 0}},
    "patternProperties": {"^x-": {"type": "integer"}},
    "additionalProperties": False,
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"name": "ann", "age": 3, "x-a": 1}', None),
        ('Sure: {"name": "ann"}', None),
        ('```json\n{"name": "ann"}\n```', None),
        ('{"name": "Ann"}', "$.name: 'Ann' does not match '^[a-z]+$'"),
        ('{"name": "ann", "age": -1}', "$.age: -1 is less than the minimum of 0"),
        ('{"name": "ann", "x-a": "1"}', "$.x-a: '1' is not of type 'integer'"),
        ('{"name": "ann", "b": 1, "c": 2}', "$: has 2 keys that are not allowed: 'b', 'c'"),
        ("[1]", "$: [1] is not of type 'object'"),
        ("7", "$: 7 is not of type 'object'"),
        (
            "no",
            "no JSON: Expecting value at line 1 column 1, and no object or list inside of it",
        ),
    ],
)
@pytest.mark.parametrize("key", ["value", "schema"])
def test_an_answer_keeps_to_a_schema(text: str, problem: str | None, key: str) -> None:
    keys: dict[str, Any] = {key: SCHEMA}
    grade = graded("json-schema", text, **keys)
    assert grade.outcome == ("passed" if problem is None else "failed")
    assert problem is None or grade.reason == problem


def test_the_path_and_some_of_the_errors_are_shown() -> None:
    schema = {"properties": {"users": {"items": {"type": "string"}}}}
    grade = graded("json-schema", '{"users": [' + "1," * 50 + "1]}", value=schema)
    assert grade.reason == "$.users[0]: 1 is not of type 'string'"
    lines = grade.details.splitlines()
    assert len(lines) == 10
    assert lines[0] == "$.users[1]: 1 is not of type 'string'"
    assert lines[-1] == "… and more"


def test_a_large_value_is_shortened() -> None:
    grade = graded("json-schema", '["' + "x" * 100_000 + '"]', value={"type": "object"})
    assert grade.reason.endswith("… does not keep to type 'object'")
    assert len(grade.reason) < 200


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ("text", "must be a JSON Schema, a mapping, not 'text'"),
        ({"type": "sting"}, "is no JSON Schema: $.type: 'sting' is not valid under any of"),
        ({"pattern": "["}, "is no regular expression: '['"),
        ({"properties": {"a": {"pattern": "(x{1000}){1000}"}}}, "repeats too much"),
        ({"patternProperties": {"(?R)": {}}}, "calls itself"),
        ({"$schema": "https://example.com/x"}, "unknown $schema 'https://example.com/x'"),
        ({"$ref": "https://example.com/x"}, "refers to 'https://example.com/x', and nothing is"),
        ({"items": {"$ref": "other.json"}}, "refers to 'other.json', and nothing is ever fetched"),
        (
            {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
            "`unevaluatedProperties` beside `patternProperties` is not supported",
        ),
    ],
)
@pytest.mark.parametrize("type_", ["json-schema", "is-json", "contains-json"])
def test_a_bad_schema_is_refused_before_anything_is_graded(
    type_: str, schema: Any, problem: str
) -> None:
    ((place, message),) = problems(type_, value=schema)
    assert place[0] == "value"
    assert message.startswith(problem)


def test_a_deep_schema_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(300):
        schema = {"items": schema}
    assert problems("json-schema", value=schema) == [(("value",), "is nested deeper than 200")]


def test_data_in_a_schema_is_no_schema() -> None:
    assert graded("json-schema", '{"pattern": "["}', value={"const": {"pattern": "["}})


def test_keys_that_are_not_named_may_have_a_schema_of_their_own() -> None:
    schema = {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}
    assert graded("json-schema", '{"a": "x", "b": 1}', value=schema)
    grade = graded("json-schema", '{"a": "x", "b": "y"}', value=schema)
    assert grade.reason == "$.b: 'y' is not of type 'integer'"
    assert graded("json-schema", '{"b": 1}', value={"additionalProperties": True})


def test_keywords_for_objects_and_lists_leave_other_values_alone() -> None:
    schema = {
        "pattern": "^a", "patternProperties": {"^a": {}}, "additionalProperties": False,
        "uniqueItems": True,
    }  # fmt: skip
    assert graded("json-schema", "7", value=schema)


def test_older_drafts_are_known() -> None:
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}
    assert graded("json-schema", "{}", value=schema)
    assert graded("json-schema", "[]", value=schema).outcome == "failed"


def test_references_within_the_schema_are_followed() -> None:
    schema = {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}
    assert graded("json-schema", "[1, 2]", value=schema)
    assert not graded("json-schema", "[1, null]", value=schema)


def _doubling() -> dict[str, Any]:
    steps = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 2} if n else {} for n in range(40)
    }
    return {"$defs": steps, "$ref": "#/$defs/d39"}


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("schema", "text", "problem"),
    [
        ({"$ref": "#"}, "{}", "cannot be used"),
        ({"$ref": "#/nowhere"}, "{}", "cannot be used"),
        ({"$id": "https://a.example/", "$ref": "b"}, "{}", "cannot be used"),
        (_doubling(), "{}", "takes too long"),
        ({"pattern": "(a|aa)+$"}, '"' + "a" * 60 + 'b"', "took longer"),
        ({"patternProperties": {"(a|aa)+$": {}}}, '{"' + "a" * 60 + 'b": 1}', "took longer"),
        (
            {"patternProperties": {"^(a|aa)+$": {}}, "additionalProperties": False},
            '{"' + "a" * 60 + 'b": 1}',
            "took longer",
        ),
    ],
    ids=range(7),
)
def test_a_schema_that_cannot_be_used_is_an_error(
    schema: dict[str, Any], text: str, problem: str
) -> None:
    with pytest.raises(NotGradable, match=problem):
        graded("json-schema", text, value=schema)


def test_many_items_are_compared_quickly() -> None:
    items = ",".join(f'{{"n": {number}}}' for number in range(50_000))
    unique = {"uniqueItems": True}
    assert graded("json-schema", f"[{items}]", value=unique)
    grade = graded("json-schema", f'[{items}, {{"n": 7.0}}]', value=unique)
    assert grade.reason == "$: only 50,000 of 50,001 items are different"
    assert graded("json-schema", "[1, true, 0, false]", value=unique)


@given(st.text(max_size=40) | st.text("[]{},:\"'`~\n1a", max_size=40))
def test_any_text_is_graded(text: str) -> None:
    for grade in (
        graded("is-json", text),
        graded("contains-json", text),
        graded("json-schema", text, value=SCHEMA),
    ):
        assert grade.outcome in ("passed", "failed")
    assert not graded("is-json", text) or not text or graded("json-schema", text, value={})
