"""A run against its baseline: known failures are excused, and what changed is told.

Registered only where a baseline is asked for. Assertions are excused in the process that grades
them; everything else goes by reports, because under pytest-xdist another process sees all of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.errors import AgentvError, OutputError, SessionNotFound
from pytest_agentv.files import name_below
from pytest_agentv.pytest_ids import is_partial
from pytest_agentv.pytest_nodes import AssertionItem, DoesNotHold
from pytest_agentv.pytest_paths import named_path
from pytest_agentv.pytest_reporting import verdict_of_report
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.failure import soft_text
from pytest_agentv.results.baseline import (
    Key,
    blessed,
    compare,
    count_changed,
    keys_of,
    read_baseline,
    worse,
    write_baseline,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from pytest_agentv.results.model import BaselineOutcome

BASELINE = "baseline"
_WORKER_INPUT = "agentv_baseline"
_BLESSED = f"{BASELINE}: blessed now"
_MOST_NAMED = 20


def use_baseline(config: pytest.Config) -> None:
    """Excuse what the baseline knows to fail; tell what changed, or bless it."""
    bless: bool = config.getoption("agentv_bless")
    sent: Any = getattr(config, "workerinput", {}).get(_WORKER_INPUT)
    if sent is not None:
        config.pluginmanager.register(KnownFailures(keys_of(sent), bless=bless))
        return
    path = named_path(config, "agentv_baseline")
    if path is None:
        if bless:
            raise pytest.UsageError(
                "--agentv-bless needs a file to write to: give --agentv-baseline=FILE, too"
            )
        return
    run = BaselineRun(config, path, _known(path, bless=bless), bless=bless)
    config.pluginmanager.register(run, "agentv-baseline")
    config.pluginmanager.register(KnownFailures(run.failures, bless=bless))


def _known(path: Path, *, bless: bool) -> dict[Key, BaselineOutcome]:
    try:
        return read_baseline(path)
    except SessionNotFound as exc:
        if bless:
            return {}
        message = f"{path}: no such baseline; --agentv-bless writes it"
        raise pytest.UsageError(one_line(message)) from exc
    except AgentvError as exc:
        raise pytest.UsageError(one_line(str(exc))) from exc


def _key_of(facts: Mapping[str, Any]) -> Key:
    file = Path(facts["file"])
    # Of a file that has no path relative to the root directory, as on another drive, the name has
    # to do: all else differs from machine to machine.
    name = file.name if file.is_absolute() else file.as_posix()
    return Key(name, facts["case"], facts["provider"], facts["assertion"])


class KnownFailures:
    """Excuses assertions that do not hold: those that are known, or all that are blessed."""

    def __init__(self, known: frozenset[Key], *, bless: bool) -> None:
        self._known = known
        self._bless = bless

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Make an expected failure of a known one; errors are raised elsewhere, or are others."""
        try:
            return (yield)
        except DoesNotHold:
            # A case with `xfail` has an excuse already.
            if isinstance(item, AssertionItem) and item.run.case.xfail is None:
                self._excuse(item)
            raise

    def _excuse(self, item: AssertionItem) -> None:
        __tracebackhide__ = True
        if item.grade is None:
            return
        if self._bless:
            pytest.xfail(soft_text(item.grade, why=_BLESSED))
        if _key_of(item.facts) in self._known:
            pytest.xfail(soft_text(item.grade, why=BASELINE))


class BaselineRun:
    """Gathers what became of assertions, and compares or blesses it when all are done."""

    def __init__(
        self,
        config: pytest.Config,
        path: Path,
        known: Mapping[Key, BaselineOutcome],
        *,
        bless: bool,
    ) -> None:
        self._config = config
        self._path = path
        self._known = known
        self._bless = bless
        self._found: dict[Key, BaselineOutcome] = {}
        # Those that make the run fail.
        self._failing: set[Key] = set()
        self._deselected = False
        # Why what was found is not all there is.
        self._cut_short: str | None = None
        # What became of the blessing.
        self._said: str | None = None

    @property
    def failures(self) -> frozenset[Key]:
        """What is known not to hold."""
        return frozenset(key for key, outcome in self._known.items() if outcome == "failed")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Tell a worker what is known: it may not see the file."""
        sent = [list(key) for key in sorted(self.failures, key=lambda key: key.order)]
        node.workerinput[_WORKER_INPUT] = sent  # type: ignore[attr-defined]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the worst that is said of each assertion."""
        facts = getattr(report, "agentv", None)
        verdict = None if facts is None else verdict_of_report(report)
        if facts is None or verdict is None:
            return
        key = _key_of(facts)
        self._found[key] = worse(self._found.get(key), verdict)
        if verdict == "fail" and report.failed:
            self._failing.add(key)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that there is more than was found."""
        if report.failed:
            self._cut_short = "not everything could be collected"

    def pytest_deselected(self) -> None:
        """Note that not all is run."""
        self._deselected = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self) -> None:
        """Note that a worker crashed: what it was at is not known."""
        self._cut_short = "a worker crashed"

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the baseline, if that is asked for."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self._cut_short = self._cut_short or "the run was interrupted"
        elif session.shouldstop or session.shouldfail:
            self._cut_short = "the run was stopped before its end"
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED or not self._found:
            self._cut_short = self._cut_short or "nothing was graded"
        if self._bless:
            self._said = self._write(session)

    def _write(self, session: pytest.Session) -> str:
        problem = self._cut_short
        if problem is None:
            after = blessed(self._known, self._found, in_scope=self._in_scope)
            try:
                write_baseline(self._path, after)
            except OutputError as exc:
                problem = exc.message
            else:
                changed = count_changed(self._known, after)
                entries = "1 entry" if changed == 1 else f"{changed:,} entries"
                return f"blessed: {entries} changed of {len(after):,}"
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return f"not written: {problem}"

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what changed."""
        lines = [self._said] if self._said else list(self._change_lines())
        if lines:
            terminalreporter.write_sep("=", "agentv baseline")
            first, *others = lines
            name = name_below(self._path, self._config.rootpath)
            for line in (f"{name}: {first}", *others):
                terminalreporter.write_line(one_line(line))

    def _change_lines(self) -> Iterator[str]:
        changes = compare(self._known, self._found, failing=self._failing, in_scope=self._in_scope)
        parts = [
            ("new failures", changes.new_failures),
            ("fixed, bless to keep", changes.fixes),
            ("lost coverage, passed before", changes.lost),
        ]
        told = [(label, keys) for label, keys in parts if keys]
        if told:
            yield ", ".join(f"{label.partition(',')[0]}: {len(keys):,}" for label, keys in told)
        elif self._found:
            yield "nothing changed"
        for label, keys in told:
            yield from _listed(label, keys)

    def _in_scope(self, key: Key) -> bool:
        """Whether the run should have found something of an entry."""
        if self._cut_short or self._deselected or is_partial(self._config):
            return False
        root, folder = self._config.rootpath, self._config.invocation_params.dir
        file = Path(os.path.normpath(root / key.file))
        given = (Path(os.path.normpath(folder / one)) for one in self._config.args)
        return any(file.is_relative_to(one) for one in given)


def _listed(label: str, keys: Sequence[Key]) -> Iterator[str]:
    yield f"{label}:"
    yield from (f"- {key}" for key in keys[:_MOST_NAMED])
    if (more := len(keys) - _MOST_NAMED) > 0:
        yield f"- and {more:,} more"
