"""The schema for editors takes every way to write an assertion that pytest takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from agentv_command import run_agentv
from eval_runs import one_test
from jsonschema import Draft202012Validator
from pydantic import AliasChoices, BaseModel

from pytest_agentv.engine.schema import models_in
from pytest_agentv.graders.catalogue import builtin_graders

if TYPE_CHECKING:
    from eval_runs import EvalProject

SPELLINGS = """
tool-trajectory: [read, {tool: edit}, {name: shell}]
{type: tool-trajectory, value: [read]}
{type: tool-trajectory, expected: [{tool: read, args: any}, {name: edit, args: {path: a}}]}
{type: tool-trajectory, expected: [{tool: read, args: {path: a}, args_match: [path]}]}
{type: tool-trajectory, expected: [{tool: read, args: {path: a}, argsMatch: exact}]}
{type: tool-trajectory, expected: [{tool: read, max_duration_ms: 5}]}
{type: tool-trajectory, expected: [{name: edit, maxDurationMs: 5.5}]}
{type: tool-trajectory, mode: subset, expected: []}
{type: tool-trajectory, mode: any_order, minimums: {read: 2}}
{type: tool-trajectory, args_match: ignore, expected: [read]}
{type: tool-trajectory, argsMatch: subset, expected: [read]}
tool-order: [read, {name: edit}]
tool-order: {before: read, after: {name: edit, args: {path: a}}}
{type: tool-order, value: {before: {tool: read}, after: edit}}
tool-call-f1: [read, edit]
tool-call-f1: read, edit
{type: tool-call-f1, expected: [read], threshold: 0.5}
{type: tool-call-f1, value: read}
trajectory:tool-used: read
trajectory:tool-used: [read, {name: edit}, {pattern: "e*", min: 1, max: 2}]
trajectory:tool-used: {name: read}
trajectory:tool-used: {pattern: read, max: 0}
trajectory:tool-sequence: [read, {name: edit}, {pattern: npm, type: command}]
trajectory:tool-sequence: {steps: [read, {pattern: npm}], mode: exact}
trajectory:tool-args-match: {name: a, args: {b: 1}, mode: exact, defaults: {c: 2}, ignore: d}
trajectory:tool-args-match: {pattern: a, arguments: {b: 1}, ignore: [d, e]}
trajectory:step-count: {type: command, name: a, min: 1}
trajectory:step-count: {pattern: a, max: 1}
command-run: ls
{type: command-run, command: ls, exit_code: 0, status: [ok, error], min: 1, max: 2}
{type: command-run, value: ls, status: any}
files-changed: a
files-changed: [a, b]
{type: files-read, allowed: a, forbidden: [b], min: 1, max: 2}
tool-errors: 2
{type: tool-errors, max: 2, tool: read, status: error}
{type: tool-errors, value: 2, tool: [read, edit], statuses: [error]}
{type: tool-status, tool: read, args: {path: a}, status: ok}
{type: tool-status, value: [read]}
skill-used: a
skill-used: [a, b]
skill-used: {name: a, min: 1}
skill-used: {pattern: a, max: 1}
{type: skill-trigger, skill: a, should_trigger: false}
no-loop: 3
{type: no-loop, max: 2, total: 5, ignore: a}
{type: no-loop, value: 2, ignore: [a, b]}
{type: json-schema, value: {type: object}}
{type: json-schema, schema: {type: object}}
latency: 5
{type: latency, max_ms: 5}
{type: latency, threshold: 5}
cost: 0.5
{type: cost, max_usd: 1}
{type: cost, budget: 1}
{type: cost, threshold: 1}
token-usage: 5
{type: token-usage, max_total: 5, max_input: 5, max_output: 5, max_uncached: 5}
{type: token-usage, max_total_tokens: 5, max_input_tokens: 5, max_output_tokens: 5}
{type: token-usage, maxTotal: 5, maxInput: 5, maxOutput: 5}
{type: llm-rubric, criteria: a, prompt: b}
{type: similar, value: a, model: "openai:b"}
{type: similar, value: a, provider: "openai:b"}
{type: llm-rubric, rubrics: a, rubric_prompt: b}
{type: llm-rubric, value: a, rubricPrompt: b}
{type: script, command: [a]}
{type: script, script: [a]}
script: a
""".strip().splitlines()

WRONG = """
tool-trajectory: [{tol: read}]
tool-trajectory: [{tool: read, max_duration: 5}]
trajectory:tool-used: {nam: read}
trajectory:tool-sequence: [{name: read, type: comand}]
trajectory:tool-args-match: {name: a, arg: {b: 1}}
tool-order: {before: read, afer: edit}
skill-used: {nam: a}
""".strip().splitlines()


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Draft202012Validator:
    outcome = run_agentv("schema", "eval", cwd=tmp_path_factory.mktemp("schema"))
    return Draft202012Validator(json.loads(outcome.out))


@pytest.mark.parametrize("entry", SPELLINGS)
def test_a_spelling_is_taken_by_the_schema(validator: Draft202012Validator, entry: str) -> None:
    data = yaml.safe_load(one_test(entry))
    assert [one.message for one in validator.iter_errors(data)] == []


@pytest.mark.parametrize("entry", WRONG)
def test_a_misspelling_is_refused_by_the_schema(
    validator: Draft202012Validator, entry: str
) -> None:
    assert not validator.is_valid(yaml.safe_load(one_test(entry)))


def test_every_spelling_is_taken_by_pytest(project: EvalProject) -> None:
    project.eval_file(one_test(*SPELLINGS))
    assert project.run("--collect-only").problems == {}


def test_every_name_of_every_key_is_among_the_spellings() -> None:
    text = "\n".join(SPELLINGS)
    models: set[type[BaseModel]] = set(builtin_graders())
    for grader in builtin_graders():
        models |= models_in(grader)
    names = {name for model in models for name in _other_names(model)}
    assert {name for name in names if f"{name}: " not in text} == set()


def _other_names(model: type[BaseModel]) -> list[str]:
    aliases: list[Any] = [field.validation_alias for field in model.model_fields.values()]
    return [
        str(one) for alias in aliases if isinstance(alias, AliasChoices) for one in alias.choices
    ]
