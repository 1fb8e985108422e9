"""Transcripts in the forms of other tools are graded like our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject


@pytest.mark.parametrize("version", [None, "1.0"])
def test_sessions_of_any_form_may_share_a_file(project: EvalProject, version: str | None) -> None:
    sessions = [recorded(text, test_id=text) for text in ("a", "b")]
    for session in sessions:
        del session["schema_version"]
        if version:
            session["schema_version"] = version  # behind the others, as no tool writes it
    project.eval_file("tests: [{id: a, assert: [contains: a]}, {id: b, assert: [contains: b]}]")
    project.sessions(*sessions)
    assert set(project.grade().outcomes.values()) == {"passed"}


def test_rows_of_agentv_without_a_version_are_graded(project: EvalProject) -> None:
    row = {"test_id": "a", "target": "claude"}
    rows = [
        {**row, "message_index": 0, "role": "user", "content": "Go"},
        {**row, "message_index": 1, "role": "assistant", "content": "Done"},
    ]
    project.eval_file("tests: [{id: a, assert: [contains: Done]}]")
    project.sessions(*rows)
    assert set(project.grade().outcomes.values()) == {"passed"}
