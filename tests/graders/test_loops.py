"""Loops: the same call again and again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from grading import graded, problems, session
from hypothesis import given
from hypothesis import strategies as st
from made_calls import CLIENTS, EXAMPLES, example, made, ran, session_of

from pytest_agentv import Message, ToolCall
from pytest_agentv.graders.loops import WAITING

PAGE = Path(__file__).parents[2] / "docs" / "assertions.md"


def _called(letters: str) -> list[ToolCall]:
    return [made("Read", {"file_path": letter}) for letter in letters]


@pytest.mark.parametrize(
    ("letters", "keys", "outcome"),
    [
        ("", {}, "passed"),
        ("abc", {}, "passed"),
        ("aaa", {}, "passed"),
        ("aaaa", {}, "failed"),
        ("baaaab", {}, "failed"),
        ("ababababab", {}, "passed"),
        ("ababababab", {"total": 4}, "failed"),
        ("ababababab", {"total": 5}, "passed"),
        ("aa", {"max": 1}, "failed"),
        ("aa", {"value": 2}, "passed"),
        ("aaaa", {"ignore": "Read"}, "passed"),
        ("aaaa", {"ignore": ["read", "x"]}, "passed"),
        ("aaaa", {"ignore": "Write"}, "failed"),
    ],
)
def test_the_same_call_again_and_again(letters: str, keys: dict[str, Any], outcome: str) -> None:
    grade = graded("no-loop", session_of(*_called(letters)), **keys)
    assert grade.outcome == outcome
    assert grade.negated().outcome == {"passed": "failed", "failed": "passed"}[outcome]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_command_is_the_same_whatever_a_client_adds(client: str) -> None:
    tool, key = {
        "claude-cli": ("Bash", "command"),
        "codex-cli": ("exec_command", "cmd"),
        "copilot-cli": ("bash", "command"),
    }[client]
    calls = [
        made(tool, {key: "make", "description": f"Try {number}"}, of=client) for number in range(4)
    ]
    grade = graded("no-loop", session_of(*calls))
    assert grade.outcome == "failed"
    assert grade.reason == f"4 times in a row: {tool} make"
    assert [one.message for one in grade.evidence] == [2, 5]


def test_a_command_in_another_folder_is_another_one() -> None:
    calls = [
        made("exec_command", {"cmd": "make", "workdir": f"/{number}"}, of="codex-cli")
        for number in range(4)
    ]
    assert graded("no-loop", session_of(*calls))


@pytest.mark.parametrize(
    ("tool", "client"),
    [("BashOutput", CLIENTS[0]), ("write_stdin", CLIENTS[1]), ("read_bash", CLIENTS[2])],
)
def test_to_wait_for_a_program_is_no_loop(tool: str, client: str) -> None:
    calls = [made(tool, {"session_id": 1}, of=client) for _ in range(9)]
    assert graded("no-loop", session_of(*calls))
    assert not graded("no-loop", session_of(*calls), ignore="x")


def test_each_agent_has_its_own_rows() -> None:
    (call,) = _called("a")
    messages = [
        Message(role="assistant", tool_calls=(call,), agent_id=agent)
        for agent in (None, "x", None, "x", None, "x")
    ]
    assert graded("no-loop", session(*messages))
    assert not graded("no-loop", session(*messages), max=2)
    assert not graded("no-loop", session(*messages), total=5)


@pytest.mark.parametrize("client", EXAMPLES)
def test_an_imported_session_of_every_client_has_no_loop(client: str) -> None:
    assert graded("no-loop", example(client), total=3)
    assert not graded("no-loop", example(client), total=1)


def test_calls_that_cannot_be_compared_are_no_loop() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    calls = [ToolCall(tool="x", input=deep), ToolCall(tool="x", input=deep)]
    assert graded("no-loop", session_of(*calls), max=1)
    odd = [made("Read", {"file_path": "\ud800"}) for _ in range(2)]
    assert not graded("no-loop", session_of(*odd), max=1)


@pytest.mark.parametrize(
    ("letters", "keys", "outcome"),
    [
        ("????", {}, "skipped"),
        ("???", {}, "passed"),
        ("aa?a", {}, "skipped"),
        ("a?b?", {}, "passed"),
        ("aa??bb", {}, "skipped"),
        ("ab?ab", {}, "passed"),
        ("aaaa?", {}, "failed"),
        ("ab?ab", {"total": 2}, "skipped"),
        ("ab?ab", {"total": 3}, "passed"),
    ],
)
def test_a_call_without_its_arguments_may_be_like_any_other_of_its_tool(
    letters: str, keys: dict[str, Any], outcome: str
) -> None:
    calls = [made("Read", None if one == "?" else {"file_path": one}) for one in letters]
    assert graded("no-loop", session_of(*calls), **keys).outcome == outcome
    others = [each for one in calls for each in (one, ran("ls"))]
    assert graded("no-loop", session_of(*others), max=3, total=9)


@given(st.text("ab", min_size=1, max_size=12), st.integers(1, 6))
def test_rows_are_those_that_one_counts(letters: str, most: int) -> None:
    longest = max(
        length
        for length in range(1, len(letters) + 1)
        if any(letter * length in letters for letter in "ab")
    )
    grade = graded("no-loop", session_of(*_called(letters)), max=most)
    assert bool(grade) == (longest <= most)


def test_the_order_of_arguments_does_not_count() -> None:
    calls = [
        made("Grep", {"pattern": "a", "path": "b"}),
        made("Grep", {"path": "b", "pattern": "a"}),
    ]
    assert not graded("no-loop", session_of(*calls), max=1)
    assert graded("no-loop", session_of(*calls, ran("ls")), max=2)


AT_LEAST_1 = "must be at least 1: a call is made once before it is made again"


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"max": 0}, AT_LEAST_1),
        ({"total": 0}, AT_LEAST_1),
        ({"max": -1}, "must be a whole number of at least 0, not -1"),
        ({"ignore": []}, "must not be empty: list at least one text"),
    ],
)
def test_a_wrong_entry_is_told(keys: dict[str, Any], problem: str) -> None:
    assert [message for _, message in problems("no-loop", **keys)] == [problem]


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not here")
def test_the_page_names_the_tools_that_wait() -> None:
    named = ", ".join(f"`{name}`" for name in WAITING)
    assert named in PAGE.read_text(encoding="utf-8")
