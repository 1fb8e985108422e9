"""What other people's code says of a session: its properties, its warnings, and its own tests.

A test that takes ``transcript`` repeats what a session says, and so may an assertion of one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.report.clean import clean, one_line, wrappable

if TYPE_CHECKING:
    import warnings
    from collections.abc import Generator

_REPORTS = "agentv-clean-reports"
_WARNINGS = "agentv-clean-warnings"
_SENDABLE = (int, float, type(None))


def clean_reports(config: pytest.Config, fixtures: frozenset[str]) -> None:
    """From now on the reports of tests that take one of these fixtures leave the process clean."""
    if not config.pluginmanager.has_plugin(_REPORTS):
        config.pluginmanager.register(CleanReports(fixtures), _REPORTS)
        clean_warnings(config)


def clean_warnings(config: pytest.Config) -> None:
    """From now on warnings leave the process clean."""
    if not config.pluginmanager.has_plugin(_WARNINGS):
        config.pluginmanager.register(CleanWarnings(), _WARNINGS)


def clean_properties(properties: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Names that pytest may write into XML as they are, and values that workers can send.

    The same list if it is clean, as most are: reports are many, and kept to the end.
    """
    cleaned = [(_property(name), _property(value)) for name, value in properties]
    return properties if cleaned == properties else cleaned


def _property(value: Any) -> Any:
    if isinstance(value, str) and value.isprintable():
        return value  # as most are
    return value if isinstance(value, _SENDABLE) else one_line(str(value))


class CleanWarnings:
    """Makes warnings harmless, whoever gives them, before they are shown or sent."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        """Clean one warning."""
        said = str(warning_message.message)
        cleaned = clean(said)
        if cleaned != said:
            # Not of its own class, which may want other arguments than a text.
            warning_message.message = UserWarning(cleaned)


class CleanReports:
    """Makes the reports of tests that take a session harmless; ours are already."""

    def __init__(self, fixtures: frozenset[str]) -> None:
        self._fixtures = fixtures

    # Around all others: what pytest says of a test that is expected to fail is said late.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Clean a report before anybody gets it."""
        report = yield
        if report is not None and not self._fixtures.isdisjoint(getattr(item, "fixturenames", ())):
            _clean(report)
        return report


def _clean(report: Any) -> None:
    longrepr = report.longrepr
    if isinstance(longrepr, tuple):  # of a skip
        path, line, reason = longrepr
        report.longrepr = (path, line, wrappable(str(reason)))
    elif longrepr:
        said = str(longrepr)
        cleaned = clean(said)
        if cleaned != said:  # else it keeps its colours
            report.longrepr = cleaned
    report.sections = [(one_line(name), clean(text)) for name, text in report.sections]
    report.user_properties = clean_properties(report.user_properties)
    if hasattr(report, "wasxfail"):
        report.wasxfail = wrappable(str(report.wasxfail))
