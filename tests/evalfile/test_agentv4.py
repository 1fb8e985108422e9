"""Eval files of AgentV 4: each key is accepted, mapped, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agentv_files import agentv_file
from eval_files import types_of

if TYPE_CHECKING:
    from eval_files import EvalFolder

NOTHING = "the test has no assertion: there is nothing to grade"


def test_a_suite_with_every_key_loads(evals: EvalFolder) -> None:
    loaded = evals.load(agentv_file("v4-suite.yaml"))
    denied, allowed, judged = loaded.cases
    assert (loaded.name, loaded.description) == ("party-screening", "Screening of names")
    assert types_of(denied) == ["contains", "icontains_any", "llm-rubric", "llm-rubric", "latency"]
    assert [entry.metric for entry in denied.entries] == ["says-so", None, None, None, "quick"]
    assert (denied.criteria, denied.threshold) == ("Says that Acme is denied", 0.5)
    assert (denied.tags, denied.metadata) == (("screening",), {"team": "trade", "region": "us"})
    assert denied.expected_output == "DENIED"
    assert (types_of(allowed), allowed.threshold) == (["equals"], 0.75)
    assert (allowed.criteria, types_of(judged)) == ("Says that Umbrella is fine", ["llm-rubric"])


def test_the_input_of_a_suite_comes_before_that_of_a_test(evals: EvalFolder) -> None:
    denied, allowed, judged = evals.load(agentv_file("v4-suite.yaml")).cases
    assert denied.input == [
        {"role": "user", "content": "Answer in one word."},
        {
            "role": "user",
            "content": [
                {"type": "file", "value": "./rules.md"},
                {"type": "text", "value": "Screen Acme"},
            ],
        },
    ]
    assert [message["role"] for message in allowed.input] == ["system", "user"]
    assert judged.input == {"request": {"name": "Umbrella"}}


@pytest.mark.parametrize(
    ("shared", "own", "whole"),
    [
        ("Be brief", "Go",
         [{"role": "user", "content": "Be brief"}, {"role": "user", "content": "Go"}]),
        ("{role: system, content: S}", "[{role: user, content: Go}]",
         [{"role": "system", "content": "S"}, {"role": "user", "content": "Go"}]),
        ("{a: 1}", "{b: 2}",
         [{"role": "user", "content": {"a": 1}}, {"role": "user", "content": {"b": 2}}]),
        ("'{{ who }}'", "Go",
         [{"role": "user", "content": "Ann"}, {"role": "user", "content": "Go"}]),
    ],
)  # fmt: skip
def test_every_form_of_input_becomes_messages_when_there_is_more_than_one(
    evals: EvalFolder, shared: str, own: str, whole: list[Any]
) -> None:
    text = f"input: {shared}\nvars: {{who: Ann}}\ntests:\n  - {{input: {own}, assert: [x]}}\n"
    assert evals.case(text).input == whole


def test_a_test_has_the_files_of_its_suite_unless_it_names_its_own(evals: EvalFolder) -> None:
    inherits, own, alone = evals.load(
        """\
        input_files: [a.md]
        tests:
          - {input: Go, assert: [x]}
          - {input_files: [b.md], assert: [x]}
          - {input: Go, assert: [x], execution: {skip_defaults: true}}
        """
    ).cases
    texts = [{"type": "file", "value": "a.md"}, {"type": "text", "value": "Go"}]
    assert inherits.input == [{"role": "user", "content": texts}]
    assert own.input == [{"role": "user", "content": [{"type": "file", "value": "b.md"}]}]
    assert alone.input == "Go"


def test_criteria_are_for_a_judge_where_nothing_else_is_graded(evals: EvalFolder) -> None:
    case = evals.case("tests:\n  - criteria: Is polite to {{ who }}\n    vars: {who: Ann}\n")
    [entry] = case.entries
    assert (entry.type, entry.keys) == ("llm-rubric", {"value": "Is polite to Ann"})
    assert (entry.at.line, case.criteria) == (2, "Is polite to Ann")
    both = evals.case("tests: [{criteria: Is polite, assert: [contains: x]}]")
    assert types_of(both) == ["contains"]


@pytest.mark.parametrize("test", ["{input: Go}", "{expected_output: x}", "{assertions: []}"])
def test_a_test_that_agentv_would_leave_to_chance_is_an_error(evals: EvalFolder, test: str) -> None:
    assert evals.problems(f"tests: [{test}]") == [f"1:9 {NOTHING}"]


def test_inline_rubrics_are_one_assertion(evals: EvalFolder) -> None:
    case = evals.case("tests: [{rubrics: [Is polite, {id: b, outcome: Is brief}]}]")
    [entry] = case.entries
    assert (entry.type, entry.keys) == (
        "llm-rubric", {"value": ["Is polite", {"id": "b", "outcome": "Is brief"}]},
    )  # fmt: skip
    assert evals.problems("tests: [{rubrics: polite}]") == [
        "1:19 `rubrics` must be a list, not 'polite'"
    ]


@pytest.mark.parametrize(
    "key",
    [
        "budget_usd: 1", "evaluator: llm-grader", "experiment: a", "governance: {a: b}",
        "policy: {a: b}", "preprocessors: []", "repeat: {count: 2}", "runs: 3", "suite: s",
        "target: t", "targets: [t]", "timeout_seconds: 5", "trials: {count: 2}", "workers: 4",
        "workspace: ./w.yaml",
    ],
)  # fmt: skip
def test_a_key_of_live_runs_changes_nothing(evals: EvalFolder, key: str) -> None:
    assert types_of(evals.case(f"{key}\ntests: [{{assert: [contains: x]}}]")) == ["contains"]


@pytest.mark.parametrize(
    "key",
    [
        "aggregation: min", "conversation_id: c", "depends_on: [b]", "evaluator: code-grader",
        "mode: conversation", "on_dependency_failure: fail", "on_turn_failure: stop", "suite: s",
        "window_size: 2", "workspace: {template: t}",
    ],
)  # fmt: skip
def test_a_key_of_live_runs_changes_nothing_in_a_test(evals: EvalFolder, key: str) -> None:
    assert types_of(evals.case(f"tests: [{{{key}, assert: [contains: x]}}]")) == ["contains"]


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("graders: []", "`graders` is not read: write the assertions under `assert`"),
        ("expected_output: x", "`expected_output` belongs to a test"),
    ],
)
def test_a_key_that_would_change_what_is_graded_is_refused(
    evals: EvalFolder, key: str, reason: str
) -> None:
    [problem] = evals.problems(f"{key}\ntests: [{{assert: [contains: x]}}]")
    assert problem.startswith(f"1:1 {reason}")


def test_imported_tests_come_before_the_others_and_inherit_what_these_do(evals: EvalFolder) -> None:
    evals.write("cases/a.yaml", "[{id: a, assert: [contains: x]}]")
    evals.write("cases/b.jsonl", '{"id": "b", "threshold": 0.9, "assert": [{"contains": "x"}]}')
    evals.write("cases/c.csv", "id,__expected\nc,x\n")
    loaded = evals.load(
        """\
        threshold: 0.5
        assert: [{type: is-json}]
        imports:
          tests:
            - {path: cases/a.yaml, run: {threshold: 0.7, budget_usd: 1}}
            - {path: ./cases/*.jsonl, run: {threshold: 0.7}}
            - {path: file://cases/c.csv}
        tests: [{id: d, assert: [contains: x]}]
        """
    )
    found = [(one.id, one.threshold, types_of(one)) for one in loaded.cases]
    assert found == [
        ("a", 0.7, ["contains", "is-json"]),
        ("b", 0.9, ["contains", "is-json"]),
        ("c", 0.5, ["equals", "is-json"]),
        ("d", 0.5, ["contains", "is-json"]),
    ]


def test_a_file_may_have_imported_tests_alone(evals: EvalFolder) -> None:
    evals.write("a.yaml", "[{assert: [contains: x]}]")
    assert evals.case("imports: {tests: [{path: a.yaml}]}").id == "test-1"


@pytest.mark.parametrize(
    ("imports", "problem"),
    [
        ("{}", "1:10 `imports` is empty: there is nothing to grade"),
        ("{tests: []}", "1:10 `imports` is empty: there is nothing to grade"),
        ("[a.yaml]", "1:10 `imports` must be a mapping, not a list"),
        ("{tests: a.yaml}", "1:18 `tests` of `imports` must be a list, not 'a.yaml'"),
        ("{tests: [a.yaml]}", "1:19 an import must be a mapping, not 'a.yaml'"),
        ("{tests: [{run: {}}]}", "1:19 `path` is missing in the import"),
        ("{tests: [{path: 5}]}", "1:26 `path` must be a text, not 5"),
        ("{tests: [{path: a.yaml, threshold: 1}]}", "1:34 unknown key 'threshold'"),
        ("{tests: [{path: a.yaml, run: {threshold: 7}}]}", "1:51 `threshold` must be"),
        ("{tests: [{path: a.yaml, select: {tags: x}}]}", "1:34 an import has all tests of its"),
        ("{tests: [{path: none.yaml}]}", "1:26 no such file"),
        ("{suites: [{path: a.eval.yaml}]}", "1:11 a suite is an eval file of its own"),
    ],
)
def test_a_malformed_import_is_an_error(evals: EvalFolder, imports: str, problem: str) -> None:
    evals.write("a.yaml", "[{id: a, assert: [contains: x]}]")
    problems = evals.problems(f"imports: {imports}\ntests: [{{assert: [contains: x]}}]")
    assert [one[: len(problem)] for one in problems] == [problem]


def test_turns_are_refused_because_a_session_is_graded_as_a_whole(evals: EvalFolder) -> None:
    [problem] = evals.problems(
        """\
        tests:
          - id: chat
            mode: conversation
            turns: [{input: Hello, assertions: [Is polite]}]
            aggregation: min
            assertions: [contains: x]
        """
    )
    assert problem.startswith("4:5 turns are played one by one in a live run")


def test_an_assertion_list_may_stand_in_one_place_only(evals: EvalFolder) -> None:
    assert evals.problems("tests: [{assertions: [x], evaluators: [x]}]") == [
        "1:27 `assertions` and `evaluators` mean the same; keep one"
    ]


def test_a_folder_of_cases_is_named_by_its_folders(evals: EvalFolder) -> None:
    evals.write("cases/b-case/case.yml", "criteria: Is good\n")
    evals.write("cases/a-case/case.yaml", "assertions: [contains: x]\n")
    evals.write("cases/c-case/case.yaml", "id: own\nassertions: [contains: x]\n")
    evals.write("cases/a-case/workspace/case.yaml", "not: [a case\n")
    evals.write("cases/.hidden/x", "")
    evals.write("cases/README.md", "")
    for reference in ("./cases/", "cases", "[file://cases]"):
        loaded = evals.load(f"tests: {reference}")
        assert [case.id for case in loaded.cases] == ["a-case", "b-case", "own"]
    assert loaded.cases[0].at.path == evals.root / "cases/a-case/case.yaml"


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"cases/a/note.md": ""}, "1:8 'cases/a' has no case.yaml"),
        ({"cases/note.md": ""}, "1:8 'cases' has no folders with a case each"),
        ({"cases/a b/case.yaml": "assert: [x]"},
         "case.yaml 1:1 the id 'a b' has spaces; write 'a-b'"),
        ({"cases/a/case.yaml": "[]"}, "case.yaml 1:1 a test must be a mapping, not a list"),
    ],
)  # fmt: skip
def test_a_folder_that_holds_no_cases_is_an_error_not_a_warning(
    evals: EvalFolder, files: dict[str, str], problem: str
) -> None:
    for name, content in files.items():
        evals.write(name, content)
    assert problem in evals.problems("tests: cases")


def test_a_case_outside_of_the_root_is_not_read(evals: EvalFolder) -> None:
    outside = evals.root.parent / "outside"
    outside.mkdir()
    (outside / "case.yaml").write_text("assert: [x]\n", "utf-8")
    (evals.root / "cases").mkdir()
    (evals.root / "cases" / "a").symlink_to(outside)
    [problem] = evals.problems("tests: cases")
    assert "lies outside of" in problem


def test_paths_in_a_list_of_tests_need_no_scheme(evals: EvalFolder) -> None:
    evals.write("more.cases.yaml", "- {id: a, assert: [x]}\n")
    loaded = evals.load("tests: [./*.cases.yaml, {id: b, assert: [x]}]")
    assert [case.id for case in loaded.cases] == ["a", "b"]


def test_the_file_beside_json_lines_is_told_to_name_them(evals: EvalFolder) -> None:
    evals.write("a.jsonl", '{"id": "a", "assert": ["x"]}\n')
    sidecar = "description: d\nexecution: {target: t}\n"
    assert evals.problems(sidecar) == ["1:1 `tests` is missing; write `tests: file://a.jsonl`"]
    assert evals.case(f"{sidecar}tests: file://a.jsonl\n").id == "a"


def test_the_environment_is_a_list_of_names_and_never_empty(evals: EvalFolder) -> None:
    text = 'tests: [{assert: [{type: contains, value: "${{ WORD }}"}]}]'
    assert evals.case(text, {"WORD": "x"}).entries[0].keys == {"value": "x"}
    [problem] = evals.problems(text, {})
    assert "may not be used, or is not set; ini `agentv_env` lists the names" in problem
