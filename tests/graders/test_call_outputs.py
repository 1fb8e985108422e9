"""What calls gave back, as a trajectory may expect it."""

from __future__ import annotations

from typing import Any

import pytest
from grading import graded

from pytest_agentv import Message, Source, ToolCall, Transcript

FOUND = '{"results": [{"link": "a.example", "title": "A"}, {"link": "b.example"}], "count": 2}'


def _graded(on: Transcript, mode: str, expected: Any) -> Any:
    return graded("tool-trajectory", on, mode=mode, expected=expected)


def _answered(output: str | None) -> Transcript:
    call = ToolCall(tool="lookUp", input={"term": "pads"}, output=output)
    message = Message(role="assistant", tool_calls=(call,))
    return Transcript(source=Source(provider="claude-cli"), output=(message,))


@pytest.mark.parametrize("mode", ["in_order", "exact", "superset", "subset"])
@pytest.mark.parametrize(
    ("output", "expected", "outcome"),
    [
        (FOUND, {"results": [{"link": "b.example"}]}, "passed"),
        (FOUND, {"results": [{"link": "*.example", "title": "/^A/"}], "count": 2}, "passed"),
        (FOUND, {"results": [{"link": "b.example", "title": "A"}]}, "failed"),
        (FOUND, {"count": True}, "failed"),
        (FOUND, [], "failed"),
        ("[[1], [2, 3]]", [[3], [1]], "passed"),
        ("2 files", "? files", "passed"),
        ("2 files", "2", "failed"),
        ("2 files", {"count": 2}, "failed"),
        ("", "", "passed"),
        (None, "*", "skipped"),
        (None, {}, "skipped"),
    ],
)
def test_what_a_call_gave_back(mode: str, output: str | None, expected: Any, outcome: str) -> None:
    grade = _graded(_answered(output), mode, [{"tool": "lookUp", "output": expected}])
    assert grade.outcome == outcome
    opposite = {"passed": "failed", "failed": "passed", "skipped": "skipped"}
    assert grade.negated().outcome == opposite[outcome]


def test_why_what_a_call_gave_back_is_wrong() -> None:
    entry = {"tool": "lookUp", "input": {"term": "pads"}, "output": {"count": 3}}
    grade = _graded(_answered(FOUND), "in_order", [entry])
    assert "was called, but gave back something else" in grade.reason
    assert "lookUp term='pads' with the output {\"count\": 3}" in grade.claim
    unknown = _graded(_answered(None), "in_order", [entry])
    assert unknown.reason == "the session does not say what lookUp gave back"


def test_arguments_may_be_called_input_as_in_sessions() -> None:
    held = _graded(_answered(FOUND), "in_order", [{"tool": "lookUp", "input": {"term": "pads"}}])
    other = _graded(_answered(FOUND), "in_order", [{"tool": "lookUp", "input": {"term": "x"}}])
    assert (held.outcome, other.outcome) == ("passed", "failed")
