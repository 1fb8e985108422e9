"""The JSON Schema for editors: good files are valid, typical mistakes are not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pytest_agentv.evalfile.schema import eval_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eval_files import EvalFolder

GRADERS: dict[str, Any] = {
    "contains": {
        "properties": {"value": {"type": "string"}, "in": {"enum": ["any", "all"]}},
        "required": ["value"],
    },
    "token-usage": {"properties": {"max_total": {"type": "integer", "title": "Max"}}},
    "tool-trajectory": {
        "properties": {
            "mode": {"enum": ["in_order", "exact"], "default": "exact"},
            "expected": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
        },
        "required": ["expected"],
        "$defs": {
            "Step": {
                "type": "object",
                "properties": {"tool": {"type": "string"}, "then": {"$ref": "#/$defs/Step"}},
                "additionalProperties": False,
            }
        },
    },
    "json-schema": {
        "properties": {"value": {"type": "object"}, "schema": {"type": "object"}},
    },
    "is-json": {},
    "assert-set": {"properties": {"threshold": {"type": "number"}}},
    "llm-rubric": {"properties": {"value": {"type": "string"}}, "required": ["value"]},
}
SCHEMA = eval_schema(GRADERS)
CHECK = Draft202012Validator(SCHEMA)


def _is_valid(text: str) -> bool:
    return bool(CHECK.is_valid(yaml.safe_load(text)))


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"]
        for inner in schema.values():
            yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def test_the_schema_is_one_and_refers_to_nothing_outside() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(_references(SCHEMA)) == {f"#/$defs/{name}" for name in SCHEMA["$defs"]}


def test_a_reference_is_one_as_uris_are_written() -> None:
    # The letters that RFC 3986 lets a fragment have as they are; a blank is none of them.
    wrong = {
        one for one in _references(SCHEMA) if not re.fullmatch(r"#[\w.~!$&'()*+,;=:@/?-]*", one)
    }
    assert wrong == set()


GOOD_FILES = [
    """
name: jwt
description: JWT work
version: "1.0"
tags: [auth]
vars: {secret: JWT}
threshold: 0.5
targets: [claude]
default_test: {vars: {a: 1}, assert: [contains: x], metadata: {k: v}}
assert:
  - {type: token-usage, max_total: 500000}
tests:
  - id: adds-jwt
    input: Add JWT
    skip: later
    xfail: {reason: r, strict: true}
    transcript: [a.jsonl]
    execution: {skip_defaults: true, workers: 3}
    assert:
      - contains: "{{ secret }}"
      - {not-contains: x, weight: 2, metric: m, in: all}
      - {type: not-contains, value: x, required: 0.5}
      - {type: tool-trajectory, mode: exact, expected: [{tool: read, then: {tool: x}}]}
      - token-usage: {max_total: 5}
      - {type: token-usage, max_total: "{{ n }}", weight: "{{ w }}"}
      - {type: json-schema, schema: file://s.json}
      - {type: is-json}
      - {type: assert-set, threshold: 0.5, assert: [A rubric, {contains: x}]}
      - {include: safe}
      - A rubric
""",
    "tests: [{assert: [x], gate: {pass_rate: 0.8}}, {assert: [x], gate: 1}]",
    "tests: file://cases.csv",
    "tests: [file://cases/*.yaml, {assertions: [x]}]",
    "eval_cases: [{assert: [x], expected_outcome: good}]\ndefault_test: file://d.yaml",
]


@pytest.mark.parametrize("text", GOOD_FILES)
def test_a_good_file_is_valid(text: str) -> None:
    assert [error.message for error in CHECK.iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        "name: x",
        "tests: []",
        "tests: [{assert: [x]}]\ntreshold: 1",
        "tests: [{assert: [x], thresold: 1}]",
        "tests: [{assert: [x], threshold: 2}]",
        "tests: [{assert: [x], threshold: high}]",
        "tests: [{assert: [x], id: a b}]",
        "tests: [{assert: [x], id: 5}]",
        "tests: [{assert: [x], tags: [1a]}]",
        "tests: [{assert: [x], description: 5}]",
        "tests: [{assert: [x], gate: {pass_rate: 2}}]",
        "tests: [{assert: [x], gate: {passrate: 1}}]",
        "tests: [{assert: [x], gate: {}}]",
        "tests: [{assert: [x], gate: 0}]",
        "tests: [{assert: x}]",
        "tests: [{assert: [5]}]",
        "tests: [{assert: [{contans: x}]}]",
        "tests: [{assert: [{type: contans, value: x}]}]",
        "tests: [{assert: [{type: contains}]}]",
        "tests: [{assert: [{type: contains, vlaue: x}]}]",
        "tests: [{assert: [{type: contains, value: 5}]}]",
        "tests: [{assert: [{contains: x, wieght: 1}]}]",
        "tests: [{assert: [{contains: x, weight: -1}]}]",
        "tests: [{assert: [{contains: x, is-json: }]}]",
        "tests: [{assert: [{token-usage: {max: 5}}]}]",
        "tests: [{assert: [{type: tool-trajectory, expected: [{tol: x}]}]}]",
        "tests: [{assert: [{type: assert-set, assert: [{contans: x}]}]}]",
        "tests: [{assert: [{include: x, weight: 1}]}]",
        "tests: [{assert: [x]}]\nvars: {env: 1}",
    ],
)
def test_a_typical_mistake_is_not_valid(text: str) -> None:
    assert not _is_valid(text)


@pytest.mark.parametrize("text", GOOD_FILES[:1])
def test_what_the_schema_calls_good_loads(evals: EvalFolder, text: str) -> None:
    evals.write("s.json", "{}")
    evals.write(".agentv/templates/safe.yaml", "assert: [contains: x]")
    [case] = evals.load(text.replace("vars: {secret: JWT}", "vars: {secret: J, n: 5, w: 1}")).cases
    assert len(case.entries) == 11
