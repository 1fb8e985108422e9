"""In GitHub Actions: annotations at the lines of eval files, and a step summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject


@pytest.fixture
def github(project: EvalProject, monkeypatch: pytest.MonkeyPatch) -> EvalProject:
    """A project with a failure, run by GitHub."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    project.assertions("contains: Done", "contains: nowhere", name="evals/a.eval.yaml")
    project.sessions(recorded())
    return project


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("::")]


def test_a_failure_is_an_annotation_at_its_line(github: EvalProject) -> None:
    (line,) = commands(github.grade().text)
    assert line.startswith(
        "::error file=evals/a.eval.yaml,line=5,title=one%3A contains-nowhere (claude-cli)::"
        "evals/a.eval.yaml:5: contains-nowhere does not hold (claude-cli)%0A"
    )


def test_an_error_is_an_annotation(github: EvalProject) -> None:
    good = (github.path / "t.jsonl").read_bytes()
    github.write("t.jsonl", good[:-20] + b"\n")
    assert len(commands(github.grade().text)) == 2


def test_a_good_run_has_no_commands(github: EvalProject) -> None:
    run = github.grade("-k", "contains-Done")
    assert run.code == 0
    assert commands(run.text) == []


def test_the_root_may_lie_below_the_workspace(
    github: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(github.path.parent))
    (line,) = commands(github.grade().text)
    assert line.startswith(f"::error file={github.path.name}/evals/a.eval.yaml,line=5,")


def test_the_step_summary(github: EvalProject) -> None:
    github.write("summary.md", "# Before\n")
    github.grade()
    summary = (github.path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith(
        "# Before\n"
        "## Evals\n\n"
        "| provider | cases passed | assertions passed | failed | errors | skipped | soft "
        "| held |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| `claude-cli` | 0 of 1 | 1 | 1 | 0 | 0 | 0 | 50.0% |\n\n"
        "### What failed\n\n"
        "- **failed** `evals/a.eval.yaml:5` `one` `contains-nowhere` `claude-cli`\n"
    )


def test_a_summary_that_cannot_be_written_is_said(
    github: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(github.path))
    run = github.grade()
    assert "The step summary was not written: " in run.text
    assert run.code == 1


def test_elsewhere_nothing_of_it_is_there(
    github: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert commands(github.grade().text) == []
    assert not (github.path / "summary.md").exists()


def test_a_run_without_evals_writes_nothing(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    project.write("test_it.py", "def test_it(): assert False\n")
    assert commands(project.run().text) == []
    assert not (project.path / "summary.md").exists()


def test_what_a_session_says_is_no_command(github: EvalProject) -> None:
    github.sessions(recorded("::warning::x\n::set-output name=a::b\n\r::x::y\n%0A::z::"))
    lines = commands(github.grade("-rA").text)
    assert [line.partition(",title")[0] for line in lines] == [
        "::error file=evals/a.eval.yaml,line=4",
        "::error file=evals/a.eval.yaml,line=5",
    ]
