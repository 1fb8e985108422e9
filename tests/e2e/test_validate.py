"""The command ``agentv validate``: what is wrong with eval files, before anything is graded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agentv_command import InProcess, run_agentv
from eval_runs import one_test
from third_party import publish

if TYPE_CHECKING:
    from eval_runs import EvalProject

BROKEN = one_test("{type: contians, value: x}", "{type: contains, valeu: why}")
PROBLEMS = [
    "a.eval.yaml:4:16: unknown assertion type 'contians'; did you mean 'contains'?",
    "a.eval.yaml:5:9: `contains`: `value` is missing",
    "a.eval.yaml:5:33: `contains`: unknown key 'valeu'; did you mean 'value'?",
]


@pytest.fixture
def agentv(
    project: EvalProject, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> InProcess:
    """The command, in a project where pytest finds our plugin as users' pytest does."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p pytest_agentv.pytest_plugin")
    monkeypatch.chdir(project.path)
    return InProcess(capsys)


def test_good_files_are_counted(project: EvalProject, agentv: InProcess) -> None:
    project.assertions("contains: Done", "contains: x", name="a.eval.yaml")
    project.assertions("contains: Done", name="deep/b.eval.yaml")
    outcome = agentv("validate", "a.eval.yaml", "deep")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "2 files, 2 tests, 3 assertions: 0 problems\n"


def test_a_plugin_that_cannot_be_loaded_is_all_that_is_said(
    project: EvalProject, agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(project.path / "site", "agentv-broken", "raise ZeroDivisionError\n")
    monkeypatch.syspath_prepend(str(project.path / "site"))
    project.assertions("contains: Done", name="evals/a.eval.yaml")
    outcome = agentv("validate", "evals")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.splitlines() == [
        "evals: plugin 'agentv-broken' of 'agentv-broken' cannot be loaded: ZeroDivisionError()",
        "0 files, 0 tests, 0 assertions: 1 problem",
    ]


def test_every_problem_has_a_line(project: EvalProject, agentv: InProcess) -> None:
    project.eval_file(BROKEN)
    outcome = agentv("validate", "a.eval.yaml")
    assert outcome.code == 1
    assert outcome.out.splitlines() == [
        *PROBLEMS,
        "1 file, 0 tests, 0 assertions: 3 problems",
    ]


def test_good_files_beside_broken_ones_are_counted(project: EvalProject, agentv: InProcess) -> None:
    project.eval_file(BROKEN)
    project.assertions("contains: Done", name="b.eval.yaml")
    outcome = agentv("validate", ".")
    assert outcome.code == 1
    assert outcome.out.splitlines()[-1] == "2 files, 1 test, 1 assertion: 3 problems"


def test_json_has_the_same(project: EvalProject, agentv: InProcess) -> None:
    project.eval_file(BROKEN)
    outcome = agentv("validate", "--json", "a.eval.yaml")
    assert outcome.code == 1
    assert json.loads(outcome.out) == {
        "files": 1,
        "tests": 0,
        "assertions": 0,
        "problems": [
            {
                "path": "a.eval.yaml",
                "line": int(line),
                "column": int(column),
                "message": message,
            }
            for _, line, column, message in (one.split(":", 3) for one in map(_tight, PROBLEMS))
        ],
    }


def _tight(problem: str) -> str:
    place, _, message = problem.partition(": ")
    return f"{place}:{message}"


def test_any_yaml_that_is_named_is_checked(project: EvalProject, agentv: InProcess) -> None:
    project.write("notes.yaml", "services: {}\n")
    outcome = agentv("validate", "notes.yaml")
    assert outcome.code == 1
    assert outcome.out.startswith("notes.yaml:1:1: unknown key 'services'")


@pytest.mark.parametrize("content", ["tests: [\n", "", "tests: &a [*a]\n", "\x00", "[" * 30_000])
def test_what_is_no_yaml_is_a_problem_with_a_line(
    project: EvalProject, agentv: InProcess, content: str
) -> None:
    project.write("a.eval.yaml", content.encode())
    outcome = agentv("validate", "a.eval.yaml")
    assert outcome.code == 1
    assert outcome.out.startswith("a.eval.yaml:")
    assert outcome.err == ""


def test_assertions_of_the_project_are_known(project: EvalProject, agentv: InProcess) -> None:
    project.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("mine")
        def mine(transcript, value): return True
        """
    )
    project.assertions("mine: 1")
    assert agentv("validate", "a.eval.yaml").code == 0
    project.assertions("{type: mine}")
    outcome = agentv("validate", "a.eval.yaml")
    assert outcome.code == 1
    assert outcome.out.startswith("a.eval.yaml:4:9: `mine` needs a `value`\n")


def test_a_file_that_is_not_there_is_wrong_usage(project: EvalProject, agentv: InProcess) -> None:
    del project
    outcome = agentv("validate", "nothing.eval.yaml")
    assert outcome.code == 2
    assert "no such file or folder: nothing.eval.yaml" in outcome.err
    assert agentv("validate").code == 2


def test_a_file_of_another_kind_is_wrong_usage(project: EvalProject, agentv: InProcess) -> None:
    project.write("notes.md", "hello\n")
    outcome = agentv("validate", "notes.md")
    assert (outcome.code, outcome.out) == (2, "")
    assert "notes.md is no eval file: these end in .yaml or .yml" in outcome.err


def test_a_folder_without_eval_files_is_a_finding(project: EvalProject, agentv: InProcess) -> None:
    (project.path / "empty").mkdir()
    outcome = agentv("validate", "empty")
    assert outcome.code == 1
    assert outcome.err == (
        "agentv: no eval file was found: one is named X.eval.yaml; agentv init writes a first one\n"
    )


def test_a_broken_conftest_is_told(project: EvalProject, agentv: InProcess) -> None:
    project.conftest("1 / 0")
    project.assertions("contains: Done")
    outcome = agentv("validate", "a.eval.yaml")
    assert outcome.code != 0
    assert "ZeroDivisionError" in outcome.out + outcome.err
    assert "Traceback" not in outcome.out + outcome.err


@pytest.mark.parametrize(
    "options", ["-q", "-v -x", "--lf", "--ff -q", "--transcript=nothing.jsonl"]
)
def test_options_of_the_project_do_no_harm(
    project: EvalProject, agentv: InProcess, options: str
) -> None:
    project.ini(f"addopts = {options}")
    project.assertions("contains: Done")
    outcome = agentv("validate", "a.eval.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "1 file, 1 test, 1 assertion: 0 problems\n"


def test_hostile_text_is_told_in_a_harmless_form(project: EvalProject, agentv: InProcess) -> None:
    project.write("a.eval.yaml", b'tests:\n  - id: one\n    "\\e[2J\\x9b::error": 1\n')
    outcome = agentv("validate", "a.eval.yaml")
    assert outcome.code == 1
    assert "\x1b" not in outcome.out
    assert "\x9b" not in outcome.out


def test_the_real_command(project: EvalProject) -> None:
    project.eval_file(BROKEN)
    environment = {"PYTEST_ADDOPTS": "-p pytest_agentv.pytest_plugin"}
    outcome = run_agentv("validate", "a.eval.yaml", cwd=project.path, **environment)
    assert outcome.code == 1
    assert outcome.out.splitlines()[:3] == PROBLEMS
    assert outcome.err == ""


def test_nothing_is_written(project: EvalProject, agentv: InProcess) -> None:
    project.assertions("contains: Done")
    agentv("validate", "a.eval.yaml")
    left = sorted(one.name for one in project.path.iterdir() if one.name != "__pycache__")
    assert left == ["a.eval.yaml", "pytest.ini"]
