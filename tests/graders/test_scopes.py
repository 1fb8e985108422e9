"""What ``in:`` looks at."""

from __future__ import annotations

import pytest
from grading import graded, session

from pytest_agentv import Message, ToolCall, Transcript

CALL = ToolCall(
    tool="Bash", kind="shell", line=5, input={"command": "npm test", "n": [1, {"deep": "down"}]},
    output="7 passed",
)  # fmt: skip
UNANSWERED = ToolCall(tool="Read", kind="read", line=6)
HELPER = Message(
    role="assistant", content="helper says", thinking="helper thinks", agent_id="a-1",
    tool_calls=(ToolCall(tool="Grep", output="helper output"),),
)  # fmt: skip
TRANSCRIPT = session(
    Message(role="user", origin="injected", content="context", line=1),
    Message(role="user", origin="human", content="Add JWT", line=2),
    Message(role="assistant", content="I test.", thinking="Hm, tests.", line=4, tool_calls=(CALL,)),
    HELPER,
    Message(role="user", origin="human", content="Use RS256", line=8),
    Message(role="assistant", content="I use RS256.", line=9, tool_calls=(UNANSWERED,)),
    Message(role="assistant", content="", line=10),
)


@pytest.mark.parametrize(
    ("scope", "value", "message", "line"),
    [
        ("final", "RS256", 6, 9),
        ("any", "test", 3, 4),
        ("any", "RS256", 6, 9),
        ("all", "I ", 3, 4),
        ("user", "JWT", 2, 2),
        ("user", "RS256", 5, 8),
        ("thinking", "tests", 3, 4),
        ("tool-output", "passed", 3, 5),
        ("transcript", "context", 1, 1),
        ("transcript", "Hm", 3, 4),
        ("transcript", "Bash", 3, 5),
        ("transcript", "npm test", 3, 5),
        ("transcript", "down", 3, 5),
        ("transcript", "7 passed", 3, 5),
        ("transcript", "helper says", 4, None),
        ("transcript", "helper output", 4, None),
        ("transcript", "Read", 6, 6),
    ],
)
def test_a_text_is_found_where_it_stands(
    scope: str, value: str, message: int, line: int | None
) -> None:
    grade = graded("contains", TRANSCRIPT, value=value, in_=scope)
    assert grade.outcome == "passed"
    assert [(one.message, one.line) for one in grade.evidence] == [(message, line)]


@pytest.mark.parametrize(
    ("scope", "value"),
    [
        ("final", "test"),
        ("any", "JWT"),
        ("any", "helper"),
        ("all", "RS256"),
        ("user", "context"),
        ("user", "test"),
        ("thinking", "helper"),
    ],
)
def test_a_text_is_not_found_elsewhere(scope: str, value: str) -> None:
    grade = graded("contains", TRANSCRIPT, value=value, in_=scope)
    assert grade.outcome == "failed"
    assert grade.negated().outcome == "passed"


@pytest.mark.parametrize(
    ("scope", "value"),
    [("tool-output", "npm"), ("tool-output", "helper"), ("transcript", "nowhere")],
)
def test_what_an_unknown_output_might_hold_is_not_denied(scope: str, value: str) -> None:
    grade = graded("contains", TRANSCRIPT, value=value, in_=scope)
    assert grade.outcome == "failed"
    assert grade.negated().outcome == "skipped"


def test_every_answer_must_hold_and_the_first_that_does_not_is_shown() -> None:
    grade = graded("contains", TRANSCRIPT, value="RS256", in_="all")
    assert grade.claim == "every answer contains 'RS256'"
    assert grade.reason == "not found in 7 characters"
    assert grade.evidence[0].message == 3


def test_one_of_several_texts_must_be_in_every_answer() -> None:
    assert not graded("contains-any", TRANSCRIPT, value=["test", "RS256"], in_="all")
    assert graded("contains-any", TRANSCRIPT, value=["test", "I "], in_="all")
    assert graded("contains-all", TRANSCRIPT, value=["test", "RS256"], in_="any")


def test_the_closest_of_many_texts_is_shown() -> None:
    grade = graded("similar", TRANSCRIPT, value="I use RS512.", in_="any", threshold=0.9)
    assert grade.outcome == "failed"
    assert grade.reason == "the closest of 2 texts: is like it by 0.583"
    assert grade.evidence[0].excerpt == "I use RS256."
    assert graded("contains", TRANSCRIPT, value="x", in_="any").reason == "in none of 2 texts"


@pytest.mark.parametrize(
    ("scope", "transcript", "reason"),
    [
        ("final", session(), "there is no final answer"),
        ("final", session(HELPER), "there is no final answer"),
        ("any", session(), "the assistant said nothing"),
        ("all", session(Message(role="assistant", content="")), "the assistant said nothing"),
        ("user", session(), "nobody typed a prompt"),
        ("thinking", session(), "the assistant said nothing"),
        ("tool-output", session(Message(role="assistant", content="x")), "no tool was called"),
        ("transcript", session(), "the transcript has no text"),
    ],
)
@pytest.mark.parametrize("type_", ["contains", "contains-any", "contains-all", "regex"])
def test_nothing_holds_of_nothing_nor_does_its_opposite(
    type_: str, scope: str, transcript: Transcript, reason: str
) -> None:
    value = ["x"] if type_.startswith("contains-") else "x"
    grade = graded(type_, transcript, value=value, in_=scope)
    assert (grade.outcome, grade.reason, grade.vacuous) == ("failed", reason, True)
    assert grade.negated().outcome == "skipped"


@pytest.mark.parametrize(
    ("scope", "transcript", "reason"),
    [
        (
            "thinking",
            session(Message(role="assistant", content="x")),
            "the session does not hold what the assistant thought",
        ),
        (
            "thinking",
            session(Message(role="assistant", content="x", thinking="")),
            "the session does not hold what the assistant thought",
        ),
        (
            "tool-output",
            session(Message(role="assistant", tool_calls=(UNANSWERED,))),
            "the session does not hold what the tools returned",
        ),
    ],
)
def test_what_the_session_did_not_keep_cannot_be_graded(
    scope: str, transcript: Transcript, reason: str
) -> None:
    grade = graded("contains", transcript, value="x", in_=scope)
    assert (grade.outcome, grade.reason) == ("skipped", reason)
    assert grade.negated().outcome == "skipped"


def test_an_empty_output_is_known() -> None:
    quiet = session(Message(role="assistant", tool_calls=(ToolCall(tool="Bash", output=""),)))
    assert graded("contains", quiet, value="x", in_="tool-output").negated().outcome == "passed"
