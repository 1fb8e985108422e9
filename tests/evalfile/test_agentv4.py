"""Eval files of AgentV 4: each key and assertion is accepted, mapped, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agentv_files import agentv_file, builtin_types, refusal

from pytest_agentv import assertion
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.evalfile.given import given_entry

if TYPE_CHECKING:
    from eval_files import EvalFolder

    from pytest_agentv.evalfile.model import Case

NOTHING = "the test has no assertion: there is nothing to grade"


def _types(case: Case) -> list[str]:
    return [entry.type for entry in case.entries]


def test_a_suite_with_every_key_loads(evals: EvalFolder) -> None:
    loaded = evals.load(agentv_file("v4-suite.yaml"))
    denied, allowed, judged = loaded.cases
    assert (loaded.name, loaded.description) == ("party-screening", "Screening of names")
    assert _types(denied) == ["contains", "icontains_any", "llm-rubric", "llm-rubric", "latency"]
    assert [entry.metric for entry in denied.entries] == ["says-so", None, None, None, "quick"]
    assert (denied.criteria, denied.threshold) == ("Says that Acme is denied", 0.5)
    assert (denied.tags, denied.metadata) == (("screening",), {"team": "trade", "region": "us"})
    assert denied.expected_output == "DENIED"
    assert (_types(allowed), allowed.threshold) == (["equals"], 0.75)
    assert (allowed.criteria, _types(judged)) == ("Says that Umbrella is fine", ["llm-rubric"])


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
    assert _types(both) == ["contains"]


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
    assert _types(evals.case(f"{key}\ntests: [{{assert: [contains: x]}}]")) == ["contains"]


@pytest.mark.parametrize(
    "key",
    [
        "aggregation: min", "conversation_id: c", "depends_on: [b]", "evaluator: code-grader",
        "mode: conversation", "on_dependency_failure: fail", "on_turn_failure: stop", "suite: s",
        "window_size: 2", "workspace: {template: t}",
    ],
)  # fmt: skip
def test_a_key_of_live_runs_changes_nothing_in_a_test(evals: EvalFolder, key: str) -> None:
    assert _types(evals.case(f"tests: [{{{key}, assert: [contains: x]}}]")) == ["contains"]


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("imports: {tests: []}", "`imports` is not read: name the files under `tests`"),
        ("graders: []", "`graders` is not read: write the assertions under `assert`"),
        ("expected_output: x", "`expected_output` belongs to a test"),
    ],
)
def test_a_key_that_would_change_what_is_graded_is_refused(
    evals: EvalFolder, key: str, reason: str
) -> None:
    [problem] = evals.problems(f"{key}\ntests: [{{assert: [contains: x]}}]")
    assert problem.startswith(f"1:1 {reason}")


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
