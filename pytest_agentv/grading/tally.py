"""What rows come to, counted as they come: the rows themselves are not kept."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pytest_agentv.engine.gating import gate_by_counts
from pytest_agentv.graders.phrases import counted
from pytest_agentv.results.model import Outcome  # noqa: TC001 (a struct looks at its types)
from pytest_agentv.results.outcomes import outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.grading.suites import Suite
    from pytest_agentv.grading.working import Done

# Sentences and ids that are kept to be told.
_MOST_TOLD = 20


class _Score(Struct, frozen=True):
    verdict: str
    excused: str | None = None


class _Row(Struct, frozen=True):
    """What is counted of a row."""

    eval_file: str
    test_id: str
    outcome: Outcome
    target: str | None = None
    error: str | None = None
    scores: tuple[_Score, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Whether something in it does not hold, or is broken, and nothing excuses that."""
        return any(one.verdict in ("fail", "error") and not one.excused for one in self.scores)

    @property
    def outcome_expected_to_fail(self) -> Outcome:
        """The outcome by grades alone, where an `xfail` excuses all that does not hold.

        What is a failure without an excuse holds then, and must not: a gate counts it as it holds.
        """
        return outcome_of(
            "pass" if one.verdict == "fail" and not one.excused else one.verdict
            for one in self.scores
        )


_decoder = msgspec.json.Decoder(_Row)


class Gate(Struct, frozen=True):
    """What the gate of a test says of the sessions of one provider."""

    eval_file: str
    test_id: str
    target: str | None
    outcome: Outcome
    reason: str
    # Why grading does not fail though the gate does, if it need not hold.
    excused: str | None = None


class Tally:
    """Counts."""

    def __init__(self, suites: Sequence[Suite]) -> None:
        self.sessions = 0
        self.rows = 0
        # Rows that something in them makes bad, whatever they are called.
        self.bad = 0
        self.outcomes: Counter[str] = Counter()
        # Files that could not be read at all.
        self.failed = 0
        self.failures: list[str] = []
        self.unknown: dict[str, None] = {}
        self._rates = {
            (suite.eval_file, one.case.id): one.case.gate
            for suite in suites
            for one in suite.cases
            if one.case.gate is not None
        }
        self._expected = {
            (suite.eval_file, one.case.id): one.case.xfail
            for suite in suites
            for one in suite.cases
            if one.case.xfail is not None
        }
        self._gated: dict[tuple[str, str, str | None], Counter[Outcome]] = {}

    def add(self, done: Done) -> None:
        """Count a portion."""
        self.sessions += done.sessions
        self.failed += len(done.failures)
        self.failures += done.failures[: _MOST_TOLD - len(self.failures)]
        for test_id in done.unknown:
            if len(self.unknown) < _MOST_TOLD:
                self.unknown[test_id] = None
        for line in done.rows:
            row = _decoder.decode(line)
            self.rows += 1
            self.outcomes[row.outcome] += 1
            self.bad += row.is_bad
            test = (row.eval_file, row.test_id)
            if test in self._rates:
                counts = self._gated.setdefault((*test, row.target), Counter())
                outcome = row.outcome_expected_to_fail if test in self._expected else row.outcome
                counts[outcome] += 1

    def gates(self) -> Iterator[Gate]:
        """What gates say, test by test."""
        for gate, counts in self._gated.items():
            test = gate[:2]
            outcome, reason = _judged(counts, self._rates[test])
            xfail = self._expected.get(test)
            excused = "xfail" if outcome == "failed" and xfail is not None else None
            if outcome == "passed" and xfail is not None and xfail.strict:
                outcome, reason = "failed", f"[XPASS(strict)] {xfail.reason}"
            yield Gate(*gate, outcome, reason, excused)


def _judged(counts: Counter[Outcome], pass_rate: float) -> tuple[Outcome, str]:
    """What a gate says; a session that could not be graded might be the one that decides."""
    if broken := counts["error"]:
        return "error", f"{broken:,} of {counted(counts.total(), 'session')} could not be graded"
    grade = gate_by_counts(counts, pass_rate)
    return grade.outcome, grade.reason
