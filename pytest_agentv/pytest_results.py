"""Keeps a run: the process that shows reports writes what they say of assertions to a folder.

Under pytest-xdist that is not the process that graded: all it knows came with the reports.
"""

from __future__ import annotations

import os
import stat
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.errors import AgentvError
from pytest_agentv.pytest_ids import KEPT, PHASES, crashed_parts
from pytest_agentv.pytest_paths import named_path
from pytest_agentv.pytest_redaction import outgoing_of
from pytest_agentv.report.clean import one_line
from pytest_agentv.results.journal import Graded, read_note
from pytest_agentv.results.model import Row, Score
from pytest_agentv.results.transcripts import TranscriptKeeper
from pytest_agentv.results.writing import RunWriter, now

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pytest_agentv.pytest_ids import AssertionParts
    from pytest_agentv.results.journal import Noted
    from pytest_agentv.results.reading import Run

# The attribute of a report that holds a line of the journal.
RESULT = "agentv_result"
# What pytest was called with, if somebody called it for a person.
ARGUMENTS = pytest.StashKey[tuple[str, ...]]()
# Options that look at tests and do not run them.
_LOOKING = (
    *("collectonly", "setuponly", "setupplan"),
    *("showfixtures", "show_fixtures_per_test", "cacheshow"),
)


def keep_results(config: pytest.Config) -> None:
    """Keep this run, if it is one that grades; workers only send what they graded."""
    looking = any(config.getoption(name, default=False) for name in _LOOKING)
    root, page = named_path(config, "agentv_results"), named_path(config, "agentv_html")
    wanted = root is not None or page is not None
    if wanted and not looking and not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunKeeper(config, root, page), KEPT)


def transcript_keeper(config: pytest.Config) -> TranscriptKeeper | None:
    """What keeps the transcripts of this run in this process; None if none are kept."""
    sent: dict[str, Any] = getattr(config, "workerinput", {})
    if KEPT in sent:
        return TranscriptKeeper(Path(os.fsdecode(sent[KEPT])), worker=sent["workerid"])
    keeper = run_keeper(config)
    return None if keeper is None or keeper.folder is None else TranscriptKeeper(keeper.folder)


def run_keeper(config: pytest.Config) -> RunKeeper | None:
    """What keeps this run, if it is this process that does."""
    keeper: RunKeeper | None = config.pluginmanager.get_plugin(KEPT)
    return keeper


