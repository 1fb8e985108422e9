"""Gates: how many sessions have to pass, and what is said of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_agentv.engine.gating import MemberVerdict, SessionOutcome, gate, session_outcome

if TYPE_CHECKING:
    from pytest_agentv.results.model import Outcome, Verdict


def _sessions(*outcomes: Outcome) -> list[SessionOutcome]:
    return [SessionOutcome(f"one[{number}]", one) for number, one in enumerate(outcomes)]


def _counted(passed: int, *, failed: int) -> list[SessionOutcome]:
    held: list[Outcome] = ["passed"] * passed
    broken: list[Outcome] = ["failed"] * failed
    return _sessions(*held, *broken)


@pytest.mark.parametrize(
    ("passed", "runs", "pass_rate", "holds"),
    [(4, 5, 0.8, True), (4, 5, 0.81, False), (1, 3, 1 / 3, True), (3, 3, 1, True), (2, 3, 1, False),
     (0, 3, 0.01, False), (7, 10, 0.7, True)],
)  # fmt: skip
def test_a_gate_holds_if_the_rate_is_reached(
    passed: int, runs: int, pass_rate: float, *, holds: bool
) -> None:
    grade = gate(_counted(passed, failed=runs - passed), pass_rate)
    assert bool(grade) is holds
    assert grade.points == pytest.approx(passed / runs)


def test_sessions_that_were_skipped_leave_the_rate() -> None:
    grade = gate(_sessions("passed", "skipped", "failed", "skipped"), 0.5)
    assert grade.outcome == "passed"
    assert grade.reason.startswith("1 of 2 sessions passed, 50.0% (95 % interval ")
    assert grade.reason.endswith("; 2 skipped")


def test_if_all_are_skipped_the_gate_is() -> None:
    grade = gate([SessionOutcome("one", "skipped", "cost: says nothing")], 0.5)
    assert (grade.outcome, grade.points) == ("skipped", None)
    assert grade.reason == "none of 1 session could be graded: cost: says nothing"


def test_a_gate_that_is_skipped_says_the_first_reason_that_there_is() -> None:
    sessions = [SessionOutcome("one", "skipped"), SessionOutcome("two", "skipped", "cost: unknown")]
    assert gate(sessions, 0.5).reason == "none of 2 sessions could be graded: cost: unknown"
    assert gate(sessions[:1], 0.5).reason == "none of 1 session could be graded"


def test_sessions_that_failed_are_listed_first_and_not_without_end() -> None:
    grade = gate(_counted(100, failed=1), 1)
    lines = grade.details.splitlines()
    assert lines[0] == "one[100]: failed"
    assert len(lines) == 51
    assert lines[-1] == "and 51 sessions more"


def _member(name: str, verdict: Verdict) -> MemberVerdict:
    return MemberVerdict(name, verdict, f"{verdict} it is")


def test_a_session_says_which_assertion_failed_first() -> None:
    members = [_member("a", "soft"), _member("b", "pass"), _member("c", "fail")]
    assert session_outcome("one", members) == SessionOutcome("one", "failed", "c: fail it is")
    soft = [_member("a", "soft"), _member("score", "pass")]
    assert session_outcome("one", soft) == SessionOutcome("one", "passed", "")
    assert session_outcome("one", [_member("a", "skip")]).why == "a: skip it is"
