"""The gate of a case: one more outcome, by how many of a provider's sessions pass."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from pytest_agentv.graders.grade import Grade, missing
from pytest_agentv.graders.phrases import counted
from pytest_agentv.graders.scores import reaches
from pytest_agentv.results.outcomes import outcome_of
from pytest_agentv.results.repeats import percent, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_agentv.results.model import Outcome, Verdict

# Sessions that a text lists, those first that did not pass.
_MOST_SESSIONS = 50
_ORDER = ("failed", "skipped", "passed")


class MemberVerdict(Struct, frozen=True):
    """What became of one assertion on one session."""

    name: str
    verdict: Verdict
    reason: str = ""


class SessionOutcome(Struct, frozen=True):
    """What became of a case on one session, and the assertion that says why."""

    name: str
    outcome: Outcome
    why: str = ""


def verdict_of_grade(grade: Grade, *, soft: bool) -> Verdict:
    """What a grade means for its case; ``soft``: if it does not hold, a score decides."""
    if grade.outcome == "failed":
        return "soft" if soft else "fail"
    return "pass" if grade.outcome == "passed" else "skip"


def session_outcome(name: str, members: Iterable[MemberVerdict]) -> SessionOutcome:
    """Whether a session passes, by the verdicts on its assertions."""
    members = list(members)
    outcome = outcome_of(one.verdict for one in members)
    telling = {"failed": ("fail", "soft"), "skipped": ("skip",)}.get(outcome, ())
    # What fails says more than what is soft, which the score sums up.
    first = next((one for verdict in telling for one in members if one.verdict == verdict), None)
    why = "" if first is None else f"{first.name}: {first.reason}" if first.reason else first.name
    return SessionOutcome(name, outcome, why)


def gate(sessions: Sequence[SessionOutcome], pass_rate: float) -> Grade:
    """Whether enough sessions pass; those that were skipped do not count."""
    return gate_by_counts(
        Counter(one.outcome for one in sessions),
        pass_rate,
        why=next((one.why for one in sessions if one.why), ""),
        details=_details(sessions),
    )


def gate_by_counts(
    counts: Mapping[Outcome, int], pass_rate: float, *, why: str = "", details: str = ""
) -> Grade:
    """The same, of sessions that were only counted; ``why`` is of one that did not pass."""
    passed, skipped = counts.get("passed", 0), counts.get("skipped", 0)
    runs = passed + counts.get("failed", 0)
    claim = f"at least {percent(pass_rate)} of the sessions pass"
    if not runs:
        graded = f"none of {counted(sum(counts.values()), 'session')} could be graded"
        return missing(claim, f"{graded}: {why}" if why else graded)
    rate = passed / runs
    low, high = wilson(runs, passed)
    reason = (
        f"{passed} of {counted(runs, 'session')} passed, {percent(rate)} "
        f"(95 % interval {percent(low)} to {percent(high)})"
    )
    if skipped:
        reason += f"; {skipped} skipped"
    holds = reaches(rate, pass_rate)
    return Grade("passed" if holds else "failed", reason, rate, claim, details=details)


def _details(sessions: Sequence[SessionOutcome]) -> str:
    ordered = sorted(sessions, key=lambda one: _ORDER.index(one.outcome))
    lines = [
        f"{one.name}: {one.outcome}" + (f": {one.why}" if one.why else "")
        for one in ordered[:_MOST_SESSIONS]
    ]
    if more := len(sessions) - len(lines):
        lines.append(f"and {counted(more, 'session')} more")
    return "\n".join(lines)
