"""What a file looks like to all adapters, before anybody knows whose it is."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.adapters.probe import Probe, probe

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def _probe(file: Path, content: bytes) -> Probe:
    file.write_bytes(content)
    return probe(file)


def test_a_document_shows_its_fields_however_it_is_written(file: Path) -> None:
    value = {"a": [1], "b": {"c": "d"}, "e": None}
    for content in (
        json.dumps(value),
        json.dumps(value, indent=2),
        f"\ufeff\n {json.dumps(value)}",
    ):
        found = _probe(file, content.encode())
        assert {name: found.value(name) for name in found.fields} == value
        assert found.begins("a", b"[")
        assert not found.begins("b", b"[")
        assert not found.begins("z", b"[")


def test_an_object_on_one_line_is_a_document_and_a_record(file: Path) -> None:
    found = _probe(file, b'{"a": 1}\n')
    assert found.records == [{"a": 1}]
    assert found.value("a") == 1


def test_lines_show_their_first_records(file: Path) -> None:
    found = _probe(file, b'{"a": 1}\n\n[2]\n{torn\n{"a": 3}\n')
    assert found.records == [{"a": 1}, {"a": 3}]
    assert found.fields == {}
    many = _probe(file, b'{"a": 1}\n' * 1000)
    assert len(many.records) == 50


def test_a_list_shows_its_first_items(file: Path) -> None:
    found = _probe(file, json.dumps([{"n": n} for n in range(100)]).encode())
    assert found.items == [{"n": n} for n in range(50)]


@pytest.mark.parametrize("text", ['{"a": NaN, "b": 1}', '{"a": "\\ud800", "b": 1}'])
def test_what_is_not_quite_json_is_seen_all_the_same(file: Path, text: str) -> None:
    assert _probe(file, text.encode()).value("b") == 1
    assert _probe(file, f"[{text}]".encode()).items[0]["b"] == 1


def test_a_document_on_one_long_line_is_a_document(file: Path) -> None:
    found = _probe(file, json.dumps({"a": "x" * (17 << 20), "b": 1}).encode())
    assert found.value("b") == 1


@pytest.mark.parametrize(
    "content", [b"", b" \n", b"hello", b"{", b"[", b"[1,", b"\xff\xfe{\x00", b"[" * 99_999]
)
def test_what_is_no_json_looks_like_nothing(file: Path, content: bytes) -> None:
    found = _probe(file, content)
    assert (found.fields, found.items, found.records) == ({}, [], [])


def test_a_database_shows_its_tables_and_stays_as_it_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript("CREATE TABLE part (x); CREATE TABLE message (x);")
    before = file.read_bytes()
    assert probe(file).tables == {"part", "message"}
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == ["file"]


def test_tables_that_only_the_wal_holds_are_seen(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE part (x)")
        connection.commit()
        assert probe(file).tables == {"part"}


def test_a_folder_shows_its_names(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert probe(tmp_path).names == {"a", "b"}


def test_what_is_not_there_looks_like_nothing(tmp_path: Path) -> None:
    assert probe(tmp_path / "gone") == Probe()
    assert probe(tmp_path / "no\0name") == Probe()


def test_a_file_that_changes_is_looked_at_again(file: Path) -> None:
    values: list[dict[str, Any]] = [{"a": 1}, {"bb": 22}]
    found = [_probe(file, json.dumps(value).encode()).records for value in values]
    assert found == [[value] for value in values]
