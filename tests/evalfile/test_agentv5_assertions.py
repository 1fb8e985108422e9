"""Assertions of AgentV 5 and promptfoo: accepted, mapped, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agentv_files import builtin_types, refusal

from pytest_agentv import assertion
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.evalfile.given import given_entry

if TYPE_CHECKING:
    from eval_files import EvalFolder

OWN = "write a Python assertion in conftest.py, or a `script`"
TRANSFORM = f"the session is graded as it was recorded, and code in eval files is not run; {OWN}"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"type": "python", "value": "True"},
         f"`python` is code in an eval file, which is not run; {OWN}"),
        ({"type": "javascript", "value": "true"},
         f"`javascript` is code in an eval file, which is not run; {OWN}"),
        ({"not-javascript": "true"},
         f"`javascript` is code in an eval file, which is not run; {OWN}"),
        ({"type": "webhook", "value": "https://example.com"},
         f"`webhook` would send the session away, and nothing is sent here; {OWN}"),
        ({"type": "llm_judge"}, "`llm-judge` is called `llm-grader` since AgentV 4"),
        ({"type": "code-judge"}, "`code-judge` is called `code-grader` since AgentV 4"),
        ({"type": "select-best", "value": "x"},
         "`select-best` compares answers with each other; here each session is graded alone"),
        ({"type": "contains", "value": "x", "transform": "output.trim()"},
         f"`transform`: {TRANSFORM}"),
        ({"contains": {"value": "x", "transform": "y"}},
         "`contains`: `value` must be a text, not a mapping"),
    ],
)  # fmt: skip
def test_code_in_an_assertion_is_refused(entry: dict[str, Any], reason: str) -> None:
    assert refusal(entry) == reason


def test_an_own_type_may_take_what_is_refused_elsewhere() -> None:
    @assertion("python")
    def check(value: str, transform: str, config: dict[str, str]) -> bool:
        return (value, transform, config) == ("a", "b", {"c": "d"})

    types = builtin_types()
    types.add(check, plugin="test")
    entry = {"type": "python", "value": "a", "transform": "b", "config": {"c": "d"}}
    assert compile_entry(given_entry(entry), types).fixtures == ()


def test_how_a_judge_is_called_says_nothing_to_other_types() -> None:
    entry = {"type": "contains", "value": "x", "provider": "p", "config": {"a": 1}}
    assert compile_entry(given_entry(entry), builtin_types()).type == "contains"


def test_a_set_hands_its_config_down_and_the_nearest_wins(evals: EvalFolder) -> None:
    [entry] = evals.case(
        """\
        tests:
          - assert:
              - type: assert-set
                config: {a: outer, b: outer}
                assert:
                  - {type: script, command: [x], config: {b: inner}}
                  - contains: x
                  - {type: assert-set, config: {c: deep}, assert: [{type: script, command: [x]}]}
        """
    ).entries
    script, contains, deeper = entry.members or ()
    assert script.keys["config"] == {"a": "outer", "b": "inner"}
    assert contains.keys["config"] == {"a": "outer", "b": "outer"}
    [deepest] = deeper.members or ()
    assert deepest.keys["config"] == {"a": "outer", "b": "outer", "c": "deep"}


@pytest.mark.parametrize(
    ("cell", "kind", "keys"),
    [
        ("grade: Is polite", "llm-rubric", {"value": "Is polite"}),
        ("fn: output.length", "javascript", {"value": "output.length"}),
        ("eval: output.length", "javascript", {"value": "output.length"}),
        ("file://check.py", "python", {"value": "check.py"}),
        ("eval", "equals", {"value": "eval"}),
        ("not-grade: Is rude", "llm-rubric", {"value": "Is rude"}),
    ],
)
def test_the_words_of_a_table_for_judges_and_code(
    evals: EvalFolder, cell: str, kind: str, keys: dict[str, Any]
) -> None:
    evals.write("t.csv", f"__expected\n{cell}\n")
    [entry] = evals.case("tests: file://t.csv").entries
    assert (entry.type, entry.keys, entry.negated) == (kind, keys, cell.startswith("not-"))
