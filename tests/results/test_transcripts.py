"""The transcripts of a run: lines that are added, found again, and gathered from workers."""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest
from full_disks import no_file_above
from runs import MadeCase, make_run
from sample_transcripts import SAMPLE

from pytest_agentv.errors import ResultsError, SessionError, TranscriptError
from pytest_agentv.results.journal import Graded
from pytest_agentv.results.model import Row, Score
from pytest_agentv.results.places import part_of
from pytest_agentv.results.reading import read_run
from pytest_agentv.results.transcripts import TranscriptKeeper
from pytest_agentv.results.writing import RunWriter
from pytest_agentv.transcript.reading import read_transcripts
from pytest_agentv.transcript.writing import dumps

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.transcript.model import Transcript

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


def asked(prompt: str) -> Transcript:
    return msgspec.structs.replace(SAMPLE, input=prompt)


def note(writer: RunWriter, keeper: TranscriptKeeper, case: str, prompt: str) -> None:
    """Grade a case on a session, as a process that keeps transcripts does."""
    about = Row(
        test_id=case,
        case=case,
        source=SAMPLE.source,
        transcript_path=keeper.name,
        transcript_line=keeper.keep(asked(prompt), key=prompt),
    )
    score = Score(name="a", verdict="pass")
    writer.note(Graded(about=about, score=score))


def test_each_transcript_is_a_line_and_of_a_key_there_is_one(tmp_path: Path) -> None:
    keeper = TranscriptKeeper(tmp_path)
    lines = [keeper.keep(asked(one), key=one) for one in ("a", "b", "a", "c")]
    keeper.close()
    assert lines == [1, 2, 1, 3]
    (path,) = tmp_path.iterdir()
    assert path.name == "transcripts.jsonl"
    assert [one.input for one in read_transcripts(path)] == ["a", "b", "c"]


def test_what_was_kept_is_there_at_once(tmp_path: Path) -> None:
    keeper = TranscriptKeeper(tmp_path)
    keeper.keep(SAMPLE, key=1)
    assert (tmp_path / "transcripts.jsonl").read_bytes() == dumps(SAMPLE)
    keeper.close()


@POSIX
def test_nobody_else_may_read_what_a_run_keeps(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path)
    keeper = TranscriptKeeper(writer.folder, worker="gw0")
    note(writer, keeper, "one", "x")
    keeper.close()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in writer.folder.iterdir()}
    assert modes == {"journal.jsonl": 0o600, "transcripts-gw0.jsonl": 0o600}
    run = writer.finish(complete=True, exit_status=0)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in run.folder.iterdir()}
    assert modes == dict.fromkeys(("index.jsonl", "summary.json", "transcripts.jsonl"), 0o600)


def test_a_transcript_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    keeper = TranscriptKeeper(tmp_path)
    assert keeper.keep(asked("\ud800"), key=1) is None
    assert list(tmp_path.iterdir()) == []
    assert keeper.keep(SAMPLE, key=1) == 1
    assert keeper.keep(asked("\ud800"), key=2) is None
    assert keeper.keep(SAMPLE, key=3) == 2
    keeper.close()


def test_a_file_that_is_in_the_way_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "transcripts.jsonl"
    path.write_bytes(b"of somebody else")
    keeper = TranscriptKeeper(tmp_path)
    assert [keeper.keep(SAMPLE, key=one) for one in (1, 2)] == [None, None]
    assert path.read_bytes() == b"of somebody else"


def test_on_a_full_disk_half_a_line_is_taken_back(tmp_path: Path) -> None:
    small, large = dumps(asked("x")), asked("x" * 10_000)
    keeper = TranscriptKeeper(tmp_path)
    with no_file_above(len(small) * 4):
        lines = [keeper.keep(one, key=id(one)) for one in (asked("x"), large, asked("y"))]
    keeper.close()
    assert lines == [1, None, 2]
    kept = (tmp_path / "transcripts.jsonl").read_bytes()
    assert kept == small + dumps(asked("y"))


