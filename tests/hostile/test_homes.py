"""Homes of clients full of what is no session: found sessions are listed, the rest is passed by."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import codex_sessions
import copilot_sessions
import pytest
from hostile_sessions import agentv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")

_ID = "5e550000-0000-4000-8000-00000000000{}"


def _codex(home: Path) -> Callable[[int], Path]:
    session = codex_sessions.Session()
    session.ask("Build the shop")
    folder = home / "sessions" / "2026" / "03" / "05"
    session.write_in(folder)
    return lambda number: folder / f"rollout-2026-03-05T12-00-00-{_ID.format(number)}.jsonl"


def _copilot(home: Path) -> Callable[[int], Path]:
    copilot_sessions.plain(prompt="Build the shop").write_in(home)

    def place(number: int) -> Path:
        folder = home / "session-state" / _ID.format(number)
        folder.mkdir()
        return folder / "events.jsonl"

    return place


def _litter(place: Callable[[int], Path]) -> None:
    """Where sessions should be, every kind of file that is none."""
    os.mkfifo(place(1))
    place(2).mkdir()
    link = place(3)
    link.symlink_to(link.name)
    place(4).symlink_to("/dev/zero")
    place(5).write_bytes(b"")
    place(6).write_bytes(b"\0" * 100_000)
    place(7).write_bytes(b"{" * 100_000)
    with place(8).open("wb") as file:
        file.truncate(1 << 28)


_VENDORS = {"codex": (_codex, "CODEX_HOME"), "copilot": (_copilot, "COPILOT_HOME")}


@pytest.mark.parametrize("vendor", _VENDORS)
@pytest.mark.parametrize("project", [(), ("--project-path", "/home/dev/shop")], ids=["all", "one"])
def test_a_home_full_of_litter_lists_its_session(
    tmp_path: Path, vendor: str, project: tuple[str, ...]
) -> None:
    make, variable = _VENDORS[vendor]
    home = tmp_path / "home"
    _litter(make(home))
    ended = agentv(
        "import", vendor, "--list", *project, cwd=tmp_path, environment={variable: str(home)}
    )
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert "Build the shop" in ended.out
    assert ended.memory < 500 << 20


@pytest.mark.parametrize("kind", ["fifo", "directory", "loop", "device", "huge", "empty"])
def test_a_database_that_is_none_is_done_without(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    _codex(home)
    database = home / "state_5.sqlite"
    if kind == "fifo":
        os.mkfifo(database)
    elif kind == "directory":
        database.mkdir()
    elif kind == "loop":
        database.symlink_to(database.name)
    elif kind == "device":
        database.symlink_to("/dev/zero")
    else:
        with database.open("wb") as file:
            file.write(b"SQLite format 3\0" if kind == "huge" else b"")
            file.truncate((1 << 31) if kind == "huge" else 0)
    before = database.lstat()
    ended = agentv(
        "import", "codex", "--list", "--project-path", "/home/dev/shop",
        cwd=tmp_path, environment={"CODEX_HOME": str(home)},
    )  # fmt: skip
    assert (ended.code, ended.err) == (0, "")
    assert "Build the shop" in ended.out
    assert database.lstat().st_mtime_ns == before.st_mtime_ns
    assert sorted(path.name for path in home.iterdir()) == ["sessions", "state_5.sqlite"]
