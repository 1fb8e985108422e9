"""How calls ended: how many failed, and whether those of a tool ended as they should."""

from __future__ import annotations

from typing import Any

import pytest
from grading import graded, problems, session
from made_calls import CLIENTS, EXAMPLES, example, made, ran, session_of

STATUSES = ("ok", "error", "timeout", "denied", "cancelled")
MIXED = session_of(*(ran("make", status=status) for status in STATUSES), made("Read", status="ok"))


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        ({}, "failed"),
        ({"max": 1}, "failed"),
        ({"max": 2}, "passed"),
        ({"value": 2}, "passed"),
        ({"max": 1, "status": "error"}, "passed"),
        ({"max": 3, "statuses": ["error", "timeout", "denied", "cancelled"]}, "failed"),
        ({"max": 5, "status": "any"}, "failed"),
        ({"tool": "Read"}, "passed"),
        ({"tool": ["read", "shell"]}, "failed"),
        ({"tool": "NoSuchTool"}, "passed"),
    ],
)
def test_failed_calls_are_counted(keys: dict[str, Any], outcome: str) -> None:
    assert graded("tool-errors", MIXED, **keys).outcome == outcome


@pytest.mark.parametrize("client", EXAMPLES)
def test_errors_of_an_imported_session_of_every_client(client: str) -> None:
    transcript = example(client)
    assert graded("tool-errors", transcript, max=2, tool="shell")
    assert not graded("tool-errors", transcript, max=0)
    assert not graded("tool-status", transcript, tool="shell")
    assert graded("tool-status", transcript, tool="edit")
    assert graded("tool-status", transcript, tool="shell", args={"command": "npm*"}, status="any")


@pytest.mark.parametrize(
    ("limit", "outcome"), [(0, "failed"), (1, "skipped"), (2, "skipped"), (3, "passed")]
)
def test_unanswered_calls_count_only_where_they_could_decide(limit: int, outcome: str) -> None:
    transcript = session_of(
        ran("a", status="error"), ran("b", status="unknown"), ran("c", status="new in 2030")
    )
    grade = graded("tool-errors", transcript, max=limit)
    assert grade.outcome == outcome
    assert (grade.negated().outcome == "skipped") == (outcome == "skipped")


def test_a_session_without_calls_had_no_errors() -> None:
    assert graded("tool-errors", session())


def test_what_a_count_says() -> None:
    grade = graded("tool-errors", MIXED, tool="shell", max=1)
    assert grade.claim == ("at most 1 call of 'shell' ended with the status 'error', 'timeout'")
    assert grade.reason == "2 of 5 calls"
    assert grade.details.splitlines() == ["calls:", "  error: Bash make", "  timeout: Bash make"]
    assert [one.message for one in grade.evidence] == [3, 4]


OPEN = session_of(
    ran("a", status="error"), ran("b", status="unknown"), ran("c", status="new in 2030")
)


@pytest.mark.parametrize(
    ("keys", "reason", "messages", "details"),
    [
        ({"max": 2}, "1 of 3 calls; of 2 more nobody knows how they ended", [2], 2),
        ({"max": 3}, "1 of 3 calls", [2], 2),
        ({"max": 1, "status": "denied"},
         "0 of 3 calls; of 2 more nobody knows how they ended", [3, 4], 0),
    ],
)  # fmt: skip
def test_calls_without_an_end_are_told_where_they_could_decide(
    keys: dict[str, Any], reason: str, messages: list[int], details: int
) -> None:
    grade = graded("tool-errors", OPEN, **keys)
    assert grade.reason == reason
    assert [one.message for one in grade.evidence] == messages
    assert len(grade.details.splitlines()) == details


def test_to_count_calls_of_any_status_nobody_needs_to_know_how_they_ended() -> None:
    known = session_of(ran("a", status="ok"), ran("b", status="unknown"))
    assert graded("tool-errors", known, max=2, status="any").outcome == "passed"
    assert graded("tool-errors", known, max=1, status="any").outcome == "failed"


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("statuses", "keys", "outcome"),
    [
        (["ok", "ok"], {}, "passed"),
        (["ok", "error"], {}, "failed"),
        (["ok", "unknown"], {}, "skipped"),
        (["error", "unknown"], {}, "failed"),
        (["denied", "denied"], {"status": "denied"}, "passed"),
        (["denied", "ok"], {"status": ["denied", "ok"]}, "passed"),
        (["ok", "unknown"], {"status": "any"}, "passed"),
        (["ok", "error"], {"args": {"command": "make 0"}}, "passed"),
        (["ok", "error"], {"args": {"command": "/[1]$/"}}, "failed"),
    ],
)
def test_every_call_of_a_tool_has_a_status(
    client: str, statuses: list[str], keys: dict[str, Any], outcome: str
) -> None:
    calls = [ran(f"make {number}", of=client, status=one) for number, one in enumerate(statuses)]
    grade = graded("tool-status", session_of(*calls), tool="shell", **keys)
    assert grade.outcome == outcome
    opposite = {"passed": "failed", "failed": "passed", "skipped": "skipped"}
    assert grade.negated().outcome == opposite[outcome]


def test_without_such_a_call_nothing_holds_and_nothing_is_refuted() -> None:
    grade = graded("tool-status", MIXED, value="NoSuchTool")
    assert (grade.outcome, grade.negated().outcome) == ("failed", "skipped")
    assert grade.reason == "there is no such call"


@pytest.mark.parametrize(
    ("keys", "claim", "reason", "messages"),
    [
        ({"tool": ["Read", "Bash"]}, "every call of 'Read', 'Bash' ended with the status 'ok'",
         "1 of 3 calls did not", [2]),
        ({"tool": "Bash", "args": {"command": "b"}},
         "every call of 'Bash' with these arguments ended with the status 'ok'",
         "of 1 of 1 call nobody knows how it ended", [3]),
        ({"tool": "Bash", "args": {"command": "b"}, "status": "any"},
         "every call of 'Bash' with these arguments ended with any status", "1 call", []),
    ],
)  # fmt: skip
def test_what_is_said_of_how_calls_of_a_tool_ended(
    keys: dict[str, Any], claim: str, reason: str, messages: list[int]
) -> None:
    grade = graded("tool-status", OPEN, **keys)
    assert (grade.claim, grade.reason) == (claim, reason)
    assert [one.message for one in grade.evidence] == messages


def test_the_score_is_the_share_of_calls() -> None:
    grade = graded("tool-status", MIXED, tool="shell")
    assert grade.score == pytest.approx(1 / 5)
    assert grade.reason == "4 of 5 calls did not"
    assert len(grade.evidence) == 4


@pytest.mark.parametrize(
    ("type_", "keys", "problem"),
    [
        ("tool-errors", {"max": -1}, "must be a whole number of at least 0, not -1"),
        ("tool-errors", {"max": 1.5}, "must be a whole number of at least 0, not 1.5"),
        ("tool-errors", {"status": "failed"},
         "must be of ok, error, denied, cancelled, timeout, or any, not 'failed'"),
        ("tool-errors", {"tool": []}, "must not be empty: list at least one text"),
        ("tool-status", {}, "Field required"),
        ("tool-status", {"tool": "Bash", "args": {"command": "/(/"}},
         "is no regular expression: '(': missing ) at position 1"),
        ("tool-status", {"tool": "Bash", "args": ["command"]},
         "Input should be a valid dictionary"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_told(type_: str, keys: dict[str, Any], problem: str) -> None:
    assert [message for _, message in problems(type_, **keys)] == [problem]
