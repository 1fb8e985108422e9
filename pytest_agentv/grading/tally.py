"""What rows come to, counted as they come: the rows themselves are not kept."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pytest_agentv.engine.gating import gate_by_counts
from pytest_agentv.graders.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.grading.suites import Suite
    from pytest_agentv.grading.working import Done
    from pytest_agentv.results.model import Outcome

# Sentences and ids that are kept to be told.
_MOST_TOLD = 20


class _Score(Struct, frozen=True):
    verdict: str
    excused: str | None = None


class _Row(Struct, frozen=True):
    """What is counted of a row."""

    eval_file: str
    test_id: str
    outcome: str
    target: str | None = None
    error: str | None = None
    scores: tuple[_Score, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Whether something in it does not hold, or is broken, and nothing excuses that."""
        return any(one.verdict in ("fail", "error") and not one.excused for one in self.scores)


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
            (suite.eval_file, one.case.id)
            for suite in suites
            for one in suite.cases
            if one.case.xfail is not None
        }
        self._gated: dict[tuple[str, str, str | None], Counter[Outcome]] = {}
        # Gates over rows that are bad: nothing excuses these, as a strict unexpected pass.
        self._bad: set[tuple[str, str, str | None]] = set()

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
            if (row.eval_file, row.test_id) in self._rates:
                gate = (row.eval_file, row.test_id, row.target)
                counts = self._gated.setdefault(gate, Counter())
                counts[row.outcome] += 1  # type: ignore[index]  # one of ours
                if row.is_bad:
                    self._bad.add(gate)

    def gates(self) -> Iterator[Gate]:
        """What gates say, test by test."""
        for gate, counts in self._gated.items():
            test = gate[:2]
            outcome, reason = _judged(counts, self._rates[test])
            may_fail = test in self._expected and gate not in self._bad
            excused = "xfail" if outcome == "failed" and may_fail else None
            yield Gate(*gate, outcome, reason, excused)


def _judged(counts: Counter[Outcome], pass_rate: float) -> tuple[Outcome, str]:
    """What a gate says; a session that could not be graded might be the one that decides."""
    if broken := counts["error"]:
        return "error", f"{broken:,} of {counted(counts.total(), 'session')} could not be graded"
    grade = gate_by_counts(counts, pass_rate)
    return grade.outcome, grade.reason
