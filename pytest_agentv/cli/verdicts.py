"""How outcomes and verdicts look, and what to say of a case that is not well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.results.outcomes import is_unfinished, outcome_of_row

if TYPE_CHECKING:
    from pytest_agentv.results.model import Row, Score

OUTCOME_STYLES = {"passed": "green", "failed": "red", "error": "bold red", "skipped": "yellow"}
VERDICT_STYLES = {
    "pass": "green",
    "fail": "red",
    "error": "bold red",
    "skip": "yellow",
    "soft": "magenta",
}
# What does not hold, the worst first.
_BROKEN = ("error", "fail", "soft")
_MOST = 5


def why(row: Row) -> str:
    """What does not hold in a case, and why; what keeps it from being graded."""
    if is_unfinished(row):
        return row.error or ""
    broken = sorted(
        (one for one in row.scores if one.verdict in _BROKEN),
        key=lambda one: _BROKEN.index(one.verdict),
    )
    if broken:
        said = [_said(one) for one in broken[:_MOST]]
        return "; ".join([*said, *([f"{len(broken) - _MOST} more"] if broken[_MOST:] else [])])
    if outcome_of_row(row) in ("error", "skipped"):
        return row.error or ""
    # AgentV's newer rows say it here alone.
    false = [one for one in row.assertions if not one.passed and not row.scores]
    return "; ".join(f"{one.text}: {one.evidence}".rstrip(": ") for one in false[:_MOST])


def shown_verdict(score: Score) -> str:
    """The verdict of an assertion, and why a run does not fail by it."""
    return f"{score.verdict} ({score.excused})" if score.excused else score.verdict


def _said(score: Score) -> str:
    excuse = score.excused or ("soft" if score.verdict == "soft" else None)
    excused = f" ({excuse})" if excuse else ""
    reason = f": {score.reason}" if score.reason else ""
    return f"{score.name}{excused}{reason}"
