"""Sessions by what people call them, and transcripts that are read once."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import recorded
from fake_adapters import SESSION, FakeAdapter

from pytest_agentv.errors import SessionNotFound, SessionUnreadable
from pytest_agentv.registry import Registry
from pytest_agentv.sources import Transcripts, paths_named, sessions_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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


class _Counted:
    """Loads of a session, counted."""

    def __init__(self, tmp_path: Path, registry: Callable[[], Registry], **fields: Any) -> None:
        path = tmp_path / "t.jsonl"
        path.write_text(_line(recorded(**fields)), encoding="utf-8")
        (session,) = sessions_in(path, registry)
        self.loads = 0
        self._load = session.load
        self.session = dataclasses.replace(session, load=self.load)

    def load(self) -> Any:
        self.loads += 1
        return self._load()


def test_a_transcript_is_read_once_and_let_go_when_all_are_done(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    counted = _Counted(tmp_path, registry)
    transcripts = Transcripts()
    for _ in range(2):
        transcripts.expect(counted.session)
    first = transcripts.get(counted.session)
    transcripts.done(counted.session)
    assert transcripts.get(counted.session) is first
    assert counted.loads == 1
    transcripts.done(counted.session)
    transcripts.get(counted.session)
    assert counted.loads == 2


def test_few_transcripts_are_held_though_nobody_said_that_they_are_needed(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    transcripts = Transcripts()
    sessions = [_Counted(tmp_path, registry) for _ in range(10)]
    for one in sessions:
        transcripts.get(one.session)
    for one in reversed(sessions):
        transcripts.get(one.session)
    assert [one.loads for one in sessions][-2:] == [1, 1]
    assert sessions[0].loads == 2


@pytest.mark.parametrize(("shared", "loads"), [(False, 1), (True, 2)])
def test_what_is_expected_is_held_unless_others_share_the_work(
    tmp_path: Path, registry: Callable[[], Registry], *, shared: bool, loads: int
) -> None:
    transcripts = Transcripts(shared=shared)
    sessions = [_Counted(tmp_path, registry) for _ in range(10)]
    for one in sessions:
        transcripts.expect(one.session)
    for one in [*sessions, sessions[0]]:
        transcripts.get(one.session)
    assert sessions[0].loads == loads


def test_what_cannot_be_read_is_not_tried_again(
    tmp_path: Path, registry: Callable[[], Registry]
) -> None:
    counted = _Counted(tmp_path, registry)
    (tmp_path / "t.jsonl").unlink()
    transcripts = Transcripts()
    for _ in range(2):
        with pytest.raises(SessionNotFound):
            transcripts.get(counted.session)
    assert counted.loads == 1


def test_drift_is_an_error_only_if_strict(tmp_path: Path, registry: Callable[[], Registry]) -> None:
    counted = _Counted(tmp_path, registry, drift={"record type 'x'": 3})
    assert Transcripts().get(counted.session).drift == {"record type 'x'": 3}
    with pytest.raises(SessionUnreadable, match=r"not all of it is understood: .*'x'"):
        Transcripts(strict=True).get(counted.session)
