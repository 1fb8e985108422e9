"""Reading a whole session in bulk gives what reading it line by line gives."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest

from pytest_agentv.adapters import bulk as bulk_module
from pytest_agentv.adapters.bulk import BulkFile
from pytest_agentv.adapters.codex.frequent import (
    EventRecord,
    FrequentEvent,
    FrequentItem,
    FrequentRecord,
)
from pytest_agentv.adapters.codex.records import Record
from pytest_agentv.adapters.codex.session import CodexSession
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.transcript.writing import write_stream

if TYPE_CHECKING:
    from collections.abc import Iterable

_SESSIONS = Path(__file__).parents[2] / "data" / "codex"
_HEAD = b'{"type":"session_meta","payload":{"id":"a-thread"}}\n'
_LONG = 600_000


def _transcript(path: Path) -> bytes:
    written = BytesIO()
    write_stream(written, CodexSession(path))
    return written.getvalue()


def _answer(text: str) -> bytes:
    payload = {"type": "agent_message", "message": text}
    return msgspec.json.encode({"type": "event_msg", "payload": payload}) + b"\n"


def _numbered(bulk: BulkFile[Record]) -> list[tuple[int, Any]]:
    return [one for run in bulk.runs() for one in enumerate(run.records, run.first)]


_SHORT_LINES = [_answer(f"{number}" * 20) for number in range(10)]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"".join(_SHORT_LINES), id="short lines"),
        pytest.param(b"".join(_SHORT_LINES).rstrip(b"\n"), id="no end of the last line"),
        pytest.param(b"".join(_SHORT_LINES)[:-20], id="torn last line"),
        pytest.param(b"\n\r\n{}\nnull\n{" + b"".join(_SHORT_LINES), id="lines that are no records"),
        pytest.param(_SHORT_LINES[0].rstrip(b"\n") + _SHORT_LINES[1], id="two records on a line"),
        pytest.param(_SHORT_LINES[0] + _answer("x" * _LONG) + _SHORT_LINES[1], id="a long line"),
        pytest.param(_answer("x" * 3 * _LONG)[:-30], id="a long torn line"),
        pytest.param(b"".join(_answer("y" * 1000) for _ in range(1400)), id="several portions"),
        pytest.param(b"[" * (5 << 20) + b"\n" + _SHORT_LINES[0], id="an oversize line"),
        pytest.param(b"\xef\xbb\xbf" + b"".join(_SHORT_LINES), id="a byte order mark"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_records_and_lines_are_those_of_reading_line_by_line(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    drift, drift_in_bulk = Drift(), Drift()
    with RecordFile(path, Record, drift) as file:
        expected = [(place[2], record) for place, record in file.records()]
    with BulkFile(path, Record, drift_in_bulk, file=path.open("rb")) as bulk:
        assert _numbered(bulk) == expected
    assert drift_in_bulk.counts == drift.counts
    assert drift_in_bulk.first_line == drift.first_line


def test_a_record_of_a_frequent_kind_is_told_as_such_once_that_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    rare = b'{"type":"event_msg","payload":{"type":"shutdown_complete"}}\n'
    strange = b'{"type":"event_msg","payload":{"type":"agent_message","message":5}}\n'
    path.write_bytes(_SHORT_LINES[0] + rare + strange)
    drift = Drift()
    with BulkFile(path, Record, drift, file=path.open("rb")) as bulk:
        bulk.expect(FrequentRecord)
        kinds = [(line, type(record)) for line, record in _numbered(bulk)]
    assert kinds == [(1, EventRecord), (2, Record), (3, Record)]
    assert drift.counts == {"unusable field 'payload.message'": 1}


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(b"".join(_SHORT_LINES), range(1, 11), id="a record on each line"),
        pytest.param(_SHORT_LINES[0] + b"\r\n" + _SHORT_LINES[1], [1, 3], id="an empty line"),
        pytest.param(
            _SHORT_LINES[0] + _SHORT_LINES[1].rstrip(b"\n") + b"".join(_SHORT_LINES[2:4]),
            [1, 2, 2, 3],
            id="two records on a line",
        ),
        pytest.param(
            _SHORT_LINES[0].rstrip(b"\n") + _SHORT_LINES[1] + b"\n" + _SHORT_LINES[2],
            [1, 1, 3],
            id="two records on a line, and an empty line",
        ),
        pytest.param(
            _SHORT_LINES[0] + _answer("x" * _LONG) + _SHORT_LINES[1], [1, 2, 3], id="a long line"
        ),
        pytest.param(
            b"".join(_answer("y" * 1000) for _ in range(1400)),
            range(1, 1401),
            id="several portions",
        ),
    ],
)
def test_frequent_records_have_the_lines_they_stand_on(
    tmp_path: Path, content: bytes, lines: Iterable[int]
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    with BulkFile(path, Record, Drift(), file=path.open("rb")) as bulk:
        bulk.expect(FrequentRecord)
        runs = list(bulk.runs())
    assert [run.first + index for run in runs for index in range(len(run.records))] == list(lines)
    ends_and_empty_lines = len(b"\r\n")
    assert 0 <= len(content) - sum(sum(run.sizes) for run in runs) <= ends_and_empty_lines


@pytest.mark.parametrize("path", sorted(_SESSIONS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_session_is_the_same_whether_frequent_kinds_are_expected(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_module, "_PORTION", 200)  # blocks of a line or two
    in_blocks = _transcript(path)
    monkeypatch.setattr(BulkFile, "expect", lambda *_: None)
    assert _transcript(path) == in_blocks


_WELL = r"Exit code: 0\nWall time: 1.5 seconds\nOutput:\n"
_OUTPUTS = {
    "a text": rb'"plain"',
    "ended well": f'"{_WELL}done"'.encode(),
    "ended well, in chunks": (
        rb'"Chunk ID: 5f\nWall time: 0.25 seconds\nProcess exited with code 0\n'
        rb'Original token count: 3\nOutput:\ndone"'
    ),
    "no output": f'"{_WELL}"'.encode(),
    "ended badly": rb'"Exit code: 2\nWall time: 1.5 seconds\nOutput:\nno"',
    "ended badly, in chunks": (
        rb'"Chunk ID: 5f\nWall time: 0.25 seconds\nProcess exited with code -9\n'
        rb'Total output lines: 3\nOutput:\nno"'
    ),
    "ended badly, other characters": '"Exit code: 1\\nWall time: 1 seconds\\nOutput:\\né"'.encode(),
    "ended badly, no characters": rb'"Exit code: 1\nWall time: 1 seconds\nOutput:\n' + b'\xff"',
    "no code": rb'"Exit code: -0\nWall time: 1 seconds\nOutput:\nyes"',
    "timed out": (
        rb'"Exit code: 124\nWall time: 1 seconds\nOutput:\ncommand timed out after 1000 ms"'
    ),
    "ended as if timed out": rb'"Exit code: 124\nWall time: 1 seconds\nOutput:\nno"',
    "goes on": (
        rb'"Chunk ID: 5f\nWall time: 10.0 seconds\nProcess running with session ID 71\n'
        rb'Original token count: 3\nOutput:\nwaiting"'
    ),
    "goes on, other characters": (
        '"Wall time: 1 seconds\\nProcess running with session ID é\\nOutput:\\n"'.encode()
    ),
    "goes on and ended": (
        rb'"Chunk ID: 5f\nWall time: 1 seconds\nProcess exited with code 1\n'
        rb'Process running with session ID 71\nOutput:\n"'
    ),
    "no time": rb'"Exit code: 0\nWall time: 1.2.3 seconds\nOutput:\nno"',
    "quotes in the header": rb'"Chunk ID: \"\nWall time: 1 seconds\nProcess exited with code 0\n"',
    "escapes of others": f'"{_WELL}'.encode() + rb'\u0068\u00e9\/ \ud83d\ude00 \u001b[0m"',
    "other characters": f'"{_WELL}héllo 🎈"'.encode(),
    "half a character": f'"{_WELL}'.encode() + rb'\ud83d"',
    "no characters": f'"{_WELL}'.encode() + b'\xff\xfe"',
    "a number": b"5",
    "null": b"null",
    "parts": b'[{"type":"input_text","text":"one"},{"type":"input_text","text":"two"}]',
    "parts of another type": b'[{"type":"input_text","text":1},7]',
    "a part": b'{"type":"input_text","text":"one"}',
}


@pytest.mark.parametrize("output", _OUTPUTS.values(), ids=_OUTPUTS.keys())
@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("tool", ["shell", "spawn_agent", "write_stdin"])
def test_an_output_is_the_same_whether_it_is_decoded_or_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: bytes, tool: str, *, is_late: bool
) -> None:
    item = b'{"timestamp":"2026-03-02T10:00:01.000Z","type":"response_item","payload":{%b}}\n'
    call = (
        item % b'"type":"function_call","name":"%b","arguments":"{}","call_id":"c"' % tool.encode()
    )
    answer = item % b'"type":"function_call_output","call_id":"c","output":%b' % output
    said = b'"type":"message","role":"user","content":[{"type":"input_text","text":"%b"}]'
    between = item % (said % (b"y" * 2 * _LONG)) * 3 if is_late else b""
    path = tmp_path / "session.jsonl"
    path.write_bytes(_HEAD + _answer("y" * _LONG) + call + between + answer + answer)

    left = CodexSession(path)
    left_messages = list(left.messages())
    monkeypatch.setattr(BulkFile, "expect", lambda *_: None)
    looked_at = CodexSession(path)

    assert left_messages == list(looked_at.messages())
    assert left.tail == looked_at.tail


@pytest.mark.parametrize(
    ("wrapper", "kind"),
    [("response_item", kind) for kind in get_args(FrequentItem)]
    + [("event_msg", kind) for kind in get_args(FrequentEvent)],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_every_frequent_kind_is_understood(tmp_path: Path, wrapper: str, kind: type) -> None:
    path = tmp_path / "session.jsonl"
    record = {"type": wrapper, "payload": {"type": kind.__struct_config__.tag}}  # type: ignore[attr-defined]
    # Records of frequent kinds come as such from the second block on.
    lines = _HEAD + _answer("y" * _LONG) + msgspec.json.encode(record) + b"\n"
    path.write_bytes(lines + _SHORT_LINES[0])
    session = CodexSession(path)
    assert list(session.messages())[-1].content.endswith("0" * 20)
    assert not [reason for reason in session.tail.drift if "type" in reason]
