"""Transcripts that are read once, and let go when nobody needs them."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import recorded

from pytest_agentv.errors import SessionNotFound, SessionUnreadable
from pytest_agentv.held_transcripts import HeldTranscripts
from pytest_agentv.registry import Registry
from pytest_agentv.sources import sessions_in

if TYPE_CHECKING:
    from pathlib import Path


class _Counted:
    """Loads of a session, counted."""

    def __init__(self, tmp_path: Path, **fields: Any) -> None:
        path = tmp_path / "t.jsonl"
        path.write_text(
            json.dumps(recorded(**fields), separators=(",", ":")) + "\n", encoding="utf-8"
        )
        (session,) = sessions_in(path, Registry)
        self.loads = 0
        self._load = session.load
        self.session = dataclasses.replace(session, load=self.load)

    def load(self) -> Any:
        self.loads += 1
        return self._load()


def test_a_transcript_is_read_once_and_let_go_when_all_are_done(tmp_path: Path) -> None:
    counted = _Counted(tmp_path)
    transcripts = HeldTranscripts()
    for _ in range(2):
        transcripts.expect(counted.session)
    first = transcripts.get(counted.session)
    transcripts.done(counted.session)
    assert transcripts.get(counted.session) is first
    assert counted.loads == 1
    transcripts.done(counted.session)
    transcripts.get(counted.session)
    assert counted.loads == 2


def test_few_transcripts_are_held_though_nobody_said_that_they_are_needed(tmp_path: Path) -> None:
    transcripts = HeldTranscripts()
    sessions = [_Counted(tmp_path) for _ in range(10)]
    for one in sessions:
        transcripts.get(one.session)
    for one in reversed(sessions):
        transcripts.get(one.session)
    assert [one.loads for one in sessions][-2:] == [1, 1]
    assert sessions[0].loads == 2


@pytest.mark.parametrize(("shared", "loads"), [(False, 1), (True, 2)])
def test_what_is_expected_is_held_unless_others_share_the_work(
    tmp_path: Path, *, shared: bool, loads: int
) -> None:
    transcripts = HeldTranscripts(shared=shared)
    sessions = [_Counted(tmp_path) for _ in range(10)]
    for one in sessions:
        transcripts.expect(one.session)
    for one in [*sessions, sessions[0]]:
        transcripts.get(one.session)
    assert sessions[0].loads == loads


def test_what_cannot_be_read_is_not_tried_again(tmp_path: Path) -> None:
    counted = _Counted(tmp_path)
    (tmp_path / "t.jsonl").unlink()
    transcripts = HeldTranscripts()
    for _ in range(2):
        with pytest.raises(SessionNotFound):
            transcripts.get(counted.session)
    assert counted.loads == 1


def test_drift_is_an_error_only_if_strict(tmp_path: Path) -> None:
    counted = _Counted(tmp_path, drift={"record type 'x'": 3})
    assert HeldTranscripts().get(counted.session).drift == {"record type 'x'": 3}
    with pytest.raises(SessionUnreadable, match=r"not all of it is understood: .*'x'"):
        HeldTranscripts(strict=True).get(counted.session)
