"""A session is drafted while it is read, in memory or in a file; what comes out never shows it."""

from __future__ import annotations

import errno
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from generate_claude import generate
from hypothesis import HealthCheck, given, settings, strategies

from pytest_agentv import SessionError, load, write_stream
from pytest_agentv.adapters import drafts
from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.adapters.claude import draft, session
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

DATA = Path(__file__).parents[2] / "data" / "claude"
_CORPUS = os.environ.get("AGENTV_CORPUS")
SESSIONS = [
    *sorted(DATA.glob("*.jsonl")),
    *(sorted((Path(_CORPUS) / "claude").glob("*.jsonl")) if _CORPUS else []),
]


class FullDisk(io.RawIOBase):
    """A file on a disk that has no space left."""

    def write(self, _: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_folder() -> None:
    raise FileNotFoundError


def stream(path: Path) -> Any:
    return ClaudeAdapter().read(SessionRef(path.stem, path), ReadOptions())


def written(path: Path) -> bytes:
    file = io.BytesIO()
    write_stream(file, stream(path))
    return file.getvalue()


@pytest.fixture
def in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of tests are small: let the first portion of a draft be too much for memory."""
    monkeypatch.setattr(draft, "_IN_MEMORY", 0)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    generate(tmp_path / "session.jsonl", megabytes=3, seed=7)
    return tmp_path / "session.jsonl"


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_gives_the_same_bytes_without_a_draft(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    drafted = written(path)

    monkeypatch.setattr(draft, "_IN_MEMORY", 0)
    monkeypatch.setattr(drafts, "unnamed_file", no_folder)

    assert written(path) == drafted


def test_a_draft_in_a_file_is_the_same_as_one_in_memory(
    monkeypatch: pytest.MonkeyPatch, large: Path
) -> None:
    expected = written(large), load(stream(large))

    monkeypatch.setattr(draft, "_IN_MEMORY", 1 << 20)

    assert (written(large), load(stream(large))) == expected


@pytest.mark.usefixtures("in_a_file")
def test_a_full_disk_spoils_the_draft_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, large: Path
) -> None:
    expected = written(large)

    monkeypatch.setattr(drafts, "unnamed_file", FullDisk)

    assert written(large) == expected


def no_second_pass() -> None:
    raise AssertionError


@pytest.mark.parametrize("name", ["rewind", "resumed", "compaction", "queue-since-2.1.94"])
def test_a_session_that_was_rewound_or_resumed_is_read_once(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(session, "Thread", no_second_pass)

    assert load(stream(DATA / f"{name}.jsonl")).output


_RESULTS = {
    "a text": b'"plain"',
    "no text": b'""',
    "escapes of others": rb'"\u0068\u00e9\/ \ud83d\ude00 \u001b[0m"',
    "other characters": '"héllo 🎈"'.encode(),
    "half a character": rb'"\ud83d"',
    "no characters": b'"\xff\xfe"',
    "a character torn apart": b'"\xc3 \xa9"',
    "in the background": b'"Command running in background with ID: b1. Output is elsewhere."',
    "exit code": rb'"Exit code 2\nno"',
    "a number": b"5",
    "a number that is none": b"[1e999]",
    "null": b"null",
    "an object": b'{"text":"one"}',
    "blocks": b'[{"type":"text","text":"one"},{"type":"text","text":"two"}]',
    "an image": b'[{"type":"image","source":{"type":"base64","data":"aGk="}}]',
    "nested deep": b"[" * 900 + b"]" * 900,
    "nested too deep": b"[" * 3000 + b"]" * 3000,
}


@pytest.mark.parametrize("content", _RESULTS.values(), ids=_RESULTS.keys())
@pytest.mark.parametrize("is_error", [b"false", b"true"])
@pytest.mark.parametrize("tool", [b"Bash", b"Read"])
def test_a_result_is_the_same_whether_it_is_decoded_or_left_as_it_is(
    tmp_path: Path, content: bytes, is_error: bytes, tool: bytes
) -> None:
    record = (
        b'{"type":"%b","uuid":"%b","sessionId":"s","timestamp":"2026-03-02T10:00:0%b.000Z",'
        b'"message":{"content":[%b]}}\n'
    )
    call = b'{"type":"tool_use","id":"c","name":"%b","input":{"command":"ls"}}' % tool
    result = b'{"type":"tool_result","tool_use_id":"c","is_error":%b,"content":%b}'
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        record % (b"assistant", b"u1", b"1", call)
        + record % (b"user", b"u2", b"2", result % (is_error, content))
    )
    left = stream(path)
    read = ClaudeAdapter().read(SessionRef("s", path), ReadOptions(include_subagents=True))

    assert list(left.messages()) == list(read.messages())
    assert left.tail == read.tail


def on_another_branch(line: bytes, other: bytes) -> bytes:
    """A record with an id of its own that answers what another one does."""
    try:
        record, parent = json.loads(line), json.loads(other).get("parentUuid")
    except ValueError:
        return line
    return json.dumps(record | {"parentUuid": parent, "uuid": f"{len(line)}"}).encode()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=strategies.data())
def test_whatever_comes_late_or_twice_or_never_the_bytes_are_the_same(data: Any) -> None:
    path = data.draw(strategies.sampled_from(sorted(DATA.glob("*.jsonl"))))
    lines = path.read_bytes().split(b"\n")
    for _ in range(data.draw(strategies.integers(1, 4))):
        place = strategies.integers(0, len(lines) - 1)
        source, target = data.draw(place), data.draw(place)
        line = lines[source]
        if data.draw(strategies.booleans()):
            del lines[source]
        if data.draw(strategies.booleans()) or not lines:
            lines.insert(target, line)
        if data.draw(strategies.booleans()):
            lines.insert(target, on_another_branch(line, lines[target - 1]))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        changed = Path(folder) / path.name
        changed.write_bytes(b"\n".join(lines))
        try:
            drafted: bytes | None = written(changed)
        except SessionError:
            drafted = None
        patch.setattr(draft, "_IN_MEMORY", 0)
        patch.setattr(drafts, "unnamed_file", no_folder)
        try:
            assert written(changed) == drafted
        except SessionError:
            assert drafted is None
