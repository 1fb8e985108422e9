"""Running the command ``agentv``, in this process or as users do, and a user who has sessions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from claude_sessions import Session, text

from pytest_agentv.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What would lead to sessions, settings or an index of somebody else's.
_FOREIGN = (
    "CLAUDE_CONFIG_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA",
    "LOCALAPPDATA", "AGENTV_CONFIG", "AGENTV_INDEX_PATH", "FORCE_COLOR", "COLUMNS",
)  # fmt: skip
_FIRST_MODIFIED = 1_774_000_000  # 2026-03-20T09:46:40Z

# What must not reach a terminal out of a session: all controls but the newline, and bidi marks.
UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Outcome:
    """What the command printed, and how it ended."""

    code: int
    out: str
    err: str


class InProcess:
    """The command in this process: fast, with the same entry function as the real one."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Outcome:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([str(one) for one in arguments])
        out, err = self._capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return Outcome(exit_.value.code, out, err)


def run_agentv(*arguments: str | Path, cwd: Path, **environment: str | None) -> Outcome:
    """The command in a process of its own; a variable that is None is taken away."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest_agentv", *map(str, arguments)],
        cwd=cwd,
        env=environ(environment),
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def environ(changes: Mapping[str, str | None]) -> dict[str, str]:
    """This process' environment with changes."""
    merged: dict[str, str | None] = {**os.environ, **changes}
    return {name: value for name, value in merged.items() if value is not None}


def full_id(beginning: str) -> str:
    """A session id with a beginning of eight characters or more."""
    return beginning + "00000000-0000-4000-8000-000000000000"[len(beginning) :]


class ClaudeHome:
    """The home of somebody who uses Claude Code; each new session is a minute newer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.projects = path / ".claude" / "projects"
        self._modified = _FIRST_MODIFIED

    def session(
        self,
        beginning: str,
        prompt: str | None = "Fix the login page",
        *,
        cwd: str | Path = "/home/dev/shop",
        folder: str | None = None,
        modified: float | None = None,
        size: int | None = None,
    ) -> Path:
        """A session of one prompt, two calls and one answer; blanks fill it up to ``size``."""
        session = Session(full_id(beginning), cwd=str(cwd))
        if prompt is not None:
            session.prompt(prompt)
        session.call("toolu_1", "Bash", {"command": "make test"}, "all good")
        session.call("toolu_2", "Read", {"file_path": "/home/dev/notes.txt"}, "nothing")
        session.response("msg_1", text("Done."))
        return self.add(session, folder=folder, modified=modified, size=size)

    def add(
        self,
        session: Session,
        *,
        folder: str | None = None,
        modified: float | None = None,
        size: int | None = None,
    ) -> Path:
        """A session that was made elsewhere."""
        name = folder or re.sub("[^A-Za-z0-9]", "-", session.cwd)
        path = session.write_in(self.projects / name)
        if size is not None:
            with path.open("ab") as file:
                file.write(b" " * (size - path.stat().st_size))
        self._modified += 60
        when = self._modified if modified is None else modified
        os.utime(path, (when, when))
        return path


def new_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    """A user without any session yet, at work in ``folder / "work"``.

    Nothing in the environment says where to look but their home.
    """
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in _FOREIGN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(work)
    return ClaudeHome(home)


def transcript_of(path: Path) -> dict[str, Any]:
    """The one transcript of a file, as plain JSON."""
    (line,) = path.read_text(encoding="utf-8").splitlines()
    value: dict[str, Any] = json.loads(line)
    return value


def entries_of(printed: Outcome) -> list[tuple[str, str]]:
    """Role and text of each entry that was printed as JSON, and nothing else was."""
    assert (printed.code, printed.err) == (0, "")
    return [(one["role"], one["text"]) for one in map(json.loads, printed.out.splitlines())]
