"""Ordinary tests: one that takes `transcript` runs once for each session of --transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_agentv import Grade, Transcript


def test_a_session_ends_with_an_answer(transcript: Transcript) -> None:
    assert transcript.final_answer
    assert transcript.output[-1].role == "assistant"


def test_no_command_pushes(transcript: Transcript) -> None:
    assert not transcript.tool_calls("shell", command="*git push*")


def test_an_answer_is_short(transcript: Transcript, agentv_grade: Callable[..., Grade]) -> None:
    """Every assertion of eval files can be used from Python, too."""
    assert agentv_grade({"type": "word-count", "max": 150}, transcript)


def test_all_sessions_are_of_one_project(transcripts: Sequence[Transcript]) -> None:
    assert {one.source.cwd for one in transcripts} == {"/home/dev/projects/shop-api"}
