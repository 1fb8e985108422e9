"""Hooks of a run that grades: registered with the first eval file, so that others pay nothing."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.errors import AgentvError, PluginError
from pytest_agentv.pytest_clean import clean_properties, clean_reports
from pytest_agentv.pytest_evals import evals_of
from pytest_agentv.pytest_fixtures import follow_requests
from pytest_agentv.pytest_gates import PHASES, GateItem
from pytest_agentv.pytest_ids import KEPT
from pytest_agentv.pytest_judge import SHARED as JUDGE
from pytest_agentv.pytest_memory import CollectedMemory
from pytest_agentv.pytest_nodes import AssertionItem, EvalModule
from pytest_agentv.report.clean import clean, is_text, one_line, wrappable
from pytest_agentv.report.failure import capped
from pytest_agentv.sources import RecordedSession

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_agentv.pytest_evals import Evals
    from pytest_agentv.pytest_notes import ResultNotes

_NAME = "agentv-hooks"
_NOTES = "agentv-notes"
_SENT = "agentv-sent-notes"
# Node id of what is wrong with the option itself.
_OPTION = "--transcript"
# The fixture that every assertion takes.
_TRANSCRIPT = frozenset({"transcript"})
# What says before the call that an assertion is not to be graded.
_NOT_GRADED = (pytest.skip.Exception, pytest.xfail.Exception)


def eval_module(path: Path, parent: pytest.Collector) -> EvalModule | None:
    """The node of an eval file; none if it has a name that pytest cannot show."""
    problem = _problem_of_name(path, parent.config.rootpath)
    if problem is not None:
        # Not an error of the parent, whose name may be as bad, and which may have other files.
        _report_problem(parent.config, one_line(str(path)), f"{one_line(str(path))}: {problem}")
        return None
    manager = parent.config.pluginmanager
    if not manager.has_plugin(_NAME):
        try:
            evals = evals_of(parent.config)
        except PluginError as exc:
            raise parent.CollectError(one_line(str(exc))) from exc
        manager.register(EvalHooks(evals, _notes(evals, parent.config)), _NAME)
        follow_requests(parent.config)
    module: EvalModule = EvalModule.from_parent(parent, path=path)
    module.gate_item = GateItem
    return module


def _problem_of_name(path: Path, root: Path) -> str | None:
    """Why pytest must not get a node of this name, as it prints it as it stands."""
    name = str(path.relative_to(root) if path.is_relative_to(root) else path)
    if not is_text(name):  # it could neither remember nor send it
        return "the name of an eval file must be UTF-8 text"
    if "\n" in name or clean(name) != name:
        return "the name of an eval file must be printable text, and no command to a CI system"
    return None


def _report_problem(config: pytest.Config, nodeid: str, problem: str) -> None:
    report = pytest.CollectReport(
        nodeid=nodeid, outcome="failed", longrepr=capped(problem), result=None
    )
    config.hook.pytest_collectreport(report=report)


def _notes(evals: Evals, config: pytest.Config) -> ResultNotes | None:
    """What makes notes of reports, if this run is kept."""
    # Not by the options: a worker does not see one that was set for pytest, as agentv eval does.
    is_told = KEPT in getattr(config, "workerinput", {})
    if not is_told and not config.pluginmanager.has_plugin(KEPT):
        return None
    from pytest_agentv.pytest_notes import ResultNotes, SentNotes  # noqa: PLC0415 (for those only)
    from pytest_agentv.pytest_results import run_keeper, transcript_keeper  # noqa: PLC0415

    transcripts = transcript_keeper(config)
    if transcripts is None:
        return None
    notes = ResultNotes(evals, transcripts)
    config.pluginmanager.register(notes, _NOTES)
    keeper = run_keeper(config)
    if keeper is None:
        config.pluginmanager.register(SentNotes(notes), _SENT)
    else:  # one call less for each report
        keeper.note_of = notes.note
    return notes


class EvalHooks:
    """Counts who needs which session, and makes reports fit to leave the process."""

    def __init__(self, evals: Evals, notes: ResultNotes | None) -> None:
        self._evals = evals
        self._notes = notes
        self._memory = CollectedMemory()

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Note an eval file that is wanted; with --lf pytest may yet leave it alone."""
        if isinstance(collector, EvalModule):
            self._evals.expect_file()

    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """Say which sessions nobody grades, once all eval files are known."""
        for problem in self._evals.leftovers():
            _report_problem(config, _OPTION, problem)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the items of each session, so that it can be let go after the last.

        And those of each case: one that lacks some in the end did not pass.
        """
        without_fixtures = True
        for item in session.items:
            if isinstance(item, AssertionItem) and not isinstance(item, GateItem):
                item.run.planned += 1
            if without_fixtures:
                without_fixtures = _takes_transcript_only(item)
            recorded = _session_of(item)
            if recorded is not None:
                self._evals.transcripts.expect(recorded)
        if not without_fixtures and any(map(_takes_more, session.items)):
            # Why a fixture expects a failure pytest adds to a report after us.
            clean_reports(session.config, _TRANSCRIPT)
        self._memory.collected(len(session.items), only_reports=without_fixtures)

    @pytest.hookimpl(wrapper=True)
    def pytest_unconfigure(self) -> Generator[None, None, None]:
        """Leave the garbage collector as it was, whatever happened; others have let go by then."""
        try:
            return (yield)
        finally:
            self._memory.finished()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Let a gate grade its sessions before pytest runs it, as it runs one item at a time."""
        phases = item.stash.get(PHASES, None)
        if phases is not None:
            phases()
            return True  # nobody else runs what a gate grades
        self._memory.between_items()
        if isinstance(item, GateItem):
            item.grade_sessions()
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """Say in a report what was graded; nothing of a session leaves the process unclean."""
        report = None
        if isinstance(item, AssertionItem):
            # As pytest makes it. Not a wrapper around that, which costs more than all the rest.
            report = pytest.TestReport.from_item_and_call(item, _without_traceback(call))
            _complete(report, item, call)
            if call.when == "call" or report.failed:
                self._tell_judges(report, item, call)
            if report.failed:
                # Run again, it is graded again; and what a fixture breaks in its teardown, a score
                # or a gate is to meet as well.
                item.run.forget(item.number)
            if report.failed and call.excinfo is not None:
                report.longrepr = _shown(report, item, call.excinfo.value)
            if self._notes is not None:
                if call.when == "call" or call.excinfo is not None:
                    self._notes.expect(item, call)
                elif call.when == "setup":
                    self._notes.setup_seconds = call.duration
        if call.when == "teardown":
            self._let_go(item)
        return report

    def _tell_judges(
        self, report: pytest.TestReport, item: AssertionItem, call: pytest.CallInfo[None]
    ) -> None:
        """Say what judges took."""
        judge = self._evals.judge
        use = None if item.grade is None else item.grade.judge
        if use is not None or judge.uses:
            setattr(report, JUDGE, judge.facts(use, done=call.when == "call"))

    def _let_go(self, item: pytest.Item) -> None:
        """What an item needed and others may not: its grade, its session."""
        if isinstance(item, AssertionItem):
            item.grade = None
        recorded = _session_of(item)
        if recorded is not None:
            self._evals.transcripts.done(recorded)


