"""Single steps: tools that were used, their sequence, arguments and number, and their order."""

from __future__ import annotations

from typing import Any

import pytest
from grading import graded, problems, session
from tool_sessions import calls, made

from pytest_agentv import Message, ToolCall, Transcript

WORK = calls("read src/index.ts", "shell ls -a", "edit src/auth.ts", "shell npm test")
CODEX = calls("shell npm test", "edit src/auth.ts", provider="codex-cli")
SILENT = ToolCall(tool="Edit", kind="edit")
NOTHING = calls()


def _outcomes(type_: str, on: Transcript, value: Any) -> tuple[str, str]:
    grade = graded(type_, on, value=value)
    assert grade.claim
    assert grade.reason
    return grade.outcome, grade.negated().outcome


@pytest.mark.parametrize(
    ("on", "value", "holds"),
    [
        (WORK, "Read", True),
        (WORK, "read", True),
        (WORK, "BASH", True),
        (WORK, "Re*", True),
        (WORK, "fetch", False),
        (WORK, "npm test", True),
        (WORK, "npm*", True),
        (WORK, "NPM", True),
        (WORK, ["Read", "Edit"], True),
        (WORK, ["todo", "fetch"], False),
        (WORK, {"name": "Bash", "min": 2}, True),
        (WORK, {"name": "Bash", "min": 3}, False),
        (WORK, {"pattern": "*", "min": 1, "max": 4}, True),
        (WORK, {"pattern": "*", "max": 3}, False),
        (WORK, {"name": "fetch", "max": 3}, False),
        (WORK, {"name": "fetch", "max": 0}, True),
        (WORK, {"name": "Read", "max": 0}, False),
        (CODEX, "shell", True),
        (CODEX, "exec_command", True),
        (NOTHING, "Read", False),
        (NOTHING, {"name": "Read", "max": 0}, True),
    ],
)
def test_a_tool_was_used(on: Transcript, value: Any, *, holds: bool) -> None:
    # Nothing forbidden happened if nothing happened: the opposite is decided in every case.
    expected = ("passed", "failed") if holds else ("failed", "passed")
    assert _outcomes("trajectory:tool-used", on, value) == expected


def test_of_several_forbidden_tools_each_is_forbidden() -> None:
    grade = graded("trajectory:tool-used", WORK, value=["fetch", "Read"])
    assert _outcomes("trajectory:tool-used", WORK, ["fetch", "Read"]) == ("failed", "failed")
    assert grade.negated().reason == "'fetch' was used 0 times, 'Read' was used 1 time"
    assert [one.excerpt[:4] for one in grade.negated().evidence] == ["Read"]


def test_the_calls_of_a_forbidden_tool_are_shown() -> None:
    grade = graded("trajectory:tool-used", WORK, value="Bash").negated()
    assert grade.claim == "not: the session used 'Bash'"
    assert grade.reason == "'Bash' was used 2 times"
    assert [one.excerpt for one in grade.evidence] == ["Bash ls -a", "Bash npm test"]
    several = graded("trajectory:tool-used", WORK, value=["fetch", {"name": "Bash", "max": 1}])
    assert several.claim == "the session used 'fetch', 'Bash' 1 time"
    assert several.reason == "'fetch' was used 0 times, 'Bash' was used 2 times"


@pytest.mark.parametrize(
    ("on", "value", "holds"),
    [
        (WORK, ["read", "edit"], True),
        (WORK, ["edit", "read"], False),
        (WORK, ["ls", "npm"], True),
        (WORK, {"steps": ["read", {"pattern": "npm *", "type": "command"}]}, True),
        (WORK, {"steps": [{"name": "edit", "type": "command"}]}, False),
        (WORK, {"mode": "exact", "steps": ["read", "shell", "edit", "shell"]}, True),
        (WORK, {"mode": "exact", "steps": ["read", "shell", "edit"]}, False),
        (WORK, {"mode": "exact", "steps": ["read", "shell", "shell", "edit"]}, False),
        (WORK, {"mode": "exact", "steps": ["read", "shell", "edit", "shell", "fetch"]}, False),
        (NOTHING, {"mode": "exact", "steps": ["read"]}, False),
        (NOTHING, ["read"], False),
    ],
)
def test_a_sequence(on: Transcript, value: Any, *, holds: bool) -> None:
    expected = ("passed", "failed") if holds else ("failed", "passed")
    assert _outcomes("trajectory:tool-sequence", on, value) == expected


