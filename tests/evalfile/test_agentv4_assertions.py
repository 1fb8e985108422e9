"""Assertions of AgentV 4: each is accepted, mapped, or refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from agentv_files import builtin_types, refusal

from pytest_agentv import assertion
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.evalfile.given import given_entry


@pytest.mark.parametrize(
    "written",
    [
        "contains_any", "is_json", "starts_with", "token_usage", "execution_metrics",
        "field_accuracy", "llm_grader",
    ],
)  # fmt: skip
def test_underscores_and_hyphens_in_types_are_the_same(written: str) -> None:
    keys: dict[str, dict[str, Any]] = {
        "contains_any": {"value": ["x"]},
        "starts_with": {"value": "x"},
        "token_usage": {"max_total": 1},
        "execution_metrics": {"max_tokens": 1},
        "field_accuracy": {"fields": [{"path": "a"}]},
    }
    made = compile_entry(given_entry({"type": written, **keys.get(written, {})}), builtin_types())
    assert made.type == written.replace("_", "-")


def test_an_own_type_with_an_underscore_keeps_its_name() -> None:
    @assertion("my_check")
    def check(value: str) -> bool:
        return bool(value)

    types = builtin_types()
    types.add(check, plugin="test")
    assert compile_entry(given_entry({"my_check": "x"}), types).type == "my_check"


@pytest.mark.parametrize(("required", "least"), [(True, None), (0.7, 0.7)])
def test_required_may_be_a_least_score(required: float, least: float | None) -> None:
    entry = {"type": "contains", "value": "x", "required": required}
    made = compile_entry(given_entry(entry), builtin_types())
    assert (made.required, made.min_score) == (True, least)


MODES = "`mode` (all, any) and the aggregators `weighted_average` and `threshold` are known"
MEMBERS = [{"name": "a", "type": "contains", "value": "x"}, {"type": "contains", "value": "y"}]


@pytest.mark.parametrize(
    ("aggregator", "reason"),
    [
        ({"type": "code-grader", "path": "gate.js"},
         f"`composite`: `aggregator` cannot be a program: code in eval files is not run; {MODES}"),
        ({"type": "llm_grader", "prompt": "p.md"},
         f"`composite`: `aggregator` cannot be a language model; {MODES}"),
        ({"type": "median"},
         "`composite`: `aggregator.type` must be 'weighted_average' or 'threshold', not 'median'"),
        ({"type": "threshold"},
         "`composite`: `aggregator` has a `threshold` if it is of type `threshold`, and only then"),
        ({"type": "threshold", "threshold": 0},
         "`composite`: `aggregator.threshold` must be above 0: everything reaches 0"),
        ({"type": "weighted_average", "weights": {"b": 1}},
         "`composite`: the set has no assertion named 'b'; known: a, contains-y"),
        ({"weights": {"a": -1}},
         "`composite`: `aggregator.weights.a` must be a finite number of at least 0, not -1"),
        ("mean", "`composite`: `aggregator` must be a mapping, not 'mean'"),
    ],
)  # fmt: skip
def test_an_aggregator_that_cannot_be_is_refused(aggregator: Any, reason: str) -> None:
    assert refusal({"type": "composite", "aggregator": aggregator, "assertions": MEMBERS}) == reason


def test_an_aggregator_of_a_share_says_all_by_itself() -> None:
    entry = {
        "type": "composite",
        "mode": "any",
        "aggregator": {"type": "threshold", "threshold": 0.5},
        "assertions": MEMBERS,
    }
    assert refusal(entry) == (
        "`composite`: has an `aggregator` that says all; leave out `mode` and `threshold`"
    )


def test_a_type_of_typescript_files_is_unknown_and_says_what_is_known() -> None:
    assert refusal({"type": "has_citation"}).startswith("unknown assertion type 'has_citation'; ")
