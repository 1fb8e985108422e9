"""Records that are read by the hundred are those that are read one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from pytest_agentv import Drift
from pytest_agentv.adapters import bulk, records
from pytest_agentv.adapters.bulk import BulkFile
from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.adapters.records import RecordFile

if TYPE_CHECKING:
    from pathlib import Path


class Record(msgspec.Struct):
    a: int | None = None
    text: str | None = None


class WithText(msgspec.Struct):
    text: str
    a: int | None = None


# Good ones, odd ones, torn ones, several on a line, one on several.
LINES = [
    b'{"a": 1}',
    b'{"a": 2, "text": "long, so that a few do not fit into what is read at once"}',
    b'{"a": "one"}',
    b'{"a": 3}{"a": 4}',
    b'{"a": 5, "te',
    b'{"a":\n6}',
    b'{"text": "\xff"}',
    b'{"text": "\\ud800"}',
    b"[1]",
    b"null",
    b"",
    b" \t",
    b"\r",
    b"\x00\x00",
    b'{"a": 7}\r',
    '{"text": "\u2028 \u0085"}'.encode(),
]
FILES = strategies.lists(strategies.sampled_from(LINES), max_size=30)
STARTS = strategies.sampled_from([b"", b"\xef\xbb\xbf"])
ENDS = strategies.sampled_from([b"", b"\n", b"\n\n"])


def one_by_one(path: Path) -> tuple[list[Any], dict[str, int], dict[str, int]]:
    drift = Drift()
    with RecordFile(path, Record, drift) as file:
        return list(file.records()), drift.counts, drift.first_line


def by_the_hundred(path: Path) -> tuple[list[Any], dict[str, int], dict[str, int]]:
    drift = Drift()
    with BulkFile(path, Record, drift) as file:
        found = [one for run in file.runs() for one in zip(run.places, run.records, strict=False)]
    return found, drift.counts, drift.first_line


@pytest.fixture
def few_bytes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_PORTION", 64)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(STARTS, FILES, ENDS)
@pytest.mark.usefixtures("few_bytes_at_once")
def test_any_file_holds_the_same_records_at_the_same_places(
    tmp_path: Path, start: bytes, lines: list[bytes], end: bytes
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(start + b"\n".join(lines) + end)
    assert by_the_hundred(path) == one_by_one(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(STARTS, FILES, ENDS)
@pytest.mark.usefixtures("few_bytes_at_once")
def test_any_file_holds_the_same_records_on_the_same_lines_whatever_is_expected(
    tmp_path: Path, start: bytes, lines: list[bytes], end: bytes
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(start + b"\n".join(lines) + end)
    drift = Drift()
    with BulkFile(path, Record, drift, expected=WithText) as file:
        found = [
            (place[2], record.a, record.text)
            for run in file.runs()
            for place, record in zip(run.places, run.records, strict=False)
        ]
    expected, counts, first_line = one_by_one(path)
    assert found == [(place[2], record.a, record.text) for place, record in expected]
    assert (drift.counts, drift.first_line) == (counts, first_line)


def test_what_is_as_expected_comes_as_such_and_what_is_not_as_a_general_record(
    tmp_path: Path,
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b'{"text": "one"}\n{"a": 2}\n{"text": "three"}\n')
    with BulkFile(path, Record, Drift(), expected=WithText) as file:
        kinds = [type(record) for run in file.runs() for record in run.records]
    assert kinds == [WithText, Record, WithText]


@pytest.mark.usefixtures("few_bytes_at_once")
@pytest.mark.parametrize("last", [b"", b'\n{"a": 2}\n'])
def test_a_line_that_is_too_long_is_counted_and_what_follows_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: bytes
) -> None:
    for module in (bulk, records):
        monkeypatch.setattr(module, "MAX_LINE", 1000)
        monkeypatch.setattr(module, "ROOMY", 500)
    path = tmp_path / "session.jsonl"
    path.write_bytes(b'{"a": 1}\n{"text": "' + b"x" * 2500 + b'"}' + last)
    found, counts, first_line = by_the_hundred(path)
    assert (found, counts, first_line) == one_by_one(path)
    assert (counts, first_line) == ({"oversize record": 1}, {"oversize record": 2})
    assert [record.a for _, record in found] == ([1, 2] if last else [1])


def test_many_bad_lines_are_counted_and_what_follows_them_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"x\n" * 50_000 + b'{"a": 1}\n')
    found, counts, first_line = by_the_hundred(path)
    assert (found, counts, first_line) == one_by_one(path)
    assert counts == {"unreadable line": 50_000}


def test_what_is_written_after_opening_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    with BulkFile(path, Record, Drift()) as file:
        with path.open("ab") as session:
            session.write(b'{"a": 2}\n')
        assert [[record.a for record in run.records] for run in file.runs()] == [[1]]


def test_many_ids_are_noted_if_all_are_new_and_there_is_room() -> None:
    recent = RecentIds(limit=3)
    assert recent.add_all(["a", "b"])
    assert not recent.add_all(["b", "c"])
    assert not recent.add_all(["c", "c"])
    assert not recent.add_all(["c", "d"])
    assert "c" not in recent
    assert recent.add_all(["c"])
    assert not recent.add("a")
    assert recent.add("d")
    assert recent.add_all(["e"])
    assert not recent.add_all(["a"])  # it is among the old ones