def test_a_broken_sequence_is_shown_beside_the_session() -> None:
    grade = graded("trajectory:tool-sequence", WORK, value=["edit", "read", "fetch"])
    assert grade.claim == "the session used, in this order, edit, read, fetch"
    assert grade.reason.startswith("1 of 3 steps found in this order; ")
    assert "- fetch    |" in grade.details.splitlines()
    exact = graded("trajectory:tool-sequence", WORK, value={"mode": "exact", "steps": ["read"]})
    assert exact.reason == "4 calls instead of 1"


UNSAID = ToolCall(tool="Bash", kind="shell")


@pytest.mark.parametrize(
    ("type_", "value", "outcomes"),
    [
        ("tool-used", "git push*", ("skipped", "skipped")),
        ("tool-used", {"name": "git push*", "max": 0}, ("skipped", "skipped")),
        ("tool-used", "npm test", ("passed", "failed")),
        ("tool-used", {"name": "npm test", "max": 1}, ("skipped", "skipped")),
        ("tool-used", {"name": "npm test", "max": 0}, ("failed", "passed")),
        ("tool-used", ["git push*", "npm test"], ("skipped", "skipped")),
        ("tool-used", ["git push*", "Read"], ("failed", "skipped")),
        ("tool-used", ["npm test", "Read"], ("failed", "failed")),
        # A single word is taken for the name of a tool.
        ("tool-used", "WebFetch", ("failed", "passed")),
        ("tool-used", "Bash", ("passed", "failed")),
        ("tool-sequence", ["npm test", "git push*"], ("skipped", "skipped")),
        ("tool-sequence", ["git push*", "npm test"], ("failed", "passed")),
        ("tool-sequence", ["npm test", "edit"], ("failed", "passed")),
        ("tool-sequence", [{"name": "git", "type": "command"}], ("skipped", "skipped")),
        ("tool-sequence", {"steps": ["npm *", "git *"], "mode": "exact"}, ("skipped", "skipped")),
        ("step-count", {"name": "git push*", "max": 0}, ("skipped", "skipped")),
        ("step-count", {"name": "git", "type": "command", "max": 0}, ("skipped", "skipped")),
        ("step-count", {"name": "git", "type": "search", "max": 0}, ("passed", "failed")),
        ("step-count", {"name": "git push*", "min": 2}, ("failed", "passed")),
        ("step-count", {"type": "command", "max": 2}, ("passed", "failed")),
    ],
)
def test_a_command_that_the_session_does_not_say_decides_nothing(
    type_: str, value: Any, outcomes: tuple[str, str]
) -> None:
    on = calls("shell npm test", UNSAID)
    assert _outcomes(f"trajectory:{type_}", on, value) == outcomes


QUERY = ToolCall(tool="db_query", kind="mcp", input={"sql": "select 1", "limit": 10, "trace": "x"})


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ({"name": "db_query", "args": {"sql": "select*"}}, "passed"),
        ({"pattern": "DB_*", "arguments": {"limit": 10}}, "passed"),
        ({"name": "db_query", "args": {"limit": 11}}, "failed"),
        ({"name": "db_query", "args": {"limit": 10}, "mode": "exact"}, "failed"),
        (
            {"name": "db_query", "args": {"limit": 10, "sql": "*"}, "mode": "exact",
             "ignore": "tr*"},
            "passed",
        ),
        (
            {"name": "db_query", "args": {"sql": "*"}, "mode": "exact", "ignore": ["trace"],
             "defaults": {"limit": 10, "offset": 0}},
            "passed",
        ),
        # What differs from its default was not left out.
        (
            {"name": "db_query", "args": {"sql": "*"}, "mode": "exact", "ignore": ["trace"],
             "defaults": {"limit": 20}},
            "failed",
        ),
        ({"name": "db_query", "args": {"offset": 0}, "defaults": {"offset": 0}}, "passed"),
        ({"name": "db_query", "args": {"limit": 20}, "defaults": {"limit": 20}}, "failed"),
        ({"name": "other", "args": {"a": 1}}, "failed"),
    ],
)  # fmt: skip
def test_arguments_of_a_tool(value: dict[str, Any], outcome: str) -> None:
    grade = graded("trajectory:tool-args-match", calls("shell ls", QUERY), value=value)
    assert grade.outcome == outcome
    assert grade.negated().outcome == ("failed" if outcome == "passed" else "passed")


