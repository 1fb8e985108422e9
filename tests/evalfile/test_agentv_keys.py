"""Our files in the words of AgentV 4 and 5 leave out no key and no type that these have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[1] / "data" / "agentv"

# By the mapping that they stand in.
FILE_4 = (
    "$schema name description version author license category tags requires input input_files "
    "tests target execution assertions preprocessors workspace metadata governance evaluator"
)
TEST_4 = (
    "id vars criteria expected_outcome input input_files expected_output assertions assert rubrics "
    "evaluator execution workspace metadata conversation_id suite depends_on "
    "on_dependency_failure mode aggregation on_turn_failure window_size"
)
EXECUTION_4 = (
    "target targets workers evaluators skip_defaults cache trials budget_usd fail_on_error "
    "threshold"
)
TYPES_4 = (
    "contains contains-any contains-all icontains icontains-any icontains-all starts-with "
    "ends-with equals regex is-json latency cost token-usage execution-metrics tool-trajectory "
    "skill-trigger field-accuracy code-grader llm-grader rubrics composite"
)
KEYS_4 = (
    "name weight required min_score negate value flags threshold budget max_total max_input "
    "max_output max_tool_calls max_llm_calls max_tokens max_cost_usd max_duration_ms "
    "target_exploration_ratio exploration_tolerance mode minimums expected args_match skill "
    "should_trigger fields aggregation command cwd config prompt model max_steps temperature "
    "criteria aggregator assertions target include"
)
FILE_5 = (
    "name description suite category version author license requires tags prompts providers "
    "defaults tests scenarios default_test evaluate_options timeout_seconds threshold assert "
    "environment env extensions derived_metrics output_path"
)
TEST_5 = (
    "id description vars provider providers prompts input_files assert options threshold execution "
    "run environment metadata conversation_id suite depends_on on_dependency_failure mode "
    "aggregation on_turn_failure window_size"
)
EXECUTION_5 = "assert skip_defaults cache budget_usd fail_on_error threshold"
TYPES_5 = (
    "contains contains-any contains-all icontains icontains-any icontains-all starts-with "
    "ends-with equals regex is-json latency cost token-usage execution-metrics "
    "trajectory:tool-used trajectory:tool-sequence trajectory:tool-args-match "
    "trajectory:step-count trajectory:goal-success not-trajectory:tool-used skill-used "
    "not-skill-used field-accuracy script llm-rubric agent-rubric similar assert-set"
)
KEYS_5 = "metric weight required min_score negate value threshold config provider prompt assert"
COLUMNS_5 = (
    "id __expected1 __expected2 __metric __threshold __metadata:area "
    "__config:__expected2:threshold __prefix __suffix __description"
)
ASSERTIONS = ("assert", "assertions", "evaluators")


def _files(version: int) -> Iterator[dict[str, Any]]:
    for path in FOLDER.glob(f"v{version}-*.yaml"):
        yield yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (FOLDER / "examples").glob(f"v{version}-*.yaml"):
        yield yaml.safe_load(yaml.safe_load(path.read_text(encoding="utf-8"))["eval"])


def _tests(version: int) -> Iterator[dict[str, Any]]:
    for file in _files(version):
        tests = file.get("tests", [])
        yield from (one for one in tests if isinstance(one, dict))


def _executions(version: int) -> Iterator[dict[str, Any]]:
    for holder in (*_files(version), *_tests(version)):
        yield holder.get("execution", {})


def _entries(version: int) -> Iterator[dict[str, Any]]:
    holders = [*_files(version), *_tests(version), *_executions(version)]
    while holders:
        holder = holders.pop()
        for key in ASSERTIONS:
            entries = [one for one in holder.get(key, []) if isinstance(one, dict)]
            yield from entries
            holders += entries


def _left_out(names: str, mappings: Iterator[dict[str, Any]]) -> set[str]:
    return set(names.split()) - {key for one in mappings for key in one}


def _types(version: int) -> dict[str, None]:
    return {entry.get("type", "").replace("_", "-"): None for entry in _entries(version)}


@pytest.mark.parametrize(
    ("names", "mappings"),
    [
        (FILE_4, _files(4)),
        (TEST_4, _tests(4)),
        (EXECUTION_4, _executions(4)),
        (KEYS_4, _entries(4)),
        (TYPES_4, iter([_types(4)])),
        (FILE_5, _files(5)),
        (TEST_5, _tests(5)),
        (EXECUTION_5, _executions(5)),
        (KEYS_5, _entries(5)),
        (TYPES_5, iter([_types(5)])),
    ],
    ids=[
        f"{what} of {version}"
        for version in (4, 5)
        for what in ("files", "tests", "execution", "assertions", "types")
    ],
)
def test_no_key_and_no_type_is_left_out(names: str, mappings: Iterator[dict[str, Any]]) -> None:
    assert _left_out(names, mappings) == set()


def test_no_column_is_left_out() -> None:
    first = (FOLDER / "v5-rows.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert set(COLUMNS_5.split()) - set(first) == set()