class RunKeeper:
    """Notes every assertion as soon as it is reported, and puts the results in place at the end."""

    def __init__(self, config: pytest.Config, root: Path | None, page: Path | None) -> None:
        """Keep the run below ``root``, or only until its ``page`` is written."""
        self._config = config
        self._root = root
        self._page = page
        self._temporary: TemporaryDirectory[str] | None = None
        self._writer: RunWriter | None = None
        self._notes = 0
        # Providers that were graded, to know them in the id of an assertion that crashed.
        self._providers: set[str] = set()
        # What a report says of an assertion, also as a line of the journal.
        self.note_of: Callable[[pytest.TestReport], Noted | None] = self._sent
        # Whether everything will be graded that was to be.
        self._complete = True
        # Why the results could not be written.
        self._problem: str | None = None
        # What was kept, once the run has ended.
        self.run: Run | None = None

    @property
    def folder(self) -> Path | None:
        """The folder of the run, while it goes on."""
        return None if self._writer is None else self._writer.folder

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Make the folder, before workers are told of it."""
        given = self._config.stash.get(ARGUMENTS, self._config.invocation_params.args)
        outgoing = outgoing_of(self._config)
        if outgoing is not None:
            given = tuple(outgoing.text(str(one)) for one in given)
        if self._page is not None:
            _check_place(self._page)
        root = self._root
        if root is None:
            self._temporary = TemporaryDirectory(prefix="agentv-", ignore_cleanup_errors=True)
            root = Path(self._temporary.name)
        try:
            self._writer = RunWriter(
                root,
                agentv_version=_version(),
                pytest_version=pytest.__version__,
                arguments=[one_line(str(one)) for one in given],
            )
        except AgentvError as exc:
            raise pytest.UsageError(f"--agentv-results: {one_line(str(exc))}") from exc

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Tell a worker of pytest-xdist where transcripts are kept."""
        if self.folder is not None:
            # As bytes: names of files need not be texts that can be sent.
            node.workerinput[KEPT] = os.fsencode(self.folder)  # type: ignore[attr-defined]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a report says of an assertion."""
        if report.outcome == "passed" and report.when != "call":
            return  # it decides nothing
        noted = self.note_of(report)
        if noted is not None:
            self._note(*noted)
        elif report.when not in PHASES and (parts := crashed_parts(report)) is not None:
            self._complete = False
            self._note(self._crash(report, parts))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Something could not be collected, and so not be graded."""
        if report.failed:
            self._complete = False

    def pytest_keyboard_interrupt(self) -> None:
        """Somebody stopped the run, or something did that calls ``pytest.exit``."""
        self._complete = False

    def pytest_internalerror(self) -> None:
        """A plugin broke."""
        self._complete = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object) -> None:
        """A worker of pytest-xdist is gone; if it crashed, nobody knows what it did last."""
        if error is not None:
            self._complete = False

    # After all others: plugins may yet change how a run ends, or break, and workers send their
    # last reports. But inside of what shows the summary.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Put the results in place, whatever others do."""
        try:
            yield
        except BaseException:
            self._complete = False
            raise
        finally:
            self._finish(session)

    def _finish(self, session: pytest.Session) -> None:
        """Put the results in place; of a run that graded nothing there are none."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        if not self._notes:
            writer.discard()
            return
        stopped = bool(session.shouldstop or session.shouldfail)
        status = int(session.exitstatus)
        ended = status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        complete = self._complete and not stopped and ended and self._problem is None
        try:
            self.run = writer.finish(complete=complete, exit_status=status)
            self._write_page(self.run)
        except AgentvError as exc:
            self._problem = self._problem or str(exc)
        if self._problem is not None and ended:
            # Who asked for results must not go on without them.
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write_page(self, run: Run) -> None:
        if self._page is not None:
            from pytest_agentv.html.page import write_page  # noqa: PLC0415 (only for who wants it)

            write_page(run, self._page, kept=self._temporary is None)

    def pytest_unconfigure(self) -> None:
        """Clean up after a session that never began, and what was kept for the page only."""
        if self._writer is not None:
            self._writer.discard()
        if self._temporary is not None:
            self._temporary.cleanup()

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the results are, and what is missing there."""
        for line in self._last_lines():
            terminalreporter.write_line(line)

    def _last_lines(self) -> Iterator[str]:
        if self._problem is not None:
            yield one_line(f"results: not written: {self._problem}")
        if self.run is None:
            return
        unfinished = "" if self.run.summary.complete else " (incomplete)"
        if self._temporary is None:
            yield one_line(f"results: {self._shown(self.run.folder)}") + unfinished
        if self._page is not None and self._problem is None:
            yield one_line(f"page: {self._shown(self._page)}") + unfinished
        rows = [row for row in self.run.rows if row.source is not None]
        if lost := sum(row.transcript_path is None for row in rows):
            yield f"results: of {lost} of {len(rows)} cases the transcript could not be kept"

    def _sent(self, report: pytest.TestReport) -> Noted | None:
        """What a worker sent with a report."""
        # Taken away: reports live as long as the run, and these texts may be long.
        line: str | None = report.__dict__.pop(RESULT, None)
        if line is None:
            return None
        if (provider := getattr(report, "agentv", {}).get("provider")) is not None:
            self._providers.add(provider)
        note = read_note(line)
        return None if note is None else (note, line.encode())

    def _note(self, note: Graded, line: bytes | None = None) -> None:
        self._notes += 1
        if self._writer is None or self._problem is not None:
            return
        try:
            self._writer.note(note, line)
        except AgentvError as exc:
            self._problem = str(exc)

    def _crash(self, report: pytest.TestReport, parts: AssertionParts) -> Graded:
        about = Row(
            timestamp=now(),
            test_id=parts.test_id,
            eval_file=parts.file,
            case=parts.case,
            target=parts.provider(self._providers),
        )
        score = Score(name=parts.name, verdict="error", reason=one_line(report.longreprtext))
        return Graded(about=about, score=score)

    def _shown(self, path: Path) -> str:
        """As one would name it: relative to where pytest was called, if it lies below."""
        here = self._config.invocation_params.dir
        return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _version() -> str | None:
    try:
        return metadata.version("pytest-agentv")
    except metadata.PackageNotFoundError:  # a checkout that is only on the path
        return None


def _check_place(page: Path) -> None:
    """Refuse a place where no page can be, before anything is graded."""
    name = f"--agentv-html: {one_line(str(page))}"
    try:
        mode = page.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as exc:  # it may not be looked at, or no file can have its name
        raise pytest.UsageError(f"{name} cannot be written: {exc.strerror}") from exc
    if stat.S_ISDIR(mode):
        raise pytest.UsageError(f"{name} is a folder")
