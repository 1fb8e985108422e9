"""Failure texts of trajectories: both sides beside each other, and what decided."""

from __future__ import annotations

from typing import Any

import pytest
from grading import graded
from tool_sessions import calls, made

from pytest_agentv import ToolCall, Transcript
from pytest_agentv.columns import columns_of


def _graded(on: Transcript, mode: str, expected: Any, **keys: Any) -> Any:
    return graded("tool-trajectory", on, mode=mode, expected=expected, **keys)


@pytest.mark.parametrize("mode", ["in_order", "exact", "superset", "subset"])
@pytest.mark.parametrize("letter", ["x", "漢"])
def test_both_sides_stand_side_by_side_on_a_narrow_terminal(mode: str, letter: str) -> None:
    session = calls(
        made(f"shell {letter * 300}", line=123_456),
        *[made(f"read src/{letter * 80}/{n}.ts", line=n) for n in range(5)],
    )
    expected = [{"tool": "shell", "args": {"command": letter * 90}}, f"{letter * 30}", "edit"]
    table, *_ = _graded(session, mode, expected).details.split("\n\n")
    rows = table.splitlines()
    # An 80-column terminal, less the four by which details are indented.
    assert max(map(columns_of, rows)) <= 76
    assert {columns_of(row.partition("|")[0]) for row in rows} == {
        columns_of(rows[0].partition("|")[0])
    }
    assert "(message 2, line 123456)" in table


def test_what_is_long_is_cut_only_if_it_has_to_be() -> None:
    session = calls(made(f"shell {'x' * 38}", line=3), "read")
    table, *_ = _graded(session, "exact", ["read"]).details.split("\n\n")
    assert f"| Bash {'x' * 38} (message 2, line 3)" in table


def test_of_nested_arguments_only_what_is_wrong_is_shown() -> None:
    given = {"todos": [{"text": "write a test", "done": False, "note": "x"}], "by": "me"}
    call = ToolCall(tool="TodoWrite", kind="todo", input=given, line=4)
    session = calls(call)
    item = {"tool": "todo", "args": {"todos": [{"text": "*test", "done": True}]}}
    details = _graded(session, "in_order", [item]).details
    assert "Value of root['todos'][0]['done'] changed from True to False." in details
    assert "['text']" not in details
    assert "['note']" not in details
    details = _graded(session, "in_order", [item], args_match="exact").details
    assert "Item root['todos'][0]['note'] (\"x\") added to dictionary." in details


def test_tools_that_were_called_too_seldom_are_shown() -> None:
    session = calls("read a", "shell ls")
    grade = graded(
        "tool-trajectory", session, mode="any_order", minimums={"read": 1, "shell": 3, "fetch": 1}
    )
    assert grade.details.splitlines() == [
        "  expected               | called",
        "= read at least 1 time   | 1 time",
        "- shell at least 3 times | 1 time",
        "- fetch at least 1 time  | 0 times",
    ]
    assert [one.excerpt for one in grade.evidence] == ["Bash ls"]


WORK = calls(made("read a", line=3), made("shell ls", line=5), made("edit a", line=7), "fetch")


@pytest.mark.parametrize(
    ("type_", "keys", "decided"),
    [
        # What stands elsewhere, or what is too much; of what is not there nothing can be shown.
        ("trajectory:tool-sequence", {"value": ["edit", "read"]}, [7]),
        ("trajectory:tool-sequence", {"value": {"mode": "exact", "steps": ["read", "shell"]}}, [7]),
        ("trajectory:tool-sequence", {"value": ["read", "shell", "edit", "fetch", "todo"]}, []),
        ("trajectory:step-count", {"value": {"type": "tool", "max": 1}}, [5]),
        ("trajectory:step-count", {"value": {"name": "*", "max": 2}}, [7]),
        ("trajectory:step-count", {"value": {"type": "command", "max": 0}}, [5]),
        ("trajectory:step-count", {"value": {"type": "tool", "min": 9}}, []),
        ("tool-call-f1", {"expected": ["read", "fetch", "edit"]}, [5]),
        ("tool-call-f1", {"expected": ["read", "shell"]}, [7]),
    ],
)
def test_the_call_that_decides_is_named_with_its_line(
    type_: str, keys: dict[str, Any], decided: list[int]
) -> None:
    grade = graded(type_, WORK, **keys)
    assert grade.outcome == "failed"
    assert [one.line for one in grade.evidence[:1]] == decided
