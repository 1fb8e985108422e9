"""Writing runs: folders of their own, nothing half written, and reading them back."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from runs import MadeCase, make_run, score

from pytest_agentv.errors import OutputError
from pytest_agentv.results.journal import Graded
from pytest_agentv.results.model import Row
from pytest_agentv.results.reading import find_run, read_run
from pytest_agentv.results.writing import RunWriter, now

if TYPE_CHECKING:
    from pathlib import Path


def test_the_time_is_that_of_utc_in_milliseconds() -> None:
    before = datetime.now(timezone.utc)
    said = now()
    after = datetime.now(timezone.utc)

    assert len(said) == len("2026-07-14T08:30:00.000Z")
    assert said.endswith("Z")
    time = datetime.fromisoformat(said.removesuffix("Z") + "+00:00")
    assert before - timedelta(milliseconds=1) < time <= after


def test_runs_of_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    writers = [RunWriter(tmp_path) for _ in range(20)]
    assert len({one.folder for one in writers}) == 20
    for writer in writers:
        writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_is_what_is_read(tmp_path: Path) -> None:
    made = make_run(tmp_path, [MadeCase(), MadeCase(test_id="two", scores=(score("a", "fail"),))])
    assert read_run(made.folder) == made
    assert sorted(one.name for one in made.folder.iterdir()) == ["index.jsonl", "summary.json"]
    assert made.summary.exit_status == 1


def test_while_a_run_goes_on_it_can_be_read(tmp_path: Path) -> None:
    made = make_run(tmp_path / "whole", [MadeCase()])
    writer = RunWriter(tmp_path / "going")
    assert find_run("latest", root=tmp_path / "going").rows == ()
    writer.note(Graded(about=Row(test_id="one"), score=score("a", "pass")))
    going = find_run("latest", root=tmp_path / "going")
    assert [row.outcome for row in going.rows] == ["passed"]
    writer.close()
    assert (made.summary.complete, going.summary.complete) == (True, False)


def test_something_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file: is not a folder"):
        RunWriter(tmp_path / "file")
    with pytest.raises(OutputError, match="cannot be made: Not a directory"):
        RunWriter(tmp_path / "file" / "below")