def test_what_workers_kept_is_gathered_in_order_of_the_rows_each_session_once(
    tmp_path: Path,
) -> None:
    writer = RunWriter(tmp_path)
    one, other = (TranscriptKeeper(writer.folder, worker=name) for name in ("gw0", "gw1"))
    note(writer, one, "d", "shared")
    note(writer, other, "b", "second")
    note(writer, other, "c", "shared")
    note(writer, one, "a", "first")
    one.close()
    other.close()
    run = writer.finish(complete=True, exit_status=0)
    assert [row.transcript for row in run.rows] == [
        "transcripts.jsonl:1",
        "transcripts.jsonl:2",
        "transcripts.jsonl:3",
        "transcripts.jsonl:3",
    ]
    prompts = [run.transcript(row).input for row in run.rows]
    assert prompts == ["first", "second", "shared", "shared"]
    names = sorted(path.name for path in run.folder.iterdir())
    assert names == ["index.jsonl", "summary.json", "transcripts.jsonl"]
    assert read_run(run.folder) == run


def test_of_a_run_that_never_ended_the_files_of_workers_are_read(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path)
    keeper = TranscriptKeeper(writer.folder, worker="gw0")
    note(writer, keeper, "one", "x")
    with (writer.folder / keeper.name).open("ab") as file:
        file.write(dumps(SAMPLE)[:50])  # it was killed while it wrote
    writer.close()
    keeper.close()
    left = read_run(writer.folder)
    assert (left.path.name, left.rows[0].transcript) == ("journal.jsonl", f"{keeper.name}:1")
    assert left.transcript(left.rows[0]).input == "x"


def test_a_worker_whose_file_is_gone_costs_its_transcripts_only(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path)
    keepers = [TranscriptKeeper(writer.folder, worker=name) for name in ("gw0", "gw1")]
    for keeper, case in zip(keepers, "ab", strict=True):
        note(writer, keeper, case, case)
        keeper.close()
    (writer.folder / part_of("gw0")).unlink()
    run = writer.finish(complete=True, exit_status=0)
    assert [row.transcript for row in run.rows] == [None, "transcripts.jsonl:1"]


@pytest.mark.parametrize("line", [2, 0, -1])
def test_a_line_that_is_not_there_is_one_sentence(tmp_path: Path, line: int) -> None:
    run = make_run(tmp_path, [MadeCase(transcript=SAMPLE)])
    row = msgspec.structs.replace(run.rows[0], transcript_line=line)
    with pytest.raises(ResultsError, match=rf"transcripts\.jsonl: has no line {line}$"):
        run.transcript(row)


def test_a_line_that_is_no_transcript_is_said_with_its_place(tmp_path: Path) -> None:
    run = make_run(tmp_path, [MadeCase(transcript=SAMPLE)])
    (run.folder / "transcripts.jsonl").write_bytes(dumps(SAMPLE)[:-40] + b"\n")
    with pytest.raises(TranscriptError, match=r"transcripts\.jsonl:1: is no transcript"):
        run.transcript(run.rows[0])
    (run.folder / "transcripts.jsonl").unlink()
    with pytest.raises(SessionError, match=r"transcripts\.jsonl: no such file"):
        run.transcript(run.rows[0])


def test_runs_with_a_file_for_each_session_are_read_as_well(tmp_path: Path) -> None:
    run = make_run(tmp_path, [MadeCase(transcript=SAMPLE)])
    (run.folder / "transcripts").mkdir()
    (run.folder / "transcripts.jsonl").rename(run.folder / "transcripts" / "a.jsonl")
    row = msgspec.structs.replace(
        run.rows[0], transcript_path="transcripts/a.jsonl", transcript_line=None
    )
    assert run.transcript(row) == SAMPLE
    assert run.transcript_size(row) == len(dumps(SAMPLE))
