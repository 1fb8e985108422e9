"""Redaction of a run: whatever leaves a process that graded is redacted before it does.

Assertions are graded on the sessions as they are, so that no verdict depends on it. Reports,
warnings and errors are redacted where they are made; under pytest-xdist that is on the workers, so
that nothing else is ever sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.errors import AgentvError
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.outgoing import Outgoing

if TYPE_CHECKING:
    import warnings
    from collections.abc import Generator

_outgoing = pytest.StashKey[Outgoing]()


def use_redaction(config: pytest.Config, profile: str) -> None:
    """Redact what this run writes."""
    from pytest_agentv.redact import (  # noqa: PLC0415 (has many rules)
        PROFILES,
        Redactor,
        read_redact_settings,
    )

    if profile not in PROFILES:
        known = ", ".join(PROFILES)
        raise pytest.UsageError(
            f"agentv_redact: there is no profile {one_line(profile)!r}; known: {known}"
        )
    if profile == "none":
        return
    try:
        redactor = Redactor(profile, settings=read_redact_settings(config.rootpath))
    except AgentvError as exc:
        raise pytest.UsageError(str(exc)) from exc
    outgoing = config.stash[_outgoing] = Outgoing(redactor)
    config.pluginmanager.register(RedactedReports(outgoing), "agentv-redaction")


def outgoing_of(config: pytest.Config) -> Outgoing | None:
    """What redacts the texts of this run; None if nobody asked for it."""
    return config.stash.get(_outgoing, None)


class RedactedReports:
    """Redacts all that pytest is told, of our items and of all others."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing

    # Around all others that make a report, or change it.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Redact a report before anybody gets it."""
        report = yield
        if report is not None:
            self._redact(report)
            report.user_properties = [
                (self._text(str(name)), self._outgoing.value(value))
                for name, value in report.user_properties
            ]
            if hasattr(report, "wasxfail"):
                report.wasxfail = self._text(str(report.wasxfail))
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Redact what could not be collected."""
        self._redact(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        """Redact a warning, before it is shown or sent."""
        said = str(warning_message.message)
        redacted = self._text(said)
        if redacted != said:
            # Not of its own class, which may want other arguments than a text.
            warning_message.message = UserWarning(redacted)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Redact what tests said of the whole suite, before the JUnit file is written."""
        for plugin in session.config.pluginmanager.get_plugins():
            # Of pytest's own, which has no name and no hook for it.
            properties = getattr(plugin, "global_properties", None)
            if isinstance(properties, list):
                properties[:] = [
                    (self._text(str(name)), self._text(str(value))) for name, value in properties
                ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self, excrepr: Any) -> None:
        """Redact the traceback of a plugin that broke: all who show it ask it to show itself."""
        said = str(excrepr)
        redacted = self._text(said)
        if redacted != said:
            excrepr.toterminal = lambda writer: writer.line(redacted)

    def _redact(self, report: Any) -> None:
        longrepr = report.longrepr
        if isinstance(longrepr, tuple):  # of a skip
            path, line, reason = longrepr
            report.longrepr = (path, line, self._text(str(reason)))
        elif longrepr:
            # As a text: a secret of several lines is in no single line of what pytest has.
            report.longrepr = self._outgoing.value(longrepr)
        report.sections = [(self._text(name), self._text(text)) for name, text in report.sections]

    def _text(self, text: str) -> str:
        return self._outgoing.text(text)
