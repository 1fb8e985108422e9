"""What a run of evals shows: the summary, annotations for GitHub, names in JUnit files.

It works on reports alone, because under pytest-xdist the process that shows them graded nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.pytest_ids import crashed_parts, restore_id
from pytest_agentv.pytest_judge import judge_lines
from pytest_agentv.report import github
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.failure import NO_SESSION
from pytest_agentv.report.summary import repeat_lines, summary_lines
from pytest_agentv.report.tally import ItemFacts
from pytest_agentv.results.verdicts import verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.results.model import Verdict
    from pytest_agentv.results.verdicts import PytestOutcome

# The mildest first: an item that fails and then errs in its teardown is one that errs.
_OUTCOMES: tuple[PytestOutcome, ...] = (
    "passed",
    "xpassed",
    "skipped",
    "xfailed",
    "failed",
    "error",
)


def show_summary(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show how each provider did."""
    graded = [
        (outcome, report)
        for outcome in _OUTCOMES
        for report in terminal.stats.get(outcome, ())
        if hasattr(report, "agentv")
    ]
    items = _each_once(
        ItemFacts(
            nodeid=report.nodeid,
            outcome=outcome,
            message=_message(report),
            **report.agentv,
        )
        for outcome, report in graded
    )
    items += _crashed(terminal.stats.get("failed", ()), items)
    terminal.write_sep("=", "agentv")
    judged = judge_lines(report for _, report in graded)
    lacking = _lacking_lines(report for outcome, report in graded if outcome == "skipped")
    for line in (*summary_lines(items), *lacking, *repeat_lines(items), *judged):
        terminal.write_line(line)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _tell_github(terminal, config, items)


def _lacking_lines(skipped: Iterable[Any]) -> list[str]:
    """What to give, if nobody gave a session; pytest shows reasons of what is skipped with -rs."""
    reasons = (one.longrepr[2] for one in skipped if isinstance(one.longrepr, tuple))
    lacking = sum(reason.endswith(NO_SESSION) for reason in reasons)
    _, _, remedy = NO_SESSION.partition(": ")  # of which the table says the first half
    return [f"{lacking:,} skipped: {remedy}"] if lacking else []


def outcome_of_report(report: Any) -> PytestOutcome | None:
    """What pytest counts a report as; None for a setup or teardown that went well."""
    outcome = report.outcome
    if outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if hasattr(report, "wasxfail"):
        return "xfailed" if outcome == "skipped" else "xpassed"
    if outcome == "skipped":
        return "skipped"
    return "passed" if report.when == "call" else None


def verdict_of_report(report: Any) -> Verdict | None:
    """What a report says of an assertion; None if it says nothing."""
    outcome = outcome_of_report(report)
    if outcome is None:
        return None
    return verdict_of(outcome, if_xfailed=report.agentv["if_xfailed"])


def _each_once(items: Iterable[ItemFacts]) -> list[ItemFacts]:
    """The worst of what is said of each item."""
    return list({item.nodeid: item for item in items}.values())


def _crashed(reports: Iterable[pytest.TestReport], others: list[ItemFacts]) -> Iterator[ItemFacts]:
    """Assertions that took their worker with them."""
    providers = {one.provider for one in others if one.provider is not None}
    for report in reports:
        parts = crashed_parts(report)
        if parts is None:
            continue
        provider = parts.provider(providers)
        yield ItemFacts(
            nodeid=report.nodeid,
            file=one_line(parts.file),
            case=parts.test_id,
            assertion=parts.name,
            provider=provider,
            session=None if provider is None else parts.case,
            outcome="error",
            message=_message(report),
        )


def _message(report: Any) -> str:
    return str(report.longreprtext) if report.failed else ""


def _tell_github(
    terminal: pytest.TerminalReporter, config: pytest.Config, items: list[ItemFacts]
) -> None:
    folder = github.folder_in_workspace(
        config.rootpath, workspace=os.environ.get("GITHUB_WORKSPACE")
    )
    terminal.ensure_newline()
    for line in github.annotation_lines(items, folder=folder):
        terminal.write_line(line)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        problem = github.append_step_summary(path, github.step_summary(items))
        if problem is not None:
            terminal.write_line(problem)


class ReportNames:
    """Names assertions in JUnit files and in reports of workers as everywhere else.

    The writer of JUnit files takes over attributes that are set before a report reaches it.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Set the name of an assertion before it is written."""
        if not hasattr(report, "agentv"):
            if crashed_parts(report) is not None:
                restore_id(report)
            return
        restore_id(report)
        path, _, name = report.nodeid.partition("::")
        attributes = {"name": name}
        if one_line(path) != path:  # pytest writes the names of files as they are
            attributes |= {"classname": one_line(path), "file": one_line(path)}
        for writer in self._writers():
            case = writer.node_reporter(report)
            for attribute, value in attributes.items():
                case.add_attribute(attribute, value)

    def _writers(self) -> list[Any]:
        # Not get_plugins(): a set, which has no place for plugins that cannot be hashed.
        plugins = self._config.pluginmanager.list_name_plugin()
        writers = [one for _, one in plugins if type(one).__name__ == "LogXML"]
        return [one for one in writers if hasattr(one, "node_reporter")]