def _session_of(item: pytest.Item) -> RecordedSession | None:
    """The session that an assertion or an ordinary test needs."""
    if isinstance(item, AssertionItem):
        return item.run.session
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    session = parameters.get("transcript")
    return session if isinstance(session, RecordedSession) else None


def _takes_transcript_only(item: pytest.Item) -> bool:
    """Whether an item is an assertion, and nobody's fixtures are set up for it."""
    return isinstance(item, AssertionItem) and item.fixturenames == ["transcript"]


def _takes_more(item: pytest.Item) -> bool:
    """Whether an item is an assertion for which fixtures of others are set up."""
    return isinstance(item, AssertionItem) and not _takes_transcript_only(item)


def _without_traceback(call: pytest.CallInfo[None]) -> pytest.CallInfo[None]:
    """The same, if it is no error of ours: what a report says of these is put in later.

    pytest would look up the source of every frame, which takes a tenth of a second each time.
    """
    error = None if call.excinfo is None else call.excinfo.value
    if call.when == "call" or not isinstance(error, AgentvError):
        return call
    short = copy(call)
    short.excinfo = _stand_in()
    return short


@cache
def _stand_in() -> pytest.ExceptionInfo[AgentvError]:
    __tracebackhide__ = True
    with pytest.raises(AgentvError) as caught:
        raise AgentvError("")
    return caught


def _complete(report: pytest.TestReport, item: AssertionItem, call: pytest.CallInfo[None]) -> None:
    facts = item.facts
    if call.excinfo is not None and call.when != "call":
        # A mark may excuse this, too; but it is no grade, and never was one.
        verdict = "skip" if isinstance(call.excinfo.value, _NOT_GRADED) else "error"
        facts = {**facts, "if_xfailed": verdict}
    # Reports take more attributes, and keep them on their way from a worker.
    report.agentv = facts  # type: ignore[attr-defined]
    if report.skipped and isinstance(report.longrepr, tuple):
        # pytest names the line of our code that skipped; people look for that of the eval file.
        reason = wrappable(capped(report.longrepr[2]))
        report.longrepr = (facts["file"], facts["line"], reason)
    if report.sections:
        report.sections = [(one_line(name), capped(text)) for name, text in report.sections]
    if report.user_properties:
        report.user_properties = clean_properties(report.user_properties)


def _shown(report: pytest.TestReport, item: AssertionItem, error: BaseException) -> Any:
    """What a report says of an error: a sentence if it is ours, else all that pytest says."""
    text = item.error_text(error) or str(report.longrepr)
    cleaned = capped(text)
    return report.longrepr if cleaned == str(report.longrepr) else cleaned
