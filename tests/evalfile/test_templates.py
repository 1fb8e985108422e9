"""Templates are plain substitution: no expressions, no second pass, nothing missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from eval_files import with_assertion
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from eval_files import EvalFolder

VARIABLES = """\
vars:
  name: Ann
  count: 3
  version: 3.10
  flag: true
  nothing: null
  list: [1, {a: b}]
  deep: {er: {est: down}, 'odd-key': x}
  recursive: "{{ name }}"
"""
KNOWN = "known: count, deep, flag, list, name, nothing, recursive, version"
BRACES = "two braces as such are written {{ '{{' }}"


def _value(evals: EvalFolder, template: str, env: dict[str, str] | None = None) -> Any:
    text = VARIABLES + with_assertion(f"equals: '{template}'".replace("\n", "\n  "))
    return evals.case(text, env).entries[0].keys["value"]


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ name }}", "Ann"),
        ("{{name}} and {{ vars.name }}", "Ann and Ann"),
        ("{{ count }}", 3),
        ("n={{ count }}", "n=3"),
        ("v{{ version }}", "v3.10"),
        ("{{ flag }}", True),
        ("{{ flag }}!", "true!"),
        ("<{{ nothing }}>", "<null>"),
        ("{{ list }}", [1, {"a": "b"}]),
        ("l={{ list }}", 'l=[1, {"a": "b"}]'),
        ("{{ list.1.a }}", "b"),
        ("{{ deep.er.est }}", "down"),
        ("{{ deep.odd-key }}", "x"),
        ("{{ recursive }}", "{{ name }}"),
        ("a {{ recursive }}", "a {{ name }}"),
        ('{{ "{{" }} name }}', "{{ name }}"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("{ name }", "{ name }"),
    ],
)
def test_a_template_becomes_the_value_of_its_variable(
    evals: EvalFolder, template: str, value: Any
) -> None:
    found = _value(evals, template)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{{ nam }}", "there is no variable for '{{ nam }}'; did you mean 'name'?"),
        ("{{ deep.zzz }}", "there is no variable for '{{ deep.zzz }}';"),
        ("{{ list.7 }}", "there is no variable for '{{ list.7 }}';"),
        ("{{ qqqq }}", f"there is no variable for '{{{{ qqqq }}}}'; {KNOWN}"),
        ("{{ name | upper }}", f"'{{{{ name | upper }}}}' is not the name of a variable; {BRACES}"),
        ("{{ 7 * 7 }}", "'{{ 7 * 7 }}' is not the name of a variable;"),
        ("{{ name.__class__ }}", "there is no variable for '{{ name.__class__ }}';"),
        ("{{ }}", "'{{ }}' is not the name of a variable;"),
        ("{{ name }", "the template '{{ name }' is not closed with }}"),
    ],
)  # fmt: skip
def test_what_cannot_be_filled_in_is_an_error(
    evals: EvalFolder, template: str, problem: str
) -> None:
    [found] = evals.problems(VARIABLES + with_assertion(f'equals: "{template}"'))
    assert found.startswith(f"13:17 {problem}")


def test_the_environment_is_open_as_far_as_it_was_allowed(evals: EvalFolder) -> None:
    env = {"TOKEN": "t0k"}
    assert _value(evals, "{{ env.TOKEN }}", env) == "t0k"
    assert _value(evals, "a ${{ TOKEN }}", env) == "a t0k"
    problem = (
        "13:17 the environment's 'HOME' may not be used, or is not set;"
        " ini `agentv_env` lists the names (known: TOKEN)"
    )
    for template in ("{{ env.HOME }}", "${{ HOME }}"):
        text = VARIABLES + with_assertion(f"equals: '{template}'")
        assert evals.problems(text, env) == [problem]


def test_an_environment_that_is_not_known_is_left_alone(evals: EvalFolder) -> None:
    assert _value(evals, "a {{ env.ANY }} ${{ OTHER }}") == "a {{ env.ANY }} ${{ OTHER }}"
    assert _value(evals, "{{ env.ANY }}") == "{{ env.ANY }}"


def test_a_message_never_shows_what_the_environment_holds(evals: EvalFolder) -> None:
    text = with_assertion("{contains: x, weight: '{{ env.KEY }}'}")
    problems = evals.problems(text, {"KEY": "hunter2"})
    assert problems == ["4:31 `weight` must be a number, not what '{{ env.KEY }}' stands for"]


def test_every_text_of_a_case_is_filled_in_but_not_its_keys_and_variables(
    evals: EvalFolder,
) -> None:
    case = evals.case(
        """\
        vars: {a: A, n: 0.5}
        tests:
          - id: x
            vars: {b: "{{ a }}"}
            description: d {{ a }}
            input: [{role: user, content: "i {{ a }}"}]
            expected_output: {"{{ a }}": "{{ b }}"}
            criteria: c {{ a }}
            metadata: {m: "{{ n }}"}
            threshold: "{{ n }}"
            transcript: "{{ a }}.jsonl"
            assert:
              - {type: "{{ a }}", metric: "m {{ a }}", weight: "{{ n }}", list: [{k: "{{ a }}"}]}
              - rubric {{ a }}
        """
    )
    first, second = case.entries
    assert (case.description, case.criteria) == ("d A", "c A")
    assert case.input == [{"role": "user", "content": "i A"}]
    assert case.expected_output == {"{{ a }}": "{{ a }}"}
    assert (case.metadata, case.threshold, case.transcript) == ({"m": 0.5}, 0.5, ("A.jsonl",))
    assert (first.type, first.metric, first.weight) == ("A", "m A", 0.5)
    assert first.keys == {"list": [{"k": "A"}]}
    assert second.keys == {"value": "rubric A"}


def test_shared_assertions_are_filled_in_for_each_case(evals: EvalFolder) -> None:
    one, two = evals.load(
        """\
        assert: [contains: "{{ who }}", {type: same}]
        tests:
          - {id: a, vars: {who: Ann}}
          - {id: b, vars: {who: Bob}}
        """
    ).cases
    assert [case.entries[0].keys["value"] for case in (one, two)] == ["Ann", "Bob"]
    assert one.entries[1] is two.entries[1]


def test_a_template_bomb_is_an_error(evals: EvalFolder) -> None:
    text = f"vars: {{a: {'x' * 100_000}}}\n" + with_assertion("contains: '" + "{{a}}" * 1000 + "'")
    assert evals.problems(text) == [
        "5:19 the file grows too large when variables and defaults are put into its tests"
    ]
    many = "assert: [" + "x," * 20_000 + "]\ntests: [" + "{input: a}," * 20_000 + "]"
    [problem] = evals.problems(many)
    assert problem.endswith("grows too large when variables and defaults are put into its tests")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(value=st.text(st.characters(codec="utf-8"), max_size=30))
def test_an_inserted_text_is_never_changed(evals: EvalFolder, value: str) -> None:
    evals.write("rows.jsonl", _row(value))
    case = evals.case("tests: file://rows.jsonl")
    assert case.entries[0].keys == {"value": f"<{value}>"}


def _row(value: str) -> bytes:

    row = {"vars": {"v": value}, "assert": [{"contains": "<{{ v }}>"}]}
    return json.dumps(row).encode()


PROMPT = """\
input: ["Render {{{{ config.KEY }}}} and {{{{ 7 * 7 }}}}", {{content: "a {{{{ b"}}]
{more}tests:
  - {{id: one, input: "Hello {{{{ user }}}}!", assert: [{{contains: x}}]}}
"""


def test_the_braces_of_a_prompt_are_its_own_where_there_are_no_variables(evals: EvalFolder) -> None:
    case = evals.case(PROMPT.format(more=""))
    shared = ["Render {{ config.KEY }} and {{ 7 * 7 }}", {"content": "a {{ b"}]
    assert case.input == [*shared, {"role": "user", "content": "Hello {{ user }}!"}]


def test_the_braces_of_a_prompt_are_templates_where_there_are_variables(evals: EvalFolder) -> None:
    problems = evals.problems(PROMPT.format(more="vars: {user: Ann}\n"))
    assert [one.partition(";")[0] for one in problems] == [
        "1:9 there is no variable for '{{ config.KEY }}'",
        "1:62 the template '{{ b' is not closed with }}",
    ]


def test_a_prompt_gets_nothing_of_the_environment_that_is_not_allowed(evals: EvalFolder) -> None:
    for name in ("{{ env.HOME }}", "${{ HOME }}"):
        text = f'tests: [{{id: one, input: "{name}", assert: [{{contains: x}}]}}]'
        problems = evals.problems(text, {})
        assert "the environment's 'HOME' may not be used" in problems[0]
