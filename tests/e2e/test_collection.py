"""Which files are eval files, and what is said of those that cannot be read."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from eval_runs import one_test, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

EVAL = one_test("contains: Done")


@pytest.mark.parametrize(
    "name",
    [
        "a.eval.yaml",
        "a.eval.yml",
        "A.EVAL.YAML",
        "b.Eval.yml",
        "EVAL.yaml",
        "eval.yml",
        "Eval.YAML",
    ],
)
def test_files_are_found_by_their_names_in_any_case(project: EvalProject, name: str) -> None:
    project.write(f"deep/{name}", EVAL)
    assert project.collected() == [f"deep/{name}::one::contains-Done"]


@pytest.mark.parametrize("name", ["a.yaml", "eval.yaml.txt", "a.evals.yaml", "myeval.yaml"])
def test_other_files_are_left_alone(project: EvalProject, name: str) -> None:
    project.write(name, EVAL)
    run = project.run()
    assert run.code == 5
    assert run.problems == {}


def test_yaml_with_tests_in_a_folder_named_evals_is_an_eval_file(project: EvalProject) -> None:
    project.write("evals/deep/auth.yaml", EVAL)
    project.write("evals/quoted.yml", EVAL.replace("tests:", '"tests" :'))
    assert project.collected() == [
        "evals/deep/auth.yaml::one::contains-Done",
        "evals/quoted.yml::one::contains-Done",
    ]


@pytest.mark.parametrize(
    "start", ["# for CI\n", "---\n", "--- ", "%YAML 1.1\n---\n# a\n\n"], ids=repr
)
def test_braces_may_stand_below_comments_and_marks(project: EvalProject, start: str) -> None:
    content = f"{start}{{tests: [{{id: one, assert: [contains: Done]}}]}}\n"
    project.write("evals/a.yaml", content.encode())
    assert project.collected() == ["evals/a.yaml::one::contains-Done"]


def test_utf_16_in_a_folder_of_evals_is_an_error_and_not_left_out(project: EvalProject) -> None:
    project.write("evals/good.yaml", EVAL)
    project.write("evals/redirected.yaml", dedent(EVAL).encode("utf-16"))
    run = project.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "evals/redirected.yaml:1:1: is UTF-16; save it as UTF-8" in run.text


def test_yaml_without_tests_in_a_folder_named_evals_is_left_alone(project: EvalProject) -> None:
    project.write("evals/compose.yaml", "services:\n  tests: {image: x}\n")
    project.write("evals/broken.yaml", "a: [\n")
    project.write("evals/tests.txt", EVAL)
    run = project.run()
    assert (run.code, run.problems) == (5, {})


def test_any_yaml_that_is_named_on_the_command_line_is_an_eval_file(project: EvalProject) -> None:
    project.write("notes.yaml", EVAL)
    project.write("other.yaml", EVAL)
    assert project.collected("notes.yaml") == ["notes.yaml::one::contains-Done"]


def test_named_yaml_that_is_no_eval_file_is_an_error(project: EvalProject) -> None:
    project.write("compose.yaml", "services: {}\n")
    run = project.run("compose.yaml")
    assert run.code == 2
    assert "compose.yaml:1:1: unknown key 'services'" in run.problems["compose.yaml"]


def test_the_names_can_be_changed_in_the_ini_file(project: EvalProject) -> None:
    project.ini("agentv_files = *.check.yaml SPEC.yml")
    for name in ("a.check.yaml", "spec.yml", "c.eval.yaml"):
        project.write(name, EVAL)
    assert project.collected() == [
        "a.check.yaml::one::contains-Done",
        "spec.yml::one::contains-Done",
    ]


def test_python_tests_beside_eval_files_run_as_ever(project: EvalProject) -> None:
    project.write("a.eval.yaml", EVAL)
    project.write("test_it.py", "def test_it(): pass\n")
    project.sessions(recorded())
    assert project.grade().outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-Done": "passed",
        "test_it.py::test_it": "passed",
    }


def test_every_problem_of_a_broken_file_has_a_line_and_other_files_are_reported(
    project: EvalProject,
) -> None:
    project.write(
        "a.eval.yaml",
        """\
        tests:
          - id: one
            asert: []
          - id: two
            assert:
              - type: contians
                value: x
              - {type: contains, valeu: why}
        """,
    )
    project.write("b.eval.yaml", "tests: [\n")
    project.write("c.eval.yaml", EVAL)
    run = project.run()
    assert run.code == 2
    assert list(run.problems) == ["a.eval.yaml", "b.eval.yaml"]
    first = run.problems["a.eval.yaml"].splitlines()
    assert [line.removeprefix(f"{project.path}/") for line in first] == [
        "a.eval.yaml:3:5: unknown key 'asert'; did you mean 'assert'?",
        "a.eval.yaml:6:15: unknown assertion type 'contians'; did you mean 'contains'?",
        "a.eval.yaml:8:9: `contains`: `value` is missing",
        "a.eval.yaml:8:33: `contains`: unknown key 'valeu'; did you mean 'value'?",
    ]
    assert "b.eval.yaml:2:1" in run.problems["b.eval.yaml"]
    assert "Traceback" not in run.text
    assert "errors.py" not in run.text


def test_unknown_types_and_keys_are_told_with_line_and_column(project: EvalProject) -> None:
    project.assertions("{type: contians, value: x}", "{type: contains, valeu: why}")
    run = project.run()
    assert [
        line.removeprefix(f"{project.path}/") for line in run.problems["a.eval.yaml"].splitlines()
    ] == [
        "a.eval.yaml:4:16: unknown assertion type 'contians'; did you mean 'contains'?",
        "a.eval.yaml:5:9: `contains`: `value` is missing",
        "a.eval.yaml:5:33: `contains`: unknown key 'valeu'; did you mean 'value'?",
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "a.eval.yaml:1:1: the file is empty"),
        ("- a\n", "a.eval.yaml:1:1: an eval file must be a mapping"),
        ("tests: []\n", "`tests` is empty"),
        ("tests:\n  - id: one\n", "a.eval.yaml:2:5"),
        ("tests:\n  - id: one\n    assert: []\n", "a.eval.yaml:"),
        ("tests: &a [*a]\n", "a.eval.yaml:1"),
        ("tests: 1\ntests: 2\n", "a.eval.yaml:2:1"),
        ("[" * 30_000, "a.eval.yaml:1"),
        ("\x00", "a.eval.yaml:1"),
    ],
)
def test_what_is_no_eval_file_is_an_error_in_a_sentence(
    project: EvalProject, content: str, said: str
) -> None:
    project.write("a.eval.yaml", content.encode())
    run = project.run()
    assert run.code == 2
    assert said in run.problems["a.eval.yaml"]
    assert "Traceback" not in run.text
    assert "INTERNALERROR" not in run.text


def test_with_continue_on_collection_errors_the_good_files_run(project: EvalProject) -> None:
    project.write("a.eval.yaml", "tests: []\n")
    project.write("b.eval.yaml", EVAL)
    project.sessions(recorded())
    run = project.grade("--continue-on-collection-errors")
    assert run.outcomes == {"b.eval.yaml::one[claude-cli]::contains-Done": "passed"}
    assert run.code == 1
