"""Assertions of the type ``script`` in eval files: programs beside them judge the sessions."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
import yaml
from agentv_command import InProcess, run_agentv
from eval_runs import WORKERS, one_test, recorded
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from pathlib import Path

    from eval_runs import EvalProject

OFF = "scripts are off (--agentv-no-scripts)"

# As people write them for AgentV: one for each version of what it reads.
VERSION_4 = """
import json, sys

data = json.load(sys.stdin)
wanted = data["config"]["words"]
assertions = [
    {"text": f"says {word}", "passed": word in data["output"], "evidence": data["output"]}
    for word in wanted
]
score = sum(one["passed"] for one in assertions) / len(assertions)
print(json.dumps({"score": score, "assertions": assertions}))
"""
VERSION_5 = """
import json, sys

data = json.load(sys.stdin)
said = data["messages"][-1]["content"]
check = {"text": "is polite", "pass": "please" in said, "reason": f"it says {said!r}"}
print(json.dumps({"pass": check["pass"], "score": 0.25, "checks": [check]}))
"""
MARK = "open('was-run', 'a').close()\n"


@pytest.fixture
def programs(project: EvalProject) -> EvalProject:
    """A project with scripts beside the eval files in a folder."""
    project.write("evals/v4.py", VERSION_4)
    project.write("evals/v5.py", VERSION_5)
    project.write("evals/mark.py", MARK)
    project.write("evals/broken.py", "raise ValueError('no \\x1b[31mcolour')\n")
    project.sessions(recorded("Done. \N{HEAVY CHECK MARK}"))
    return project


def command(name: str) -> str:
    return json.dumps([sys.executable, "-S", name])


def test_a_threshold_is_a_setting_of_the_script_as_well(programs: EvalProject) -> None:
    code = "import json, sys; print(json.dumps({'score': json.load(sys.stdin)['config'][%r]}))\n"
    programs.write("evals/least.py", code % "threshold")
    programs.write("evals/other.py", code % "other")
    programs.assertions(
        f"{{type: script, metric: told, command: {command('evals/least.py')}, threshold: 0.75}}",
        f"{{type: script, metric: lower, command: {command('evals/other.py')}, threshold: 0.75,"
        " other: 0.5}",
        f"{{type: script, metric: own, command: {command('evals/least.py')}, threshold: 0.25,"
        " config: {threshold: 0.5}}",
    )
    run = programs.grade()
    assert run.by_name == {"told": "passed", "lower": "failed", "own": "passed"}


def evals(project: EvalProject, *assertions: str, test: str = "") -> Path:
    return project.assertions(*assertions, test=test, name="evals/a.eval.yaml")


def test_evaluators_of_agentv_run_unchanged(programs: EvalProject) -> None:
    evals(
        programs,
        f"{{type: code-grader, name: v4, command: {command('v4.py')}, words: [Done]}}",
        f"{{type: code-grader, name: half, command: {command('v4.py')}, words: [Done, never]}}",
        f"{{type: script, metric: v5, command: {command('v5.py')}}}",
        f"{{type: not-script, metric: rude, command: {command('v5.py')}}}",
    )
    run = programs.grade()
    assert run.by_name == {"v4": "passed", "half": "failed", "v5": "failed", "rude": "passed"}
    assert "found:    1 of 2 checks failed: says never" in run.text_of["half"]
    assert "failed: says never\n" in run.text_of["half"]
    assert "failed: is polite: it says 'Done. \N{HEAVY CHECK MARK}'" in run.text_of["v5"]
    scores = {
        nodeid.rpartition("::")[2]: one["agentv.score"] for nodeid, one in run.properties.items()
    }
    assert (scores["half"], scores["v5"], scores["rude"]) == ("0.5", "0.25", "0.75")


def test_a_threshold_is_for_the_score(programs: EvalProject) -> None:
    half = f"type: script, command: {command('v4.py')}, words: [Done, never]"
    evals(
        programs, f"{{{half}, metric: a, threshold: 0.5}}", f"{{{half}, metric: b, min_score: 1}}"
    )
    assert programs.grade().by_name == {"a": "passed", "b": "failed"}


def test_the_short_form_names_the_assertion(programs: EvalProject) -> None:
    programs.write("evals/sub/ok.sh", "")
    evals(
        programs,
        "script: exit 0",
        "not-script: [sh, -c, exit 1]",
        "script: {command: [sh, ok.sh], cwd: sub, timeout: 30}",
    )
    assert programs.grade().by_name == {
        "script-exit-0": "passed",
        "not-script-sh--c-exit-1": "passed",
        "script-sh-ok.sh": "passed",
    }


@pytest.mark.parametrize("kind", ["script", "not-script"])
def test_a_script_that_cannot_be_run_to_its_end_is_an_error_either_way(
    programs: EvalProject, kind: str
) -> None:
    evals(
        programs,
        f"{{type: {kind}, metric: broken, command: {command('broken.py')}}}",
        f"{{type: {kind}, metric: absent, command: [no-such-program]}}",
        f"{{type: {kind}, metric: slow, command: [sleep, '600'], timeout: 0.2}}",
        f"{{type: {kind}, metric: torn, command: [echo, '{{\"score\": 1']}}",
        f"{{type: assert-set, metric: set, mode: any, assert: [contains: Done, "
        f"{{type: {kind}, command: [no-such-program]}}]}}",
    )
    run = programs.grade("--agentv-missing=fail")
    assert set(run.by_name.values()) == {"error"}
    texts = run.text_of
    assert "evals/a.eval.yaml:4: broken cannot be graded: the script " in texts["broken"]
    assert "ValueError: no \\x1b[31mcolour" in texts["broken"]
    assert "there is no program 'no-such-program'" in texts["absent"]
    assert "it did not end within 0.2 seconds, and was stopped" in texts["slow"]
    assert "something like JSON that cannot be read" in texts["torn"]


@pytest.mark.parametrize("how", ["option", "setting"])
def test_where_scripts_are_off_they_are_skipped_and_never_run(
    programs: EvalProject, how: str
) -> None:
    evals(
        programs,
        f"{{type: script, metric: plain, command: {command('mark.py')}}}",
        f"{{type: not-script, metric: opposite, command: {command('mark.py')}}}",
        f"{{type: script, metric: must, command: {command('mark.py')}, on_missing: fail}}",
        f"{{type: assert-set, metric: set, assert: [{{script: {command('mark.py')}}}]}}",
        "contains: Done",
    )
    programs.ini("agentv_no_scripts = true" if how == "setting" else "")
    run = programs.grade(*(["--agentv-no-scripts"] if how == "option" else []))
    assert run.by_name == {
        "plain": "skipped",
        "opposite": "skipped",
        "must": "failed",
        "set": "skipped",
        "contains-Done": "passed",
    }
    assert OFF in run.text_of["plain"]
    assert OFF in run.text_of["opposite"]
    assert not (programs.path / "evals/was-run").exists()


def test_workers_keep_scripts_off_too(programs: EvalProject) -> None:
    evals(programs, f"script: {command('mark.py')}")
    assert set(programs.grade("--agentv-no-scripts", *WORKERS).by_name.values()) == {"skipped"}
    assert not (programs.path / "evals/was-run").exists()
    assert set(programs.grade(*WORKERS).by_name.values()) == {"passed"}
    assert (programs.path / "evals/was-run").exists()


def test_nothing_runs_before_it_is_graded(
    programs: EvalProject, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evals(programs, f"script: {command('mark.py')}")
    programs.run("--collect-only", "--transcript=t.jsonl")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p pytest_agentv.pytest_plugin")
    monkeypatch.chdir(programs.path)
    outcome = InProcess(capsys)("validate", "evals")
    assert (outcome.code, outcome.out) == (0, "1 file, 1 test, 1 assertion: 0 problems\n")
    assert not (programs.path / "evals/was-run").exists()


def test_each_script_runs_once_though_the_score_needs_it_too(programs: EvalProject) -> None:
    programs.write("evals/count.py", "open('count', 'a').write('x')\n")
    evals(
        programs,
        f"{{type: script, metric: s, command: {command('count.py')}}}",
        test="threshold: 1",
    )
    assert programs.grade().by_name == {"s": "passed", "score": "passed"}
    assert (programs.path / "evals/count").read_text(encoding="utf-8") == "x"


def test_a_test_in_python_runs_scripts_beside_it(programs: EvalProject) -> None:
    programs.write(
        "evals/test_it.py",
        f"""
        def test_it(transcript, agentv_grade):
            assert agentv_grade({{"script": {command("mark.py")}}})
        """,
    )
    run = programs.grade("--agentv-no-scripts")
    assert list(run.outcomes.values()) == ["skipped"]
    assert not (programs.path / "evals/was-run").exists()
    assert list(programs.grade().outcomes.values()) == ["passed"]
    assert (programs.path / "evals/was-run").exists()


def test_wrong_keys_are_problems_of_the_eval_file(programs: EvalProject) -> None:
    evals(programs, "{type: script, command: [a, 3]}", "{type: script, cwd: x}", "script: 3.5")
    (problem,) = programs.grade().problems.values()
    start = "evals/a.eval.yaml"
    assert problem.split("\n") == [
        f"{start}:4:33: `script`: `command` must be a list of texts, and 3 is none; quote it",
        f"{start}:5:9: `script`: needs a `command`: a list of a program and its arguments",
        f"{start}:6:17: `script`: `value` must be a list of a program and its arguments, not 3.5",
    ]


def test_the_schema_takes_settings_of_scripts(tmp_path: Path) -> None:
    outcome = run_agentv("schema", "eval", cwd=tmp_path)
    validator = Draft202012Validator(json.loads(outcome.out))
    good = [
        "{type: script, command: [a, b], words: 3}",
        "script: [a]",
        "script: a -b",
        "script: {command: [a], words: 3}",
        "{type: code-grader, command: a}",
    ]
    for one in good:
        assert validator.is_valid(yaml.safe_load(one_test(one))), one
    for one in ("{type: script, command: 3}", "{type: script, command: a, timeout: x}"):
        assert not validator.is_valid(yaml.safe_load(one_test(one))), one
