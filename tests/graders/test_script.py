"""Assertions by a program: what it says is the grade, and what it gets wrong never is one."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from grading import CASE, answer, graded, problems
from scripts import PYTHON

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.script_output import script_grade
from pytest_agentv.graders.script_process import Finished

if TYPE_CHECKING:
    from scripts import Scripts

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="it is a POSIX shell")


# Exit codes.


def test_a_script_that_ends_well_accepts_the_session(scripts: Scripts) -> None:
    grade = scripts.grade("")
    assert (grade.outcome, grade.reason, grade.score) == ("passed", "exit code 0", None)
    assert grade.claim.startswith("the script '")
    assert grade.claim.endswith("' accepts the session")


def test_what_it_prints_is_the_reason(scripts: Scripts) -> None:
    grade = scripts.printing("no tests\nwere run", code=1)
    assert (grade.outcome, grade.reason) == ("failed", "exit code 1: no tests were run")
    assert grade.negated().outcome == "passed"


def test_it_may_complain_and_yet_accept(scripts: Scripts) -> None:
    code = "import sys; print('a warning', file=sys.stderr); print('fine')"
    assert scripts.grade(code).reason == "exit code 0: fine"


def test_a_script_that_breaks_down_is_an_error_that_shows_what_it_said(scripts: Scripts) -> None:
    with pytest.raises(NotGradable) as caught:
        scripts.grade("raise ValueError('no such thing')")
    assert "it ended with exit code 1: Traceback" in caught.value.message
    assert caught.value.message.endswith("ValueError: no such thing")


def test_of_a_long_complaint_the_end_is_shown(scripts: Scripts) -> None:
    code = "import sys; sys.stderr.write('x' * 1_000_000 + 'the end'); sys.exit(2)"
    with pytest.raises(NotGradable, match=r"the end$") as caught:
        scripts.grade(code)
    assert len(caught.value.message) < 2_200


@pytest.mark.parametrize("text", ['{"score": 1}', "[1]", '{"score'])
def test_json_and_a_bad_end_is_an_error(scripts: Scripts, text: str) -> None:
    with pytest.raises(NotGradable, match="exit code 1: ") as caught:
        scripts.printing(text, code=1)
    assert text in caught.value.message


@pytest.mark.parametrize("code", [126, 127, 137, 255])
def test_exit_codes_of_programs_that_were_not_run_or_were_stopped_are_errors(
    scripts: Scripts, code: int
) -> None:
    with pytest.raises(NotGradable, match=f"exit code {code}, as programs do"):
        scripts.grade(f"raise SystemExit({code})")


@POSIX
def test_a_signal_is_an_error(scripts: Scripts) -> None:
    with pytest.raises(NotGradable, match="it was ended by SIGKILL"):
        scripts.grade("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")


def test_a_signal_that_has_no_name_is_an_error() -> None:
    with pytest.raises(NotGradable, match="it was ended by signal 250"):
        script_grade(Finished(-250, "", ""), claim="it holds")


# How it is run.


def test_it_runs_in_the_folder_of_the_eval_file(scripts: Scripts) -> None:
    (scripts.folder / "facts.txt").write_text("here", encoding="utf-8")
    assert scripts.grade("print(open('facts.txt').read())").reason == "exit code 0: here"


def test_cwd_is_relative_to_that_folder(scripts: Scripts) -> None:
    (scripts.folder / "sub").mkdir()
    command = [*PYTHON, "-c", "import os; print(os.path.basename(os.getcwd()))"]
    assert scripts.grade_by(command, cwd="sub").reason == "exit code 0: sub"
    with pytest.raises(NotGradable, match="there is no folder 'nowhere' to run it in"):
        scripts.grade_by(command, cwd="nowhere")


def test_a_folder_that_cannot_be_looked_for_is_an_error_in_a_sentence(scripts: Scripts) -> None:
    with pytest.raises(NotGradable, match="the script 'true': "):
        scripts.grade_by(["true"], cwd="x" * 5_000)


def test_no_place_for_what_it_reads_is_an_error_in_a_sentence(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(scripts.folder / "nowhere"))
    with pytest.raises(NotGradable, match=r"the script '.*': it cannot be run: No such file"):
        scripts.grade("")


def test_without_an_eval_file_it_runs_where_pytest_does(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(scripts.folder)
    command = scripts.write("print('found')")
    assert graded("script", "Done.", value=command).reason == "exit code 0: found"


@POSIX
def test_a_text_is_a_line_for_the_shell(scripts: Scripts) -> None:
    grade = scripts.grade_by("cat > copy.json && grep -c Done copy.json; exit 1")
    assert grade.outcome == "failed"
    assert grade.claim == (
        "the script 'cat > copy.json && grep -c Done copy.json; exit 1' accepts the session"
    )


@POSIX
def test_a_list_is_not_for_the_shell(scripts: Scripts) -> None:
    assert scripts.grade_by(["echo", "$HOME; exit 1"]).reason == "exit code 0: $HOME; exit 1"


@POSIX
def test_a_program_beside_the_eval_file_can_be_named(scripts: Scripts) -> None:
    program = scripts.folder / "check.sh"
    program.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    program.chmod(0o755)
    assert scripts.grade_by(["./check.sh"]).reason == "exit code 0: hello"
    program.write_text("#!/no/such/shell\n", encoding="utf-8")
    with pytest.raises(NotGradable, match=r"there is no program to run '\./check\.sh' with"):
        scripts.grade_by(["./check.sh"])
    program.chmod(0o644)
    with pytest.raises(NotGradable, match=r"'\./check\.sh' cannot be run: Permission denied"):
        scripts.grade_by(["./check.sh"])


@POSIX
def test_a_file_beside_the_eval_file_is_no_program_of_the_path(scripts: Scripts) -> None:
    program = scripts.folder / "check.sh"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    hint = r"there is no program 'check\.sh' on the PATH; did you mean '\./check\.sh'\?"
    with pytest.raises(NotGradable, match=hint):
        scripts.grade_by(["check.sh"])


def test_a_program_that_is_not_there_is_an_error(scripts: Scripts) -> None:
    with pytest.raises(NotGradable, match="the script 'no-such-x y': there is no program"):
        scripts.grade_by(["no-such-x", "y"])


PRINT_NAMES = "import os; print(*sorted(os.environ))"


def test_it_gets_no_variables_but_those_it_needs(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "s3cret")
    monkeypatch.setenv("PYTHONPATH", "x")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    names = scripts.grade(PRINT_NAMES).reason.split()
    assert "PATH" in names
    assert not {"SECRET_API_KEY", "PYTHONPATH", "PYTEST_CURRENT_TEST"} & set(names)


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="there is no virtual environment")
@pytest.mark.parametrize("env", [[], ["PATH"]])
def test_python_is_that_of_the_virtual_environment_though_it_is_not_activated(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch, env: list[str]
) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    grade = scripts.grade_by(["python", "-c", "import sys; print(sys.prefix)"], env=env)
    assert grade.reason == f"exit code 0: {sys.prefix}"


def test_a_path_that_is_given_is_the_path(scripts: Scripts) -> None:
    code = "import os; print(os.environ['PATH'])"
    assert scripts.grade(code, env={"PATH": "/nowhere"}).reason == "exit code 0: /nowhere"


def test_variables_that_are_listed_are_passed_on(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "s3cret")
    monkeypatch.delenv("NOT_SET", raising=False)
    code = "import os; print(os.environ['SECRET_API_KEY'], 'NOT_SET' in os.environ)"
    grade = scripts.grade(code, env=["SECRET_API_KEY", "NOT_SET"])
    assert grade.reason == "exit code 0: s3cret False"


def test_variables_can_be_given(scripts: Scripts) -> None:
    grade = scripts.grade("import os; print(os.environ['MODE'])", env={"MODE": "strict"})
    assert grade.reason == "exit code 0: strict"


def test_a_variable_that_cannot_be_passed_is_an_error(scripts: Scripts) -> None:
    with pytest.raises(NotGradable, match="cannot be run: embedded null byte"):
        scripts.grade("", env={"MODE": "a\0b"})


def test_where_scripts_are_off_nothing_runs_and_nothing_passes(scripts: Scripts) -> None:
    command = scripts.write("open('was-run', 'w').close()")
    off = replace(CASE, scripts=False)
    grade = scripts.grade_by(command, facts=off)
    assert (grade.outcome, grade.reason) == ("skipped", "scripts are off (--agentv-no-scripts)")
    assert grade.negated().outcome == "skipped"
    assert not (scripts.folder / "was-run").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_an_evaluator_in_javascript_runs(scripts: Scripts) -> None:
    (scripts.folder / "check.mjs").write_text(
        """
        import { readFileSync } from 'node:fs';
        const input = JSON.parse(readFileSync(0, 'utf8'));
        const output = input.output ?? JSON.parse(readFileSync(input.output_path, 'utf8'));
        const passed = output.length === input.config.max_length;
        const assertions = [{ text: `has ${output.length} characters`, passed }];
        console.log(JSON.stringify({ score: passed ? 1 : 0, assertions }, null, 2));
        """,
        encoding="utf-8",
    )
    command = ["node", "check.mjs"]
    for text in ("Grüße, 世界", "long " * 20_000):
        grade = scripts.grade_by(command, answer(text), maxLength=len(text))
        assert (grade.outcome, grade.details) == ("passed", f"passed: has {len(text)} characters")


# The keys of an entry.


@pytest.mark.parametrize(
    ("keys", "at", "problem"),
    [
        ({}, (), "needs a `command`: a list of a program and its arguments"),
        ({"command": []}, ("command",), "must not be empty: name a program"),
        ({"command": [" "]}, ("command",), "must not be empty: name a program"),
        ({"value": ""}, ("value",), "must not be empty: name a program"),
        ({"command": 3}, ("command",), "must be a list of a program and its arguments, not 3"),
        ({"command": ["a", 3]}, ("command",), "must be a list of texts, and 3 is none; quote it"),
        ({"command": ["a\0"]}, ("command",), "must not hold a NUL"),
        ({"command": "a", "value": "b"}, (), "`command` and `value` mean the same; keep one"),
        ({"command": "a", "script": "b"}, (), "`command` and `script` mean the same; keep one"),
        ({"command": "a", "timeout": 0}, ("timeout",), "must be a number of seconds above 0"),
        ({"command": "a", "timeout": 1e9}, ("timeout",), "must be a number of seconds above 0"),
        ({"command": "a", "timeout": "5"}, ("timeout",), "must be a number, not '5'"),
        ({"command": "a", "cwd": 3}, ("cwd",), "must be a text, not 3; quote it"),
        ({"command": "a", "env": "HOME"}, ("env",), "must be a list of names, or a mapping"),
        ({"command": "a", "env": ["A=B"]}, ("env",), "must name environment variables, and 'A=B'"),
        ({"command": "a", "env": {"A": 1}}, ("env",), "must map names to texts, and 1 is none"),
        ({"command": "a", "in": "any"}, (), "takes no `in`: a script gets the whole session"),
        ({"command": "a", "transform": "x"}, (), "`transform` is not supported"),
        ({"command": "a", "timout": 5}, (), "'timout' is no key: did you mean `timeout`?"),
        ({"command": "a", "requird": True}, (), "'requird' is no key: did you mean `required`?"),
    ],
)
def test_a_wrong_entry_is_told_in_plain_words(
    keys: dict[str, Any], at: tuple[str, ...], problem: str
) -> None:
    ((where, message),) = problems("script", **keys)
    assert where == at
    assert message.startswith(problem)


def test_other_keys_are_settings_of_the_script(scripts: Scripts) -> None:
    code = "import json, sys; print(json.dumps(json.load(sys.stdin)['config'], sort_keys=True))"
    keys: dict[str, Any] = {
        "maxWords": 3,
        "weights": {"a": 1},
        "config": {"timout": 5},
        "target": True,
    }
    reason = scripts.grade(f"print('is', end=' '); {code}", **keys).reason
    assert reason == 'exit code 0: is {"max_words": 3, "timout": 5, "weights": {"a": 1}}'
