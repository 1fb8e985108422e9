"""The command ``agentv schema eval``: a schema that takes what we take, and refuses what we do."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from agentv_command import run_agentv
from eval_runs import one_test
from jsonschema import Draft202012Validator
from third_party import publish

from pytest_agentv.plugins import assertion_types, plugin_manager

if TYPE_CHECKING:
    from pathlib import Path

    from eval_runs import EvalProject

GOOD = [
    one_test("contains: x"),
    one_test("not-contains: x"),
    one_test("{type: contains, value: x, metric: m, weight: 2, required: true}"),
    one_test("{type: token-usage, max_total: 5}", test="threshold: 0.5"),
    one_test("{type: assert-set, mode: any, assert: [contains: x, {type: is-json}]}"),
    one_test("{type: trajectory:tool-used, value: {pattern: 'read*', max: 2}}"),
    one_test("{type: trajectory:tool-sequence, value: [{pattern: 'read*'}, {name: edit}]}"),
    one_test("Explains how to rotate the secret"),
    "description: d\nvars: {a: b}\ntags: [x]\n" + one_test("contains: x", test="skip: later"),
]
BAD = [
    one_test("{type: contians, value: x}"),
    one_test("{type: contains, valeu: x}"),
    one_test("contians: x"),
    one_test("contains: x", test="treshold: 0.5"),
    one_test("contains: x", test="threshold: 5"),
    "tests: 3\n",
    "test: []\n",
]


@cache
def schema(folder: Path) -> dict[str, Any]:
    outcome = run_agentv("schema", "eval", cwd=folder)
    assert (outcome.code, outcome.err) == (0, "")
    printed: dict[str, Any] = json.loads(outcome.out)
    return printed


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return schema(tmp_path_factory.mktemp("schema"))


def test_it_is_a_schema(printed: dict[str, Any]) -> None:
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(printed)


@pytest.mark.parametrize("content", GOOD)
def test_it_takes_what_pytest_takes(
    printed: dict[str, Any], project: EvalProject, content: str
) -> None:
    errors = [one.message for one in Draft202012Validator(printed).iter_errors(_data(content))]
    assert errors == []
    project.eval_file(content)
    assert project.run().problems == {}


@pytest.mark.parametrize("content", BAD)
def test_it_refuses_what_pytest_refuses(
    printed: dict[str, Any], project: EvalProject, content: str
) -> None:
    assert not Draft202012Validator(printed).is_valid(_data(content))
    project.eval_file(content)
    assert list(project.run().problems) == ["a.eval.yaml"]


def test_every_type_appears(printed: dict[str, Any]) -> None:
    text = json.dumps(printed)
    assert [one for one in assertion_types(plugin_manager()) if f'"{one}"' not in text] == []


def test_types_of_installed_plugins_appear(tmp_path: Path) -> None:
    source = """\
from pytest_agentv import assertion, hookimpl

@assertion("has-rhyme")
def has_rhyme(transcript, value, strict=False): return True

@hookimpl
def agentv_graders(): return [has_rhyme]
"""
    publish(tmp_path / "site", "agentv-rhyme", source)
    outcome = run_agentv("schema", "eval", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert outcome.code == 0, outcome.err
    validator = Draft202012Validator(json.loads(outcome.out))
    assert validator.is_valid(_data(one_test("{type: has-rhyme, value: x, strict: true}")))
    assert not validator.is_valid(_data(one_test("{type: has-rhyme, value: x, colour: red}")))


def _data(content: str) -> Any:
    return yaml.safe_load(content)
