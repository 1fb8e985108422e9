"""Sessions by what people call them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import recorded
from fake_adapters import SESSION, FakeAdapter

from pytest_agentv.errors import SessionError, SessionNotFound, SessionUnreadable
from pytest_agentv.registry import Registry
from pytest_agentv.sources import (
    paths_named,
    sessions_in,
    sessions_named,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def registry() -> Callable[[], Registry]:
    found = Registry()
    found.add_adapter(FakeAdapter(), plugin="test")
    return lambda: found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files of transcripts and other things."""
    for name in ("b.jsonl", "a.jsonl", "deep/c.jsonl", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(_line(recorded(name, session_id=name)), encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd.jsonl").mkdir()
    return tmp_path


def _line(session: dict[str, Any]) -> str:
    return json.dumps(session, separators=(",", ":")) + "\n"


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("a.jsonl", ["a.jsonl"]),
        ("notes.txt", ["notes.txt"]),
        (".", ["a.jsonl", "b.jsonl", "deep/c.jsonl"]),
        ("deep", ["deep/c.jsonl"]),
        ("[ab].jsonl", ["a.jsonl", "b.jsonl"]),
        ("**/*.jsonl", ["a.jsonl", "b.jsonl", "deep/c.jsonl"]),
        ("d*", ["deep/c.jsonl"]),
    ],
)
def test_a_name_stands_for_files_in_sorted_order(
    folder: Path, registry: Callable[[], Registry], what: str, names: list[str]
) -> None:
    found = paths_named(what, registry, folder=folder)
    assert [path.relative_to(folder).as_posix() for path in found] == names


def test_sub_agents_of_a_session_in_a_folder_are_no_sessions(
    folder: Path, registry: Callable[[], Registry]
) -> None:
    for name in ("a/subagents/agent-1.jsonl", "a/subagents/deep/agent-2.jsonl"):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(_line(recorded(name, session_id=name)), encoding="utf-8")
    found = paths_named(".", registry, folder=folder)
    assert [path.name for path in found] == ["a.jsonl", "b.jsonl", "c.jsonl"]
    # Without their session they are what there is, and so is one that somebody names.
    assert len(paths_named("a", registry, folder=folder)) == 2
    assert len(paths_named("a/subagents/agent-1.jsonl", registry, folder=folder)) == 1


def test_a_name_may_be_seen_from_a_folder_that_is_relative(
    folder: Path, registry: Callable[[], Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert paths_named("deep", registry, folder=Path()) == [Path("deep/c.jsonl")]


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes, and links are for few")
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_is_called_like_a_session_and_is_none_is_not_left_out(
    folder: Path, registry: Callable[[], Registry], kind: str
) -> None:
    path = folder / "deep" / "lost.jsonl"
    path.symlink_to("nowhere") if kind == "link" else os.mkfifo(path)
    with pytest.raises(SessionError, match=r"lost\.jsonl: (no such file|is a named pipe)"):
        list(sessions_named(".", registry, folder=folder))


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may enter every folder"
)
def test_a_folder_that_may_not_be_entered_is_not_left_out(
    folder: Path, registry: Callable[[], Registry]
) -> None:
    (folder / "deep").chmod(0)
    try:
        with pytest.raises(SessionUnreadable, match="deep: cannot be read"):
            paths_named(".", registry, folder=folder)
    finally:
        (folder / "deep").chmod(0o700)


@pytest.mark.parametrize("what", ["nothing.jsonl", "*.csv", "empty", "fake:latest", "other:x"])
def test_a_name_of_nothing_is_an_error(
    folder: Path, registry: Callable[[], Registry], what: str
) -> None:
    with pytest.raises(SessionNotFound):
        paths_named(what, registry, folder=folder)


def test_an_absolute_name_does_not_depend_on_the_folder(
    folder: Path, registry: Callable[[], Registry]
) -> None:
    for what in (str(folder / "a.jsonl"), str(folder / "a.*")):
        assert paths_named(what, registry, folder=folder / "deep") == [folder / "a.jsonl"]


def test_a_file_of_transcripts_holds_sessions_by_line(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    path = tmp_path / "t.jsonl"
    lines = [recorded("A", session_id="1"), recorded("B", test_id="b", provider="codex-cli")]
    path.write_text("\n".join(map(_line, lines)), encoding="utf-8")
    first, second = sessions_in(path, registry)
    assert (first.provider, first.session_id, first.test_id) == ("claude-cli", "1", None)
    assert (second.provider, second.test_id) == ("codex-cli", "b")
    assert first.load().final_answer == "A"
    assert second.load().final_answer == "B"


def test_a_line_of_a_file_of_transcripts_is_one_session(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(_line(recorded(one)) for one in "ABC"), encoding="utf-8")
    (session,) = sessions_named("t.jsonl:2", registry, folder=tmp_path)
    assert (session.load().final_answer, session.at.line) == ("B", 2)
    for line in ("0", "4", "999999999"):
        with pytest.raises(SessionNotFound, match=f"t.jsonl: has no session on line {line}$"):
            list(sessions_named(f"t.jsonl:{line}", registry, folder=tmp_path))
    for other in ("t.jsonl:", "t.jsonl:x", "t.jsonl:²", "u.jsonl:1", ":1", "t.jsonl:-1"):
        with pytest.raises(SessionNotFound, match="no such file, folder, glob or session"):
            list(sessions_named(other, registry, folder=tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="no colons in names there")
def test_a_file_whose_name_ends_like_a_line_is_that_file(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    for name, answer in (("t.jsonl", "A"), ("t.jsonl:1", "B")):
        (tmp_path / name).write_text(_line(recorded(answer)), encoding="utf-8")
    (session,) = sessions_named("t.jsonl:1", registry, folder=tmp_path)
    assert session.load().final_answer == "B"


def test_a_file_of_a_vendor_is_one_session(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    path = tmp_path / "some-id.log"
    path.write_bytes(SESSION)
    (session,) = sessions_in(path, registry)
    assert (session.provider, session.session_id) == ("fake-cli", "some-id")
    assert session.load().final_answer == "a.txt is there"


def test_a_file_of_nobody_is_an_error(tmp_path: Path, registry: Callable[[], Registry]) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"hello")
    with pytest.raises(SessionUnreadable, match="is no session that an adapter knows"):
        list(sessions_in(path, registry))


def test_a_fifo_does_not_hang(tmp_path: Path, registry: Callable[[], Registry]) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(SessionUnreadable):
        list(sessions_in(tmp_path / "pipe.jsonl", registry))
