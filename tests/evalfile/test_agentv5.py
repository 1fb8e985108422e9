"""Eval files of AgentV 5 and promptfoo: each key is accepted, mapped, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agentv_files import agentv_file
from eval_files import types_of

if TYPE_CHECKING:
    from eval_files import EvalFolder

    from pytest_agentv.evalfile.model import Case

OWN = "write a Python assertion in conftest.py, or a `script`"
TRANSFORM = f"the session is graded as it was recorded, and code in eval files is not run; {OWN}"
SETTINGS = "refs:\n  strict: file://{{ env.AGENTV_REPO_ROOT }}/v5-defaults.yaml\n"


@pytest.fixture
def suite(evals: EvalFolder) -> dict[str, Case]:
    """The cases of a file with every key."""
    for name in ("v5-defaults.yaml", "v5-rows.csv"):
        evals.write(name, agentv_file(name))
    evals.write(".agentv/config.yaml", SETTINGS)
    return {case.id: case for case in evals.load(agentv_file("v5-suite.yaml")).cases}


def test_a_suite_with_every_key_loads(suite: dict[str, Case]) -> None:
    assert list(suite) == ["july", "test-2", "row", "greets-spanish", "greets-french"]
    july = suite["july"]
    assert types_of(july) == ["contains", "llm-rubric", "contains", "latency"]
    assert [entry.metric for entry in july.entries] == ["names-July", None, "no-secret", "quick"]
    assert july.entries[1].keys == {"value": "Says that engineers should read short notes"}
    assert (july.threshold, july.tags) == (0.5, ())
    assert july.metadata == {"source": "defaults", "area": "July"}
    assert july.input == [{"role": "user", "content": [{"type": "file", "value": "./july.md"}]}]


def test_a_test_may_set_its_threshold_under_run(suite: dict[str, Case]) -> None:
    june = suite["test-2"]
    assert (types_of(june), june.threshold) == (["icontains"], 0.25)


def test_the_rows_of_a_table_are_tests_with_defaults(suite: dict[str, Case]) -> None:
    row = suite["row"]
    assert types_of(row) == ["icontains", "similar", "contains", "latency"]
    assert row.entries[0].keys == {"value": "August"}
    assert (row.threshold, row.metadata) == (0.5, {"source": "defaults", "area": "notes"})


@pytest.mark.parametrize(
    ("vars_of_all", "test", "expected"),
    [
        ("{}", "vars: {expected_output: {status: ok}}", {"status": "ok"}),
        ("{expected_output: all}", "id: a", "all"),
        ("{expected_output: all}", "vars: {expected_output: own}", "own"),
        ("{expected_output: all}", "expected_output: key", "key"),
        ("{}", "id: a", None),
    ],
)
def test_a_variable_may_say_what_is_expected(
    evals: EvalFolder, vars_of_all: str, test: str, expected: Any
) -> None:
    text = f"default_test: {{vars: {vars_of_all}}}\ntests: [{{{test}, assert: [x]}}]"
    assert evals.case(text).expected_output == expected


def test_a_scenario_has_each_test_once_for_each_row(suite: dict[str, Case]) -> None:
    spanish, french = suite["greets-spanish"], suite["greets-french"]
    assert [entry.keys.get("value") for entry in spanish.entries][:1] == ["hola"]
    assert [entry.keys.get("value") for entry in french.entries][:2] == ["bonjour", "French"]
    assert types_of(spanish) == ["contains", "contains", "latency"]


def test_rows_without_ids_are_numbered(evals: EvalFolder) -> None:
    loaded = evals.load(
        """\
        tests: [{assert: [x]}]
        scenarios:
          - config: [{vars: {a: 1}}, {vars: {a: 2}}]
            tests: [{id: t, assert: ["{{ a }}!"]}, {assert: [x]}]
          - config: [{vars: {a: 3}}]
            tests: [{id: t, assert: ["{{ a }}!"]}]
        """
    )
    assert [case.id for case in loaded.cases] == [
        "test-1", "t-1", "test-3-1", "t-2", "test-5-2", "t",
    ]  # fmt: skip


def test_a_test_wins_over_its_row_and_that_over_the_defaults(evals: EvalFolder) -> None:
    case = evals.case(
        """\
        default_test: {vars: {a: default, b: default, c: default}, threshold: 0.2, tags: [x]}
        scenarios:
          - config: [{vars: {b: row, c: row}, threshold: 0.3, metadata: {k: row}, tags: [z]}]
            tests: [{vars: {c: test}, assert: ["{{ a }} {{ b }} {{ c }}"]}]
        """
    )
    assert case.entries[0].keys == {"value": "default row test"}
    assert (case.threshold, case.metadata, case.tags) == (0.3, {"k": "row"}, ("x", "z"))


def test_scenarios_may_stand_in_other_files(evals: EvalFolder) -> None:
    evals.write("s/a.yaml", "- {config: [{id: r, vars: {a: 1}}], tests: file://../t.yaml}\n")
    evals.write("s/b.json", '{"scenarios": [{"config": [{"id": "q"}], "tests": ["../t.yaml"]}]}')
    evals.write("t.yaml", "- {id: t, assert: [x]}\n")
    evals.write("s/t.yaml.md", "")
    loaded = evals.load("scenarios: [file://s/*.yaml, file://s/b.json]")
    assert [case.id for case in loaded.cases] == ["t-r", "t-q"]


@pytest.mark.parametrize("written", ["scenarios: []", "scenarios: [file://none.yaml]"])
def test_scenarios_that_are_none_are_an_error(evals: EvalFolder, written: str) -> None:
    evals.write("none.yaml", "[]\n")
    problems = evals.problems(f"tests: [{{id: t, assert: [x]}}]\n{written}")
    assert problems == ["2:12 `scenarios` is empty: there is nothing to grade"]


@pytest.mark.parametrize(
    ("scenario", "problem"),
    [
        ("{tests: [{assert: [x]}]}", "1:13 `config` is missing in the scenario"),
        ("{config: [{}]}", "1:13 `tests` is missing in the scenario"),
        ("{config: [], tests: [{assert: [x]}]}",
         "1:22 `config` is empty: there is nothing to grade"),
        ("{config: [{}], tests: []}", "1:35 `tests` is empty: there is nothing to grade"),
        ("{config: {}, tests: [{assert: [x]}]}", "1:22 `config` must be a list, not a mapping"),
        ("{config: [5], tests: [{assert: [x]}]}",
         "1:23 a row of `config` must be a mapping, not 5"),
        ("{config: [{vras: {}}], tests: [{assert: [x]}]}",
         "1:24 unknown key 'vras'; did you mean 'vars'?"),
        ("{configs: [], tests: [{assert: [x]}]}",
         "1:14 unknown key 'configs'; did you mean 'config'?"),
        ("5", "1:13 a scenario must be a mapping, not 5"),
        ("a.yaml", "1:13 a scenario must be a mapping or file://…, not 'a.yaml'"),
        ("file://a.yaml", "1:13 no such file: 'file://a.yaml'"),
        ("{config: [{id: a}, {id: a}], tests: [{id: t, assert: [x]}]}",
         "1:55 the id 't-a' is taken by another test, on line 1"),
    ],
)  # fmt: skip
def test_a_malformed_scenario_is_an_error(evals: EvalFolder, scenario: str, problem: str) -> None:
    assert problem in evals.problems(f"scenarios: [{scenario}]")


def test_many_rows_for_many_tests_are_too_much(evals: EvalFolder) -> None:
    rows = ", ".join(["{vars: {a: 1}}"] * 1000)
    tests = ", ".join(["{assert: [x]}"] * 1000)
    problems = evals.problems(f"scenarios: [{{config: [{rows}], tests: [{tests}]}}]")
    assert "the file grows too large" in problems[-1]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (None, "1:15 no AgentV settings; looked for .agentv/config.yaml up to"),
        ("a: 1\n", "1:15 no 'strict' under `refs` in"),
        ("refs: {strct: file://d.yaml}\n", "1:15 no 'strict' under `refs` in"),
        ("refs: {strict: d.yaml}\n", "config.yaml 1:16 a reference must be file://…, not 'd.yaml'"),
        ("refs: {strict: file://none.yaml}\n", "config.yaml 1:16 no such file: 'file://none.yaml'"),
        ("[1]\n", "1:15 no 'strict' under `refs` in"),
    ],
)
def test_a_reference_that_leads_nowhere_is_an_error(
    evals: EvalFolder, settings: str | None, problem: str
) -> None:
    if settings is not None:
        evals.write(".agentv/config.yaml", settings)
    [found] = evals.problems("default_test: ref://strict\ntests: [{assert: [x]}]")
    assert found.startswith(problem)


def test_the_root_of_the_project_may_be_named(evals: EvalFolder) -> None:
    evals.write("shared/d.yaml", "assert: [contains: x]\n")
    text = "default_test: 'file://{{ env.AGENTV_REPO_ROOT }}/shared/d.yaml'\ntests: [{id: a}]"
    assert types_of(evals.case(text, {})) == ["contains"]


@pytest.mark.parametrize(
    "key",
    [
        "defaults: {grader: g}", "derived_metrics: []", "env: {A: b}", "environment: file://e.yaml",
        "evaluate_options: {repeat: 2}", "extensions: []", "output_path: o.json", "prompts: p",
        "providers: [p]", "tags: {experiment: e}", "timeout_seconds: 3",
        # Of promptfoo.
        "commandLineOptions: {}", "derivedMetrics: []", "evaluateOptions: {}", "outputPath: o",
        "sharing: false", "tracing: {}",
    ],
)  # fmt: skip
def test_a_key_of_live_runs_changes_nothing(evals: EvalFolder, key: str) -> None:
    case = evals.case(f"{key}\ntests: [{{assert: [contains: x]}}]")
    assert (types_of(case), case.tags) == (["contains"], ())


def test_promptfoo_calls_the_default_test_otherwise(evals: EvalFolder) -> None:
    assert types_of(evals.case("defaultTest: {assert: [contains: x]}\ntests: [{id: a}]")) == [
        "contains"
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nunjucks_filters: {a: f.js}\n", "1:1 templates have no filters, and code in eval files"),
        ("nunjucksFilters: {a: f.js}\n", "1:1 templates have no filters, and code in eval files"),
        ("redteam: {}\n", "1:1 `redteam` lets a model make the tests up; write them under `tests`"),
        ("default_test: {options: {transform: output.trim()}}\n", f"1:26 `transform`: {TRANSFORM}"),
        ("default_test: {options: {postprocess: x}}\n", f"1:26 `postprocess`: {TRANSFORM}"),
        ("default_test: {assert_scoring_function: file://s.js}\n",
         "1:16 code in eval files is not run: give the assertions a `weight` and the test a"),
        ("default_test: {assertScoringFunction: file://s.js}\n",
         "1:16 code in eval files is not run: give the assertions a `weight` and the test a"),
    ],
)  # fmt: skip
def test_what_would_change_a_grade_is_refused(evals: EvalFolder, text: str, reason: str) -> None:
    [problem] = evals.problems(f"{text}tests: [{{assert: [contains: x]}}]")
    assert problem.startswith(reason)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("options: {transform: output.trim()}", f"`transform`: {TRANSFORM}"),
        ("provider_output: Done", "the answer that is graded is the recorded session's"),
        ("providerOutput: Done", "the answer that is graded is the recorded session's"),
        ("assert_scoring_function: x", "code in eval files is not run: give the assertions"),
        ("include: cases.yaml", "name the file, as in `- file://cases.yaml`"),
        ("turns: [{input: x}]", "turns are played one by one in a live run"),
    ],
)
def test_what_would_change_a_grade_is_refused_in_a_test(
    evals: EvalFolder, key: str, reason: str
) -> None:
    [problem] = evals.problems(f"tests: [{{{key}, assert: [contains: x]}}]")
    assert reason in problem


MESSAGES = [{"role": "user", "content": [{"type": "file", "value": "a.txt"}]}]


@pytest.mark.parametrize(
    ("prompts", "asked"),
    [
        ('["{{ input }}"]', MESSAGES),
        ('"{{ vars.input }}"', MESSAGES),
        ('["In {{ language }}: {{ topic }}"]', "In French: tea"),
        ('[{id: terse, label: Terse, prompt: "On {{ topic }}"}]', "On tea"),
        ('[{raw: "On {{ topic }}"}]', "On tea"),
        ('[[{role: system, content: Be brief}, {role: user, content: "{{ topic }}"}]]',
         [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "tea"}]),
        # Which one of them it was, or what it says, is not known here.
        ('["{{ topic }}", "On {{ topic }}"]', None),
        ("[file://prompt.txt]", None),
        ("file://prompts.yaml", None),
        ('["{{ topic | upper }}"]', None),
        ('["{{ nothing }}"]', None),
        ("[{id: a.py, function: f}]", None),
        ("[5]", None),
        ("[]", None),
    ],
)  # fmt: skip
def test_the_only_prompt_of_a_file_is_what_its_tests_ask(
    evals: EvalFolder, prompts: str, asked: Any
) -> None:
    case = evals.case(
        f"""\
        prompts: {prompts}
        default_test: {{vars: {{language: French}}}}
        tests:
          - vars:
              topic: tea
              input: [{{role: user, content: [{{type: file, value: a.txt}}]}}]
            assert: [contains: x]
        """
    )
    assert case.input == asked


def test_the_input_of_a_test_wins_over_a_prompt(evals: EvalFolder) -> None:
    case = evals.case('{prompts: ["{{ a }}"], tests: [{input: b, assert: [contains: x]}]}')
    assert case.input == "b"
