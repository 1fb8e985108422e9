"""Sessions of every client in one search, by the real command and real pipes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from adapter_fixtures import fixtures, places
from agentv_command import environ, new_home, run_agentv

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome

_AGENTV = f"{shlex.quote(sys.executable)} -m pytest_agentv"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    return new_home(tmp_path, monkeypatch)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Where somebody works; some clients keep their sessions there."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def _piped(script: str, *, cwd: Path) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", script.replace("agentv ", f"{_AGENTV} ")],
        cwd=cwd,
        env=environ({}),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.skipif(os.name != "posix", reason="pipes of a POSIX shell")
def test_one_search_finds_the_sessions_of_every_client(
    home: ClaudeHome, project: Path, tmp_path: Path
) -> None:
    expected = set()
    for name, place in places():
        if place.get("env"):
            continue
        (fixture,) = (one for one in fixtures(name) if one.path.name == place["fixture"])
        made, target = fixture.made(tmp_path), home.path / place["place"]
        target.parent.mkdir(parents=True, exist_ok=True)
        if made.is_dir():
            shutil.copytree(made, target, dirs_exist_ok=True)
        else:
            shutil.copy(made, target)
        expected |= {(name, one) for one in place["ids"]}
    home.session("3f1c9a52")
    expected.add(("claude", "3f1c9a52-0000-4000-8000-000000000000"))
    assert len({name for name, _ in expected}) > 10

    update = json.loads(run_agentv("index", "update", "--json", cwd=project).out)
    assert update["unreadable"] == 0
    assert update["added"] >= len(expected)
    every = ["search", "agent:*", "--limit", "1000", "--no-update"]
    hits = json.loads(run_agentv(*every, "--json", cwd=project).out)["hits"]
    assert {name for name, _ in expected} == {hit["agent"] for hit in hits}
    assert len(hits) == update["added"]

    # Every name that is printed is one that other commands take.
    script = f"agentv {shlex.join(every)} --names | agentv export - -f openai -o out.jsonl"
    _piped(script, cwd=project)
    lines = (project / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(hits)


@pytest.mark.skipif(os.name != "posix", reason="pipes of a POSIX shell")
def test_what_is_found_goes_through_real_pipes(home: ClaudeHome, project: Path) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Fix the login form", folder="with blanks and 'quotes'")

    shown = _piped("agentv search login --names | agentv read - --roles user", cwd=project)
    assert "Fix the login page" in shown
    assert "Fix the login form" in shown
    _piped("agentv search login --names | agentv draft - -o login.eval.yaml", cwd=project)
    assert "Fix the login form" in (project / "login.eval.yaml").read_text(encoding="utf-8")