def test_the_call_that_comes_closest_is_shown() -> None:
    far = ToolCall(tool="db_query", kind="mcp", input={"sql": "drop"})
    value = {"name": "db_query", "args": {"sql": "select 1", "limit": 11}}
    grade = graded("trajectory:tool-args-match", calls(far, QUERY), value=value)
    assert grade.reason == "called 2 times, at best with another 'limit'"
    assert grade.evidence[0].message == 3
    assert grade.details == "limit: expected 11, found 10"


def test_arguments_that_the_session_does_not_say_decide_nothing() -> None:
    value = {"name": "edit", "args": {"path": "a.ts"}}
    assert _outcomes("trajectory:tool-args-match", calls(SILENT), value) == ("skipped", "skipped")
    # One call that matches is enough, whatever the others are.
    assert graded("trajectory:tool-args-match", calls(SILENT, "edit a.ts"), value=value)


TALK = session(
    Message(role="user", origin="human", content="Do it"),
    Message(role="assistant", content="I look", thinking="hm", tool_calls=(made("search x"),)),
    Message(role="assistant", content="", tool_calls=(made("shell ls"), made("read a"))),
    Message(role="assistant", content="Done."),
)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ({}, 5),
        ({"type": "tool"}, 3),
        ({"type": "command"}, 1),
        ({"type": "search"}, 1),
        ({"type": "message"}, 2),
        ({"type": "reasoning"}, 1),
        ({"name": "r*"}, 1),
        ({"pattern": "ls", "type": "command"}, 1),
        ({"pattern": "ls", "type": "search"}, 0),
    ],
)
def test_the_number_of_steps(value: dict[str, Any], count: int) -> None:
    def outcome(**limits: int) -> str:
        return graded("trajectory:step-count", TALK, value={**value, **limits}).outcome

    assert outcome(min=count, max=count) == "passed"
    assert outcome(max=count) == "passed"
    assert outcome(min=count + 1) == "failed"
    if count:
        assert outcome(min=count) == "passed"
        assert outcome(max=count - 1) == "failed"


def test_the_number_of_steps_in_words() -> None:
    value = {"type": "command", "pattern": "npm*", "max": 1}
    grade = graded("trajectory:step-count", TALK, value=value)
    assert grade.claim == "the session has at most 1 step of type command like 'npm*'"
    assert grade.reason == "0 steps"


def test_without_any_thinking_nobody_knows_how_much_there_was() -> None:
    value = {"type": "reasoning", "max": 5}
    assert _outcomes("trajectory:step-count", WORK, value) == ("skipped", "skipped")


@pytest.mark.parametrize(
    ("on", "expected", "score"),
    [
        (WORK, ["Read", "Bash", "Edit"], 1.0),
        (WORK, ["read", "shell", "edit"], 1.0),
        (WORK, "Read, Bash,Edit", 1.0),
        (WORK, ["*"], 1.0),
        (WORK, ["Read", "Bash"], 0.8),
        (WORK, ["Read", "Bash", "Edit", "fetch"], 6 / 7),
        (WORK, ["fetch"], 0.0),
        (NOTHING, ["Read"], 0.0),
    ],
)
def test_f1_of_the_tools(on: Transcript, expected: Any, score: float) -> None:
    grade = graded("tool-call-f1", on, expected=expected)
    assert grade.score == pytest.approx(score)
    assert bool(grade) is (score == 1)
    assert bool(graded("tool-call-f1", on, value=expected, threshold=0.8)) is (score >= 0.8)


def test_f1_names_what_is_missing_and_what_is_strange() -> None:
    grade = graded("tool-call-f1", WORK, expected=["Read", "fetch"])
    assert grade.claim == "the session used 'Read', 'fetch', by an F1 of at least 1"
    assert grade.reason == (
        "an F1 of 0.4: precision 0.333, recall 0.5; not used: 'fetch'; not expected: 'Bash', 'Edit'"
    )


