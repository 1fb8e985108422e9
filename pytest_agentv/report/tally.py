"""What became of the assertions of a run, counted for each provider."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from pytest_agentv.results.model import Verdict  # noqa: TC001 (a struct needs it)
from pytest_agentv.results.outcomes import outcome_of
from pytest_agentv.results.verdicts import PytestOutcome, verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.results.model import Outcome

NO_TRANSCRIPT = "no transcript"
UNKNOWN_RATE = "-"
_BROKEN = frozenset({"failed", "error"})


class ItemFacts(Struct, frozen=True, kw_only=True):
    """What became of one assertion on one session."""

    nodeid: str
    # As pytest shows it, relative to the root directory.
    file: str
    # From 1.
    line: int | None = None
    case: str
    assertion: str
    # None: there was no transcript to grade.
    provider: str | None = None
    # Tells the sessions of one provider apart.
    session: str | None = None
    # A gate, which judges all sessions of a provider and is part of no case on one of them.
    of_group: bool = False
    # How many assertions of the case were to be graded; None: nobody says it.
    planned: int | None = None
    outcome: PytestOutcome
    # The verdict if pytest says that the failure was expected.
    if_xfailed: Verdict = "fail"
    message: str = ""

    @property
    def verdict(self) -> Verdict:
        """What became of it, whether or not the run fails for it."""
        return verdict_of(self.outcome, if_xfailed=self.if_xfailed)

    @property
    def broken(self) -> bool:
        """Whether this makes the run fail."""
        return self.outcome in _BROKEN


class WhichCase(NamedTuple):
    """A case on one session."""

    file: str
    case: str
    provider: str | None
    session: str | None


class Tally(Struct, frozen=True, kw_only=True):
    """Cases and assertions of one provider."""

    provider: str
    # A case counts once for each session.
    cases: int
    cases_passed: int
    passed: int
    failed: int
    errors: int
    skipped: int
    # They do not hold, and the run does not fail for it: a score or a gate counts, or they were
    # known to fail.
    soft: int

    @property
    def held(self) -> str:
        """The share of graded assertions that hold; rounded down, so that 100% means all."""
        graded = self.passed + self.failed + self.soft
        if not graded:
            return UNKNOWN_RATE
        tenths = self.passed * 1000 // graded
        return f"{tenths // 10}.{tenths % 10}%"


def tallies(items: Iterable[ItemFacts]) -> list[Tally]:
    """A tally for each provider in order of their names; of several, the sum is the last one."""
    groups: dict[str | None, list[ItemFacts]] = defaultdict(list)
    for item in items:
        groups[item.provider].append(item)
    providers = sorted(groups, key=lambda one: (one is None, one or ""))
    counted = [
        _tally(NO_TRANSCRIPT if one is None else one, items=groups[one]) for one in providers
    ]
    if len(counted) > 1:
        everything = [item for one in providers for item in groups[one]]
        counted.append(_tally("total", items=everything))
    return counted


def case_outcomes(items: Iterable[ItemFacts]) -> dict[WhichCase, Outcome]:
    """What became of each case on each session, in the order of the first of its assertions."""
    cases: dict[WhichCase, list[ItemFacts]] = {}
    for item in items:
        if not item.of_group:
            which = WhichCase(item.file, item.case, item.provider, item.session)
            cases.setdefault(which, []).append(item)
    return {which: _outcome(several) for which, several in cases.items()}


def _outcome(items: list[ItemFacts]) -> Outcome:
    planned = max(item.planned or 0 for item in items)
    ungraded = max(planned - len(items), 0)
    return outcome_of([item.verdict for item in items], ungraded=ungraded)


def _tally(provider: str, *, items: list[ItemFacts]) -> Tally:
    outcomes = case_outcomes(items).values()
    counts = Counter(_counted_as(item) for item in items)
    return Tally(
        provider=provider,
        cases=len(outcomes),
        cases_passed=sum(outcome == "passed" for outcome in outcomes),
        passed=counts["pass"],
        failed=counts["fail"],
        errors=counts["error"],
        skipped=counts["skip"],
        soft=counts["soft"],
    )


def _counted_as(item: ItemFacts) -> Verdict:
    """The column of the table: what does not fail the run is not among what failed."""
    return "soft" if item.verdict == "fail" and not item.broken else item.verdict
