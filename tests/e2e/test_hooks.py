"""Graders and adapters that plugins add: conftest.py files, pytest plugins, installed packages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded
from third_party import ADAPTER, SESSION, publish

if TYPE_CHECKING:
    from eval_runs import EvalProject

GRADER = """\
from typing import ClassVar

from pytest_agentv import Grade, Grader, assertion, hookimpl


class Haiku(Grader):
    types: ClassVar = ("haiku",)
    lines: int = 3

    def grade(self, transcript, case):
        found = transcript.output[-1].content.count("\\n") + 1
        outcome = "passed" if found == self.lines else "failed"
        return Grade(outcome, f"{found} lines", claim=f"the answer has {self.lines} lines")


@assertion("short")
def short(transcript):
    return len(transcript.output[-1].content) < 100


@hookimpl
def agentv_graders():
    return [Haiku, short]
"""


def test_a_hook_in_conftest_adds_graders(project: EvalProject) -> None:
    # A function that is an assertion is found by itself in a conftest.py file.
    project.conftest(GRADER.replace("[Haiku, short]", "[Haiku]"))
    project.assertions(
        "haiku: {lines: 3}", "{type: haiku, lines: 2}", "{type: not-haiku}", "{type: short}"
    )
    project.sessions(recorded("a\nb\nc"))
    run = project.grade()
    assert list(run.outcomes.values()) == ["passed", "failed", "failed", "passed"]
    assert "  found:    3 lines" in run.text


def test_keys_of_such_a_grader_are_checked(project: EvalProject) -> None:
    project.conftest(GRADER.replace("[Haiku, short]", "[Haiku]"))
    project.assertions("{type: haiku, lines: many}", "{type: haiku, line: 3}")
    said = project.run().problems["a.eval.yaml"]
    assert "a.eval.yaml:4:" in said
    assert "a.eval.yaml:5:" in said
    assert "did you mean 'lines'?" in said


def test_an_installed_package_adds_graders(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(project.path / "site", "agentv-haiku", GRADER)
    monkeypatch.syspath_prepend(str(project.path / "site"))
    project.assertions("{type: haiku, lines: 1}", "{type: short}")
    project.sessions(recorded())
    assert project.grade().by_name == {"haiku": "passed", "short": "passed"}


@pytest.mark.parametrize("options", [(), ("--transcript=t.jsonl",)])
def test_an_installed_package_that_cannot_be_loaded_is_an_error_in_a_sentence(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    publish(project.path / "site", "agentv-broken", "1 / 0\n")
    monkeypatch.syspath_prepend(str(project.path / "site"))
    project.assertions("contains: Done", name="evals/a.eval.yaml")
    project.sessions(recorded())
    run = project.run("evals", *options)
    said = run.text + run.errors
    assert run.code not in {0, 1, 5}
    assert "plugin 'agentv-broken' of 'agentv-broken' cannot be loaded: ZeroDivision" in said
    assert "in evals_of" not in said
    assert "INTERNALERROR" not in said


def test_workers_know_the_graders_of_an_installed_package(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(project.path / "site", "agentv-haiku", GRADER)
    paths = [str(project.path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    project.assertions("{type: haiku, lines: 1}", "{type: short}")
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", "-p", "xdist.plugin", "-n", "2")
    assert run.code == 0
    assert "2 passed" in run.text


def test_a_pytest_plugin_adds_assertions(project: EvalProject) -> None:
    project.write("haiku_plugin.py", GRADER.replace("[Haiku, short]", "[Haiku]"))
    project.assertions("{type: haiku, lines: 1}", "{type: short}")
    project.sessions(recorded())
    project.ini("pythonpath = .")
    run = project.run_apart("-p", "haiku_plugin", "--transcript=t.jsonl")
    assert run.code == 0
    assert "2 passed" in run.text


def test_a_hook_in_conftest_adds_adapters(project: EvalProject) -> None:
    project.conftest(ADAPTER)
    project.write("a.foo", SESSION)
    project.assertions("contains: Done")
    assert project.run("--transcript=a.foo").outcomes == {
        "a.eval.yaml::one[foo-cli]::contains-Done": "passed"
    }


def test_sessions_of_such_an_adapter_have_names(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.conftest(ADAPTER)
    project.write("home/abc.foo", SESSION)
    monkeypatch.setenv("FOO_HOME", str(project.path / "home"))
    project.assertions("contains: Done")
    for what in ("foo:latest", "foo:abc"):
        assert list(project.run(f"--transcript={what}").outcomes.values()) == ["passed"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (GRADER.replace("def agentv_graders", "def agentv_grader"), "agentv_grader"),
        (GRADER.replace("@hookimpl", ""), "`agentv_graders` needs @hookimpl above it"),
        (GRADER.replace("[Haiku, short]", "[3]"), "3 is no grader"),
        (GRADER.replace("[Haiku, short]", "[1 / 0]"), "ZeroDivisionError"),
        (GRADER.replace('("haiku",)', "()"), "Haiku names no types"),
        (GRADER.replace('("haiku",)', '("contains",)'), "assertion 'contains' comes from two"),
        (GRADER.replace('("haiku",)', '("not-haiku",)'), "no assertion can be named 'not-haiku'"),
    ],
)
def test_a_hook_that_does_not_fit_is_an_error_in_a_sentence(
    project: EvalProject, code: str, said: str
) -> None:
    project.conftest(code)
    project.assertions("contains: Done")
    project.sessions(recorded())
    run = project.grade()
    assert run.code not in {0, 1, 5}
    assert said in run.text + run.errors
    assert "INTERNALERROR" not in run.text + run.errors
    assert "Traceback" not in run.text + run.errors


def test_a_grader_that_returns_no_grade_is_an_error(project: EvalProject) -> None:
    lines = GRADER.replace("[Haiku, short]", "[Haiku]").splitlines()
    project.conftest("\n".join(one.split("Grade(outcome")[0] for one in lines))
    project.assertions("{type: haiku}", "{type: not-haiku}")
    project.sessions(recorded())
    run = project.grade()
    assert list(run.outcomes.values()) == ["error", "error"]
    assert run.code == 1


def test_a_broken_hook_without_evals_disturbs_nobody(project: EvalProject) -> None:
    project.conftest(GRADER.replace("[Haiku, short]", "[1 / 0]"))
    project.write("test_it.py", "def test_it(): pass\n")
    assert project.run().outcomes == {"test_it.py::test_it": "passed"}
