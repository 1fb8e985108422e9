"""``agentv init``: a project that can be graded at once, and nothing lost that was there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from pytest_agentv.evalfile.loader import load_eval_file

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

_EXAMPLES = Path(__file__).parents[2] / "examples"
_FIRST = "evals/first.eval.yaml"


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def test_a_first_eval_file_that_is_well_formed(agentv: InProcess) -> None:
    printed = agentv("init")
    assert (printed.code, printed.out) == (
        0,
        f"{_FIRST}: written\n.gitignore: .agentv/ added\n",
    )
    assert printed.err == "next: pytest evals --transcript=claude:latest\n"
    [case] = load_eval_file(Path(_FIRST), root=Path()).cases
    assert case.id == "first-task"
    assert len(case.entries) == 3
    assert _text(".gitignore") == ".agentv/\n"


def test_the_next_step_names_the_client_that_was_used_last(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(_EXAMPLES / "codex-home"))
    assert agentv("init").err == "next: pytest evals --transcript=codex:latest\n"
    home.session("aaaaaaaa", modified=4e9)
    assert agentv("init").err == "next: pytest evals --transcript=claude:latest\n"


def test_the_assertions_that_are_only_proposed_are_well_formed_too(agentv: InProcess) -> None:
    agentv("init")
    proposed = _text(_FIRST).replace("      # - ", "      - ")
    Path("evals/all.eval.yaml").write_text(proposed, encoding="utf-8")
    assert agentv("validate", "evals/all.eval.yaml").out.endswith(
        "1 test, 11 assertions: 0 problems\n"
    )


def test_an_eval_file_of_a_session_that_went_well(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    printed = agentv("init", "claude:latest")
    assert printed.out.startswith("evals/fix-the-login-page.eval.yaml: written\n")
    [case] = load_eval_file(Path("evals/fix-the-login-page.eval.yaml"), root=Path()).cases
    assert case.input == "Fix the login page"


@pytest.mark.parametrize(
    ("ci", "path"), [("github", ".github/workflows/evals.yaml"), ("gitlab", ".gitlab-ci.yml")]
)
def test_a_job_for_ci(agentv: InProcess, ci: str, path: str) -> None:
    assert f"{path}: written\n" in agentv("init", "--ci", ci).out
    assert isinstance(yaml.safe_load(_text(path)), dict)
    assert "pytest evals --transcript=transcripts" in _text(path)


def test_what_exists_is_left_as_it_is(agentv: InProcess) -> None:
    agentv("init", "--ci", "gitlab")
    for path in (_FIRST, ".gitlab-ci.yml"):
        Path(path).write_text("mine\n", encoding="utf-8")
    printed = agentv("init", "--ci", "gitlab", "--json")
    assert json.loads(printed.out) == {
        "written": [],
        "kept": [_FIRST, ".gitlab-ci.yml", ".gitignore"],
    }
    assert (printed.code, _text(_FIRST), _text(".gitlab-ci.yml")) == (0, "mine\n", "mine\n")


def test_where_there_are_eval_files_no_other_is_made_up(agentv: InProcess, work: Path) -> None:
    (work / "evals" / "shop").mkdir(parents=True)
    (work / "evals" / "shop" / "jwt.eval.yaml").write_text("tests: []\n", encoding="utf-8")
    printed = agentv("init", "--ci", "github")

    assert printed.code == 0
    assert "evals: left as it is\n" in printed.out
    assert ".github/workflows/evals.yaml: written\n" in printed.out
    assert not (work / "evals" / "first.eval.yaml").exists()


def test_a_link_that_leads_nowhere_is_not_followed(agentv: InProcess, tmp_path: Path) -> None:
    Path("evals").mkdir()
    Path(_FIRST).symlink_to(tmp_path / "elsewhere")
    assert f"{_FIRST}: left as it is\n" in agentv("init").out
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("*.pyc\n", "*.pyc\n.agentv/\n"),
        ("*.pyc", "*.pyc\n.agentv/\n"),
        (".agentv\n", ".agentv\n"),
        ("/.agentv/\n", "/.agentv/\n"),
        (".agentv/*\nx\n", ".agentv/*\nx\n"),
        ("#.agentv/\n", "#.agentv/\n.agentv/\n"),
        (".agentv-old/\n", ".agentv-old/\n.agentv/\n"),
    ],
)
def test_a_line_is_added_to_the_gitignore_if_it_is_missing(
    agentv: InProcess, before: str, after: str
) -> None:
    Path(".gitignore").write_text(before, encoding="utf-8")
    agentv("init")
    assert _text(".gitignore") == after


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_gitignore_that_is_no_file_is_one_sentence_and_not_waited_for(agentv: InProcess) -> None:
    os.mkfifo(".gitignore")
    printed = agentv("init")
    assert printed.code == 1
    assert printed.err == "agentv: .gitignore: is a named pipe, not a regular file\n"


def test_a_session_that_does_not_exist_leaves_nothing_behind(agentv: InProcess) -> None:
    printed = agentv("init", "claude:latest")
    assert printed.code == 1
    assert printed.err.startswith("agentv: ")
    assert list(Path().iterdir()) == []


def test_a_file_where_a_folder_should_be_is_one_sentence(agentv: InProcess) -> None:
    Path("evals").write_text("", encoding="utf-8")
    printed = agentv("init")
    assert printed.code == 1
    assert printed.err.count("\n") == 1
