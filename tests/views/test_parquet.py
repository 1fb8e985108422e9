"""Parquet: three tables that belong together."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from pyarrow import parquet as pq
from sample_transcripts import SAMPLE, patient, transcripts
from shown_sessions import SHOWN

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.errors import OutputError
from pytest_agentv.views.parquet import write_parquet

if TYPE_CHECKING:
    from pathlib import Path

TABLES = ("sessions", "messages", "tool_calls")


def tables(folder: Path) -> tuple[list[dict[str, Any]], ...]:
    return tuple(pq.read_table(folder / f"{name}.parquet").to_pylist() for name in TABLES)


def test_sessions_become_three_tables(tmp_path: Path) -> None:
    write_parquet([SHOWN, SAMPLE], tmp_path / "out", overwrite=False)

    sessions, messages, calls = tables(tmp_path / "out")
    assert [(one["session"], one["messages"], one["tool_calls"]) for one in sessions] == [
        (1, 10, 4),
        (2, 2, 1),
    ]
    assert [one["message"] for one in messages] == [*range(1, 11), 1, 2]
    first = calls[0]
    assert (first["session"], first["message"], first["call"]) == (1, 3, 1)
    assert json.loads(first["input"]) == {"command": "npm test"}
    assert (first["status"], first["exit_code"], first["duration_ms"]) == ("error", 1, 1500)
    assert first["timestamp"].isoformat() == "2026-03-29T21:10:06+00:00"
    assert (messages[2]["cached_tokens"], messages[3]["cached_tokens"]) == (800, None)
    assert messages[3]["agent_id"] == "a-1"


# One folder for all examples: hypothesis calls a test many times, a fixture once.
@settings(patient, max_examples=20)
@given(transcripts)
def test_every_transcript_has_its_rows(
    tmp_path_factory: pytest.TempPathFactory, transcript: Transcript
) -> None:
    folder = tmp_path_factory.getbasetemp() / "parquet"

    write_parquet([transcript], folder, overwrite=True)

    sessions, messages, calls = tables(folder)
    assert len(sessions) == 1
    assert [one["content"] for one in messages] == [one.content for one in transcript.output]
    assert [one["output"] for one in calls] == [one.output for one in transcript.tool_calls()]


def test_many_large_rows_are_written_in_groups(tmp_path: Path) -> None:
    call = ToolCall(tool="Bash", output="y" * 3_000_000)
    message = Message(role="assistant", content="x", tool_calls=(call,) * 12)

    write_parquet(
        [Transcript(source=Source(provider="x"), output=(message,))], tmp_path, overwrite=False
    )

    assert pq.ParquetFile(tmp_path / "tool_calls.parquet").num_row_groups > 1


@pytest.mark.parametrize(
    "timestamp",
    ["0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "2026-03-29T21:10:06", "soon"],
)
def test_a_time_that_nobody_can_place_is_unknown(timestamp: str, tmp_path: Path) -> None:
    message = Message(role="user", content="x", timestamp=timestamp)

    write_parquet(
        [Transcript(source=Source(provider="x"), output=(message,))], tmp_path, overwrite=False
    )

    _, messages, _ = tables(tmp_path)
    assert messages[0]["timestamp"] is None


def test_a_lone_surrogate_does_not_stop_the_export(tmp_path: Path) -> None:
    message = Message(role="user", content="a\ud800b")

    write_parquet(
        [Transcript(source=Source(provider="x"), output=(message,))], tmp_path, overwrite=False
    )

    _, messages, _ = tables(tmp_path)
    assert messages[0]["content"] == "a\N{REPLACEMENT CHARACTER}b"


def test_files_that_exist_are_kept_and_nothing_is_half_written(tmp_path: Path) -> None:
    (tmp_path / "messages.parquet").write_text("mine", encoding="utf-8")

    with pytest.raises(OutputError, match="exists already"):
        write_parquet([SAMPLE], tmp_path, overwrite=False)

    assert os.listdir(tmp_path) == ["messages.parquet"]  # noqa: PTH208 (hidden files, too)
    assert (tmp_path / "messages.parquet").read_text(encoding="utf-8") == "mine"


def test_a_file_is_no_folder_for_tables(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    path.write_text("mine", encoding="utf-8")

    with pytest.raises(OutputError, match="is not a folder"):
        write_parquet([SAMPLE], path, overwrite=True)