TEST = {"tool": "shell", "args": {"command": "*test*"}}


@pytest.mark.parametrize(
    ("on", "value", "outcomes"),
    [
        (WORK, ["read", "edit"], ("passed", "failed")),
        (WORK, ["read", "edit", TEST], ("passed", "failed")),
        (WORK, {"before": "edit", "after": TEST}, ("passed", "failed")),
        (WORK, ["edit", "read"], ("failed", "passed")),
        # A shell was used before the first edit.
        (WORK, ["edit", "shell"], ("failed", "passed")),
        (WORK, ["fetch", "edit"], ("failed", "passed")),
        # Of what did not happen nobody can say when it did.
        (WORK, ["edit", "fetch"], ("failed", "skipped")),
        (NOTHING, ["edit", "fetch"], ("failed", "skipped")),
        # A call does not come before itself.
        (calls("edit a"), ["*", "edit"], ("failed", "passed")),
        (calls("edit a", "edit a"), ["edit", "edit"], ("failed", "passed")),
        (
            calls("read a", SILENT),
            ["read", {"tool": "edit", "args": {"path": "a"}}],
            ("skipped", "skipped"),
        ),
        (
            calls(SILENT, "read a", "edit a"),
            ["read", {"tool": "edit", "args": {"path": "a"}}],
            ("skipped", "skipped"),
        ),
        (
            calls("read a", SILENT, "edit a"),
            ["read", {"tool": "edit", "args": {"path": "a"}}],
            ("passed", "failed"),
        ),
    ],
)
def test_one_tool_before_another(on: Transcript, value: Any, outcomes: tuple[str, str]) -> None:
    assert _outcomes("tool-order", on, value) == outcomes


def test_the_call_that_came_too_early_is_shown() -> None:
    grade = graded("tool-order", WORK, value=["edit", "shell"])
    assert grade.claim == "the session called, each only after the one before, edit, shell"
    assert grade.reason == "shell came before any edit"
    assert [one.excerpt for one in grade.evidence] == ["Bash ls -a"]


@pytest.mark.parametrize(
    ("type_", "value", "problem"),
    [
        ("trajectory:tool-used", [], "must not be empty: list at least one name"),
        ("trajectory:tool-used", {"name": "x", "min": 3, "max": 2}, "`min` 3 is more than `max` 2"),
        ("trajectory:tool-used", {"min": 3}, "Field required"),
        ("trajectory:tool-sequence", {"steps": []}, "must not be empty: list at least one name"),
        ("trajectory:tool-sequence", {"steps": [{"name": "x", "type": "span"}]}, "Input should be"),
        ("trajectory:tool-args-match", {"name": "x"}, "Field required"),
        ("trajectory:tool-args-match", {"name": "x", "args": [1]}, "must be a mapping, not [1]"),
        (
            "trajectory:tool-args-match",
            {"name": "x", "args": {"a": 1}, "ignore": "*"},
            "`args` must name an argument that is not ignored: else any call fits",
        ),
        ("trajectory:step-count", {"type": "tool"}, "needs `min` or `max`"),
        ("trajectory:step-count", {"min": 3, "max": 2}, "`min` 3 is more than `max` 2"),
        (
            "trajectory:step-count",
            {"type": "message", "name": "x", "min": 1},
            "steps of type 'message' have no name",
        ),
        ("tool-call-f1", [], "must not be empty: list at least one text"),
        ("trajectory:tool-used", {"name": "a", "min": 0}, "`min` 0 without `max` says nothing"),
        ("trajectory:step-count", {"min": 0}, "`min` 0 without `max` says nothing"),
        ("trajectory:tool-used", " ", "must not be blank: nothing is called so"),
        ("trajectory:tool-sequence", ["a", "\t"], "must not be blank: nothing is called so"),
        ("tool-call-f1", ["a", " "], "must not be blank: nothing is called so"),
        ("tool-call-f1", "a,,b", "must not be empty: every text holds an empty one"),
        ("tool-order", ["a"], "must be a list of at least two calls, or a mapping with"),
        ("tool-order", {"before": "a"}, "Field required"),
    ],
)
def test_a_bad_value_is_refused(type_: str, value: Any, problem: str) -> None:
    assert any(message.startswith(problem) for _, message in problems(type_, value=value))
