"""The page on CI: its files are well-formed, and their commands write what is kept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_agentv.cli import init

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "ci.md"
_FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(_FILE.findall(PAGE.read_text(encoding="utf-8")))

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the jobs run in a POSIX shell")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project as the page has it: an eval file, and its session."""
    folder = tmp_path / "project"
    (folder / "transcripts").mkdir(parents=True)
    (folder / "evals").mkdir()
    shutil.copy(ROOT / "examples/transcripts/rate-limit.jsonl", folder / "transcripts")
    (folder / "evals" / "rate-limit.eval.yaml").write_text(
        "tests:\n  - {id: rate-limit, assert: [contains: Retry-After]}\n", encoding="utf-8"
    )
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, line in {
        "agentv": f'exec "{sys.executable}" -m pytest_agentv "$@"',
        "pytest": f'exec "{sys.executable}" -m pytest "$@"',
        "pip": "true",
        "python": "true",
        "gh": 'echo "$@" > gh.txt',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    shutil.copytree(programs, folder / ".venv" / "bin")
    return folder


def _run(script: str, folder: Path, **more: str) -> None:
    ours = {name: one for name, one in os.environ.items() if not re.match("PYTEST_|GITHUB_", name)}
    path = os.pathsep.join([str(folder.parent / "bin"), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", script],
        cwd=folder,
        env={**ours, "PATH": path, **more},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _job(name: str) -> dict[str, Any]:
    [job] = yaml.safe_load(FILES[name])["jobs"].values()
    assert isinstance(job, dict)
    return job


@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_the_page_shows_what_init_writes(ci: str) -> None:
    assert FILES[f"{ci}.yaml"] == init._starter(f"{ci}.yaml")


def test_the_job_of_github(project: Path) -> None:
    steps = _job("github.yaml")["steps"]
    for step in steps:
        _run(step.get("run", "true"), project)
    [kept] = [one["with"]["path"].split() for one in steps if "upload" in one.get("uses", "")]
    assert kept == ["report.xml", "report.html"]
    assert all((project / one).stat().st_size for one in kept)


def test_the_comment_of_github(project: Path) -> None:
    git = "git -c user.name=dev -c user.email=dev@example.com -c commit.gpgsign=false"
    _run(
        f"git init -q -b main . && git add evals transcripts && {git} commit -qm base && "
        "git update-ref refs/remotes/origin/main main",
        project,
    )
    eval_file = project / "evals" / "rate-limit.eval.yaml"
    changed = eval_file.read_text(encoding="utf-8").replace("Retry-After", "Retry-Before")
    eval_file.write_text(changed, encoding="utf-8")
    for step in _job("github-comment.yaml")["steps"]:
        _run(step.get("run", "true"), project, GITHUB_BASE_REF="main", NUMBER="7")
    comment = (project / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### ❌ ")
    assert "0 wins, 1 loss, 0 ties of 1 test" in comment
    assert (project / "gh.txt").read_text(encoding="utf-8").startswith("pr comment 7 --body-file")


def test_the_first_pull_request_with_evals_gets_no_comment(project: Path) -> None:
    git = "git -c user.name=dev -c user.email=dev@example.com -c commit.gpgsign=false"
    _run(
        f"git init -q -b main . && {git} commit -qm base --allow-empty && "
        "git update-ref refs/remotes/origin/main main",
        project,
    )
    for step in _job("github-comment.yaml")["steps"]:
        _run(step.get("run", "true"), project, GITHUB_BASE_REF="main", NUMBER="7")
    assert (project / "comment.md").read_text(encoding="utf-8") == ""
    assert not (project / "gh.txt").exists()


def test_the_job_of_gitlab(project: Path) -> None:
    job = yaml.safe_load(FILES["gitlab.yaml"])["evals"]
    for line in job["script"]:
        _run(line, project)
    kept = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((project / one).stat().st_size for one in kept)


def test_the_pipeline_of_jenkins(project: Path) -> None:
    text = FILES["Jenkinsfile"]
    assert text.count("{") == text.count("}")
    for line in re.findall(r"^ *sh '(.+)'$", text, re.MULTILINE):
        _run(line, project)
    kept = re.findall(r"(?:junit|artifacts:) '(\S+)'", text)
    assert kept == ["report.xml", "report.html"]
    assert all((project / one).stat().st_size for one in kept)
