"""What a run of evals shows: the summary, annotations for GitHub, names in JUnit files.

It works on reports alone, because under pytest-xdist the process that shows them graded nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.pytest_ids import restore_id
from pytest_agentv.report import github
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.summary import repeat_lines, summary_lines
from pytest_agentv.report.tally import ItemFacts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.report.tally import Outcome
    from pytest_agentv.results.model import Verdict

# The mildest first: an item that fails and then errs in its teardown is one that errs.
_OUTCOMES: tuple[Outcome, ...] = ("passed", "xpassed", "skipped", "xfailed", "failed", "error")


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
            verdict=verdict_of(report) or "",
            message=_message(report),
            **report.agentv,
        )
        for outcome, report in graded
    )
    terminal.write_sep("=", "agentv")
    for line in (*summary_lines(items), *repeat_lines(items)):
        terminal.write_line(line)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _tell_github(terminal, config, items)


def verdict_of(report: pytest.TestReport) -> Verdict | None:
    """What a report says of an assertion; None if it says nothing yet."""
    if report.when != "call":
        if report.failed:
            return "error"
        if not report.skipped:
            return None
    if report.failed:
        return "fail"
    if report.passed:
        return "pass"
    excuse: str | None = getattr(report, "wasxfail", None)
    if excuse is None:
        return "skip"
    # Of what does not hold and need not, only a threshold leaves it to a score to decide.
    return "soft" if excuse.removeprefix("reason: ").startswith("soft: ") else "fail"


def _each_once(items: Iterable[ItemFacts]) -> list[ItemFacts]:
    """The worst of what is said of each item."""
    return list({item.nodeid: item for item in items}.values())


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
