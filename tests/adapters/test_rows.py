"""Files of many sessions, one on each line: each is read by itself, and says what is its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.records import RecordFile
from pytest_agentv.errors import SessionNotFound
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.base import Adapter

HALF = r"half \ud800"
EVENT = {"source": "user", "action": "message", "timestamp": "2026-01-01T00:00:00"}


def _chat(number: int, text: str) -> str:
    return json.dumps({"id": f"s{number}", "messages": [{"role": "user", "content": text}]})


def _events(number: int, text: str) -> str:
    event = {**EVENT, "id": 0, "args": {"content": text}, "message": text}
    return json.dumps({"instance_id": f"s{number}", "history": [event]})


def _trajectory(number: int, text: str) -> str:
    step = {"step_id": 1, "source": "user", "message": text}
    agent = {"name": "acme", "version": "1"}
    about = {"schema_version": "ATIF-v1.5", "session_id": f"s{number}", "agent": agent}
    return json.dumps({**about, "steps": [step]})


ROWS = {"openai": _chat, "openhands": _events, "atif": _trajectory}


@pytest.fixture(params=ROWS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _file(path: Path, name: str, *texts: str) -> Path:
    rows = [ROWS[name](number, "TEXT").replace("TEXT", text) for number, text in enumerate(texts)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def _read(adapter: Adapter, path: Path) -> list[Transcript]:
    return [load(adapter.read(ref, ReadOptions())) for ref in refs_of(adapter, path)]


def test_a_session_counts_what_was_repaired_in_its_own_line(name: str, tmp_path: Path) -> None:
    path = _file(tmp_path / "rows.jsonl", name, "a", HALF, "b", HALF)
    found = _read(registry().adapter(name), path)
    assert [one.drift for one in found] == [{}, {"text repaired": 1}, {}, {"text repaired": 1}]
    assert [one.input for one in found] == ["a", "half \ufffd", "b", "half \ufffd"]


def test_a_line_that_is_no_session_is_counted_once(name: str, tmp_path: Path) -> None:
    path = _file(tmp_path / "rows.jsonl", name, "a", "b", "c")
    path.write_bytes(path.read_bytes() + b'{"torn": [1,\n{"torn')
    found = _read(registry().adapter(name), path)
    assert [one.drift for one in found] == [
        {"unreadable line": 1, "unfinished last line": 1},
        {},
        {},
    ]


def test_the_only_session_of_a_file_counts_what_follows_it(name: str, tmp_path: Path) -> None:
    path = _file(tmp_path / "rows.jsonl", name, "a")
    path.write_bytes(path.read_bytes() + b'{"torn": [1,\n')
    (found,) = _read(registry().adapter(name), path)
    assert found.drift == {"unreadable line": 1}


def test_all_lines_are_looked_at_once_whoever_reads_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[Path] = []
    whole = RecordFile.records

    def counted(self: RecordFile) -> object:  # type: ignore[type-arg]
        passes.append(self.path)
        return whole(self)

    path = _file(tmp_path / "rows.jsonl", name, *"abcdefgh")
    refs = refs_of(registry().adapter(name), path)
    another = _file(tmp_path / "another.jsonl", name, "z", "y")
    refs_of(registry().adapter(name), another)
    monkeypatch.setattr(RecordFile, "records", counted)
    # As in a process that did not list the file.
    found = [load(registry().adapter(name).read(ref, ReadOptions())) for ref in refs]
    assert [one.input for one in found] == [*"abcdefgh"]
    assert passes == [path]


def test_a_file_that_is_gone_is_no_session(name: str, tmp_path: Path) -> None:
    adapter = registry().adapter(name)
    path = _file(tmp_path / "rows.jsonl", name, "a", "b")
    _, second = refs_of(adapter, path)
    path.unlink()
    with pytest.raises(SessionNotFound):
        adapter.read(second, ReadOptions())
    with pytest.raises(SessionNotFound):
        refs_of(adapter, path)


def test_a_row_of_a_file_that_grew_is_still_found(name: str, tmp_path: Path) -> None:
    adapter = registry().adapter(name)
    path = _file(tmp_path / "rows.jsonl", name, "a", "b")
    first, second = refs_of(adapter, path)
    _file(path, name, "a", "b", "c")
    assert load(adapter.read(second, ReadOptions())).input == "b"
    assert load(adapter.read(first, ReadOptions())).input == "a"
