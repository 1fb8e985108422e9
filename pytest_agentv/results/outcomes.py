"""What "passed" means: the one rule by which every command judges a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.results.model import ExecutionStatus, Outcome, Row, Score

# From this score on AgentV lets a test pass that says nothing of it.
_AGENTV_THRESHOLD = 0.8
# Types of items that judge others: the score of a case, and the gate of several sessions.
SCORE = "score"
GATE = "gate"

_OUTCOME_OF: dict[str, Outcome] = {
    "ok": "passed",
    "quality_failure": "failed",
    "execution_error": "error",
}
_STATUS_OF: dict[str, ExecutionStatus] = {
    "passed": "ok",
    "failed": "quality_failure",
    "error": "execution_error",
    "skipped": "ok",
}


def outcome_of(verdicts: Iterable[str], *, ungraded: int = 0) -> Outcome:
    """What became of a case: it passes if something holds and nothing is broken.

    What is soft need not hold; a case of which nothing was graded is skipped. One that has yet
    ``ungraded`` assertions, because its run broke off, can fail, but never pass.
    """
    found = set(verdicts)
    if "error" in found:
        return "error"
    if "fail" in found:
        return "failed"
    if ungraded:
        return "error"
    if "pass" in found:
        return "passed"
    return "failed" if "soft" in found else "skipped"


def outcome_of_row(row: Row) -> Outcome:
    """The outcome of a row, also of one that AgentV wrote."""
    if row.outcome in _STATUS_OF:
        return row.outcome  # type: ignore[return-value]  # one of its keys
    if row.execution_status in _OUTCOME_OF:
        return _OUTCOME_OF[row.execution_status]
    if row.error:
        return "error"
    if row.score is None:
        return outcome_of(one.verdict for one in row.scores)
    threshold = _AGENTV_THRESHOLD if row.threshold is None else row.threshold
    return "passed" if row.score >= threshold else "failed"


def is_unfinished(row: Row) -> bool:
    """Whether nobody knows what became of a case, because its run broke off."""
    broken = any(one.verdict == "error" for one in row.scores)
    return row.ungraded > 0 and outcome_of_row(row) == "error" and not broken


def status_of(outcome: Outcome) -> ExecutionStatus:
    """The same as AgentV calls it, which knows no skipped cases."""
    return _STATUS_OF[outcome]


def mean_score(scores: Sequence[Score]) -> float | None:
    """The weighted mean of what was graded; None for an error, or if nothing was graded."""
    if "error" in [one.verdict for one in scores]:
        return None
    graded = [(one.score, one.weight) for one in scores if one.score is not None]
    weight = sum([weight for _, weight in graded])
    if not weight:
        return None
    return sum([score * weight for score, weight in graded]) / weight
