"""Chat messages: Parquet files, rows that cannot be read, and what looks like a row."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.openai.adapter import OpenAIAdapter
from pytest_agentv.adapters.openai.rows import rows_of
from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.openai.rows import Row
    from pytest_agentv.adapters.records import Drift

ADAPTER = OpenAIAdapter()
MESSAGES = [
    {"role": "user", "content": "How much?"},
    {"role": "assistant", "content": "Three."},
]


def _read(path: Path) -> list[Transcript]:
    assert ADAPTER.claims(path)
    return [load(ADAPTER.read(ref, ReadOptions())) for ref in refs_of(ADAPTER, path)]


def _parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("messages", [MESSAGES, json.dumps(MESSAGES)], ids=["list", "text"])
def test_rows_of_a_parquet_file_are_sessions(tmp_path: Path, messages: Any) -> None:
    rows = [
        {"messages": messages, "instance_id": f"shop-{n}", "patch": "x" * 99} for n in range(70)
    ]
    found = _read(_parquet(tmp_path / "rows.parquet", rows))
    assert [one.source.session_id for one in found] == [f"shop-{n}" for n in range(70)]
    assert {one.final_answer for one in found} == {"Three."}


@pytest.mark.parametrize("suffix", [".parquet", ".json"])
def test_rows_are_had_in_one_pass_if_they_are_read_in_order(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[Path] = []

    def counted(path: Path, drift: Drift) -> Iterator[Row]:
        passes.append(path)
        return rows_of(path, drift)

    rows = [{"messages": MESSAGES, "instance_id": f"shop-{n}"} for n in range(50)]
    path = tmp_path / f"rows{suffix}"
    if suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    else:
        _parquet(path, rows)
    refs = refs_of(ADAPTER, path)
    monkeypatch.setattr("pytest_agentv.adapters.openai.rows.rows_of", counted)
    for ref in (*refs, refs[3], refs[40], refs[7], refs[7]):
        found = load(ADAPTER.read(ref, ReadOptions()))
        assert found.source.session_id == ref.session_id
        assert found.drift == {}
    assert len(passes) == 4
    first = load(ADAPTER.read(refs[0], ReadOptions()))
    assert first.final_answer == "Three."


def test_a_row_of_a_document_counts_what_is_wrong_with_itself(tmp_path: Path) -> None:
    half = json.dumps(MESSAGES).replace("Three.", r"half \ud800")
    rows = [{"messages": one, "id": n} for n, one in enumerate((MESSAGES, half, MESSAGES, half))]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    repaired = {"text repaired": 1}
    assert [one.drift for one in _read(path)] == [{}, repaired, {}, repaired]


def test_a_parquet_file_without_messages_is_nobodys(tmp_path: Path) -> None:
    path = _parquet(tmp_path / "rows.parquet", [{"text": "a"}])
    assert not ADAPTER.claims(path)
    with pytest.raises(SessionUnreadable, match="holds no chat messages"):
        refs_of(ADAPTER, path)


def test_a_broken_parquet_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = _parquet(tmp_path / "rows.parquet", [{"messages": MESSAGES}])
    content = path.read_bytes()
    path.write_bytes(content[:20] + b"\xff" * 60 + content[80:])
    assert ADAPTER.claims(path)
    with pytest.raises(SessionUnreadable, match="cannot be read as Parquet: "):
        refs_of(ADAPTER, path)


def test_without_the_extra_a_parquet_file_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _parquet(tmp_path / "rows.parquet", [{"messages": MESSAGES}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert ADAPTER.claims(path)
    with pytest.raises(SessionUnreadable, match=r"takes pytest-agentv\[parquet\]"):
        refs_of(ADAPTER, path)


def test_what_is_no_row_is_counted_with_the_first_session(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [json.dumps({"messages": MESSAGES, "id": n}) for n in range(3)]
    path.write_text("\n".join([rows[0], '{"text": 1}', rows[1], "{torn", rows[2]]) + "\n", "utf-8")
    found = _read(path)
    assert [one.source.session_id for one in found] == ["0", "1", "2"]
    assert found[0].drift == {"row without messages": 1, "unreadable line": 1}
    assert found[1].drift == found[2].drift == {}


@pytest.mark.parametrize(
    "calls",
    [
        {"tool_calls": [{"id": "1", "function": {"name": 7}}]},
        {"tool_calls": ["x"]},
        {"function_call": {"arguments": "{}"}},
        {"content": [{"type": "tool_use", "id": "1", "input": {}}]},
    ],
)
def test_a_call_without_a_name_is_counted(tmp_path: Path, calls: dict[str, Any]) -> None:
    path = tmp_path / "chat.json"
    said = {"role": "assistant", "content": "Let me see.", **calls}
    path.write_text(json.dumps([MESSAGES[0], said]), encoding="utf-8")
    (found,) = _read(path)
    assert found.drift == {"tool call without a name": 1}
    assert found.tool_calls() == ()


def test_a_row_is_read_where_it_stands_now(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(
        "".join(json.dumps({"messages": MESSAGES, "id": n}) + "\n" for n in "ab"), "utf-8"
    )
    _, second = refs_of(ADAPTER, path)
    longer = [*MESSAGES, {"role": "user", "content": "And two?"}]
    rows = [{"messages": longer, "id": "a"}, {"messages": longer, "id": "b"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert len(load(ADAPTER.read(second, ReadOptions())).output) == 3


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"role": "user", "parts": []}]},
        {"messages": [{"role": "user", "content": "x", "ts": 1}]},
        {"sessionId": "x", "messages": MESSAGES},
        {"messages": MESSAGES, "schema_version": "ATIF-v1.6"},
        {"messages": MESSAGES, "trajectory_format": "mini-swe-agent-1"},
        {"messages": [{"role": 7, "content": "x"}]},
        {"messages": "not a list"},
        [{"role": "user", "content": "x", "ts": 1}],
    ],
)
def test_messages_of_other_clients_are_not_claimed(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert not ADAPTER.claims(path)
