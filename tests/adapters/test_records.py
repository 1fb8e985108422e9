"""Reading JSON lines: every record with its place, whatever stands between them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv import Drift, RecordFile
from pytest_agentv.errors import SessionUnreadable

_laws = settings(max_examples=150, deadline=None, derandomize=True, database=None)
_BOM = b"\xef\xbb\xbf"


class Thing(msgspec.Struct):
    """A record of a made-up client."""

    number: int | None = None
    words: str | None = None
    parts: list[int] | None = None
    below: Thing | None = None
    anything: Any = None


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=8,
)
_THINGS = st.builds(
    Thing,
    number=st.none() | st.integers(-(2**53), 2**53),
    words=st.none() | _TEXTS,
    parts=st.none() | st.lists(st.integers(0, 9), max_size=3),
    anything=_ANYTHING,
)


def _read(path: Path) -> tuple[list[tuple[Any, Thing]], Drift]:
    drift = Drift()
    with RecordFile(path, Thing, drift) as file:
        return list(file.records()), drift


def _content(path: Path, content: bytes) -> tuple[list[Thing], Drift]:
    path.write_bytes(content)
    records, drift = _read(path)
    return [record for _, record in records], drift


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "things.jsonl"


@_laws
@given(
    st.lists(st.tuples(_THINGS, st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \t\r\n"]))),
    st.booleans(),
    st.booleans(),
)
def test_every_record_is_read_and_found_again_at_its_place(
    things: list[tuple[Thing, bytes]],
    mark: bool,  # noqa: FBT001
    final_newline: bool,  # noqa: FBT001
) -> None:
    content = _BOM if mark else b""
    expected = []
    for thing, end in things:
        start, raw = len(content), msgspec.json.encode(thing)
        content += raw + end
        expected.append((start, content[:start].count(b"\n") + 1, raw))
    if not final_newline:
        content = content.rstrip(b" \t\r\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "things.jsonl"
        path.write_bytes(content)
        drift = Drift()
        with RecordFile(path, Thing, drift) as file:
            found = list(file.records())
            again = file.records_at([place for place, _ in found])
    assert [record for _, record in found] == [thing for thing, _ in things]
    assert [(offset, line) for (offset, _, line), _ in found] == [
        (start, line) for start, line, _ in expected
    ]
    for ((offset, length, _), _), (_, _, raw) in zip(found, expected, strict=True):
        assert content[offset : offset + length].strip() == raw
    assert again == [(line, record) for (_, _, line), record in found]
    assert drift.counts == {}


@_laws
@given(st.lists(st.one_of(_THINGS, st.binary(max_size=30)), max_size=12))
def test_records_between_any_bytes_are_all_there(lines: list[Thing | bytes]) -> None:
    content = b"".join(
        (b"#" + one.replace(b"\n", b"").replace(b"{", b"") if isinstance(one, bytes) else
         msgspec.json.encode(one)) + b"\n"
        for one in lines
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        records, drift = _content(Path(folder) / "things.jsonl", content)
    assert records == [one for one in lines if isinstance(one, Thing)]
    bad = sum(isinstance(one, bytes) for one in lines)
    assert drift.counts == ({"unreadable line": bad} if bad else {})


def test_a_field_of_another_type_is_lost_alone_and_named(path: Path) -> None:
    records, drift = _content(
        path,
        b'{"number":"x","words":"kept","below":{"number":1.5,"words":"kept too"}}\n'
        b'{"parts":[1,"x",2,null],"anything":{"a":1}}\n'
        b'{"words":5,"number":5}\n',
    )
    assert records == [
        Thing(words="kept", below=Thing(words="kept too")),
        Thing(parts=[1, 2], anything={"a": 1}),
        Thing(number=5),
    ]
    assert drift.counts == {
        "unusable field 'below.number'": 1,
        "unusable field 'number'": 1,
        "unusable field 'parts'": 2,
        "unusable field 'words'": 1,
    }
    assert drift.first_line == {
        "unusable field 'below.number'": 1,
        "unusable field 'number'": 1,
        "unusable field 'parts'": 2,
        "unusable field 'words'": 3,
    }


def test_a_lenient_record_is_found_again_at_its_place(path: Path) -> None:
    path.write_bytes(b'{"number":1}\n{"number":"x","words":"\xff"}{"number":3}\n')
    with RecordFile(path, Thing, Drift()) as file:
        found = list(file.records())
        assert [record for _, record in found] == [
            Thing(number=1),
            Thing(words="\ufffd"),
            Thing(number=3),
        ]
        assert file.records_at([place for place, _ in found]) == [
            (line, record) for (_, _, line), record in found
        ]


@pytest.mark.parametrize(
    "further",
    [b"\n", b'\n{"number":2}\n', b'{"number":2}\n', b"garbage", b"\0" * 5000],
)
def test_what_is_written_after_opening_does_not_count(path: Path, further: bytes) -> None:
    path.write_bytes(b'{"number":0}\n{"number":1}')
    drift = Drift()
    with RecordFile(path, Thing, drift) as file:
        with path.open("ab") as more:
            more.write(further)
        found = list(file.records())
        assert [record for _, record in found] == [Thing(number=0), Thing(number=1)]
        assert file.records_at([place for place, _ in found]) == [
            (1, Thing(number=0)),
            (2, Thing(number=1)),
        ]
    assert drift.counts == {}


def test_a_record_that_was_changed_after_it_was_read_is_counted(path: Path) -> None:
    path.write_bytes(b'{"number":1}\n{"number":2}\n')
    drift = Drift()
    with RecordFile(path, Thing, drift) as file:
        found = list(file.records())
        path.write_bytes(b'{"number":1}\ngarbage')
        assert file.records_at([place for place, _ in found]) == [(1, Thing(number=1))]
    assert drift.counts == {"record changed while it was read": 1}
    assert drift.first_line == {"record changed while it was read": 2}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_is_an_error_that_names_it(path: Path, encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    path.write_bytes(f'{mark}{{"number":1}}\n'.encode(encoding))
    with pytest.raises(SessionUnreadable) as error:
        _read(path)
    assert str(error.value) == f"{path}:1: is UTF-16 text; sessions are UTF-8"


@pytest.mark.parametrize("content", [b"", _BOM, b"\n", b"\r\n\r\n", b"   "])
def test_a_file_without_a_record_has_none(path: Path, content: bytes) -> None:
    records, drift = _content(path, content)
    assert (records, drift.counts) == ([], {})


@pytest.mark.parametrize("value", [1, "x", None, True, [], [{"number": 1}]])
def test_a_line_that_is_no_object_is_counted(path: Path, value: Any) -> None:
    records, drift = _content(path, json.dumps(value).encode() + b'\n{"number":1}\n')
    assert records == [Thing(number=1)]
    assert drift.counts == {"record that is no object": 1}


def test_drift_of_many_kinds_is_bounded() -> None:
    drift = Drift()
    for number in range(1000):
        drift.note(f"kind {number}", number + 1, times=2)
    assert len(drift.counts) == 51
    assert sum(drift.counts.values()) == 2000
    assert (drift.counts["other"], drift.first_line["other"]) == (1900, 51)


def test_drift_of_a_second_look_at_the_same_records_counts_once() -> None:
    first, second = Drift(), Drift()
    first.note("both", 5)
    first.note("first", 1)
    second.note("both", 5)
    second.note("both", 9)
    second.note("second", 3)
    first.include(second)
    assert first.counts == {"both": 2, "first": 1, "second": 1}
    assert first.first_line == {"both": 5, "first": 1, "second": 3}
