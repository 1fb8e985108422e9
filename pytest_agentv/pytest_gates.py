"""The gate of a case as an item: it grades every session of one provider, and counts.

It does so itself, as the score of a case does, and so it is right on any worker and whatever else
is selected. What it needs is set up and torn down as for any assertion, session after session, so
that fixtures are those of the session and one transcript is in memory at a time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_agentv.engine.gating import MemberVerdict, gate, session_outcome, verdict_of_grade
from pytest_agentv.errors import AgentvError
from pytest_agentv.pytest_evals import evals_of
from pytest_agentv.pytest_nodes import AssertionItem, CaseNode
from pytest_agentv.report.clean import one_line
from pytest_agentv.results.outcomes import GATE, SCORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_agentv.engine.gating import SessionOutcome
    from pytest_agentv.errors import Location
    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.pytest_runs import CaseRun


# What an item does in place of pytest's phases, if a gate grades it.
PHASES = pytest.StashKey["Callable[[], None]"]()


class GateItem(AssertionItem):
    """Whether enough sessions of one provider pass."""

    _outcomes: list[SessionOutcome] | None = None
    _error: BaseException | None = None

    @property
    def type(self) -> str:
        """The type."""
        return GATE

    @property
    def at(self) -> Location:
        """The place of the case in its eval file."""
        return self.run.case.at

    @property
    def is_gated(self) -> bool:
        """Never: it is the gate."""
        return False

    @property
    def facts(self) -> dict[str, Any]:
        """What reports say of the item: it is of a provider, and of no single session."""
        provider = self.run.provider
        return {
            **super().facts,
            "provider": None if provider is None else one_line(provider),
            "session": None,
            "of_group": True,
        }

    def grade_sessions(self) -> None:
        """Grade all sessions, before pytest sets the gate itself up."""
        if self.config.getoption("setupplan", default=False):
            return
        self._outcomes = []
        for run in self.run.gated:
            try:
                self._outcomes.append(session_outcome(run.name, self._verdicts(run)))
            except AgentvError as exc:  # what makes a score of grades may find nothing to count
                self._error = exc
            if self._error is not None:
                return

    def setup(self) -> None:
        """Judge; an assertion that could not be graded is an error of the gate."""
        __tracebackhide__ = True
        error = self._error
        try:
            if error is not None:
                # Who runs the gate once more must not get what was counted before the error.
                self._error = _without_traceback(error)
                raise error
            if self._outcomes is not None:
                self.take_grade(gate(self._outcomes, self.run.case.gate or 0))
        finally:
            self._add_properties(None)

    def _verdicts(self, run: CaseRun) -> list[MemberVerdict]:
        """The verdicts on one session, which may have been graded before in this process."""
        known = run.known_grades()
        if known is not None:
            return list(_known_verdicts(run, known))
        node = self.parent
        if self.run.is_group and node is not None:
            node = CaseNode.from_parent(node.parent, name=run.name, run=run, names=[])
        assert isinstance(node, CaseNode)
        items = list(node.assertions(run.own_names))
        if run.session is not None:
            for _ in items:  # each lets it go again
                evals_of(self.config).transcripts.expect(run.session)
        return [
            self._verdict(item, nextitem=following)
            for item, following in zip(items, [*items[1:], self], strict=True)
        ]

    def _verdict(self, item: AssertionItem, *, nextitem: AssertionItem) -> MemberVerdict:
        """What becomes of an assertion, with all that pytest sets up and tears down for one."""
        hook = item.ihook
        error: BaseException | None = None
        grade: Grade | None = None

        def phases() -> None:
            nonlocal error, grade
            error = _raised(item, "setup", partial(hook.pytest_runtest_setup, item=item))
            grade = item.grade
            teardown = partial(hook.pytest_runtest_teardown, item=item, nextitem=nextitem)
            error = _raised(item, "teardown", teardown) or error

        # Within the protocol, in which other plugins prepare an item for its phases.
        item.stash[PHASES] = phases
        hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        del item.stash[PHASES]  # which knows the item, and so both would wait for the collector
        item.funcargs = {}  # as pytest does: whoever keeps the item does not keep its session
        if error is None and grade is not None:
            return _member(item.name, grade, soft=item.is_soft)
        # An expected failure is none of what was graded: nothing was.
        if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
            return MemberVerdict(item.name, "skip", str(error))
        if self._error is None:
            self._error = error or AgentvError("was not graded", at=item.at)
            self.add_report_section("setup", GATE, f"while {item.nodeid} was graded")
        return MemberVerdict(item.name, "error", str(error))


def _raised(
    item: AssertionItem, when: Literal["setup", "teardown"], call: Callable[[], None]
) -> BaseException | None:
    """What a phase of an item raises; fixtures of pytest's own go by the reports of phases."""
    info = pytest.CallInfo.from_call(call, when, reraise=(pytest.exit.Exception, KeyboardInterrupt))
    item.ihook.pytest_runtest_makereport(item=item, call=info)
    return None if info.excinfo is None else info.excinfo.value


def _without_traceback(error: BaseException) -> AgentvError:
    """What an error says; its traceback would keep the transcript."""
    if isinstance(error, AgentvError):
        return AgentvError(error.message, at=error.at)
    return AgentvError(str(error) or type(error).__name__)


def _known_verdicts(run: CaseRun, grades: list[Grade]) -> Iterator[MemberVerdict]:
    """The verdicts on a session that was graded before in this process."""
    for number, grade in enumerate(grades):
        yield _member(run.own_names[number], grade, soft=run.is_soft(number))
    if run.case.threshold is not None:
        yield _member(SCORE, run.score_of(grades), soft=False)


def _member(name: str, grade: Grade, *, soft: bool) -> MemberVerdict:
    return MemberVerdict(name, verdict_of_grade(grade, soft=soft), grade.reason)
