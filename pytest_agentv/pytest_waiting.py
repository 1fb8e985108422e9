"""A line below pytest's own that says which judge is waited for, on a terminal only.

pytest's place on the screen is never left, so nothing that it writes next is changed by it.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from pytest_agentv.columns import fitted
from pytest_agentv.pytest_redaction import outgoing_of
from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    import pytest

    from pytest_agentv.judge.waiting import Waiting

# Codes that every terminal since the VT100 knows. Down and up again: there is a line below, though
# the screen may have to scroll for it.
_ROOM = "\x1bD\x1b[A"
_GO = "\x1b7\x1b[B\r"
_BACK = "\x1b[K\x1b8"
_QUIET = -2


def waiting_line(config: pytest.Config) -> WaitingLine | None:
    """The line, if anybody can see it: not in CI, in a pipe, on a worker or if all is quiet."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    # Others than pytest's own move about on the screen themselves. Not all versions export it.
    if type(reporter).__name__ != "TerminalReporter" or not reporter.isatty:
        return None
    dumb = os.name == "nt" or os.environ.get("TERM", "dumb") == "dumb"
    if dumb or os.environ.get("CI") or config.get_verbosity() <= _QUIET:
        return None
    return WaitingLine(config)


class WaitingLine:
    """Says what is waited for, and wipes it away."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._shown = False

    def show(self, waiting: Waiting) -> None:
        """Write the line, or write it anew."""
        text = one_line(self._redacted(waiting_text(waiting)))
        begin = "" if self._shown else _ROOM
        self._shown = True
        self._write(begin, text)

    def hide(self) -> None:
        """Wipe the line away, if there is one."""
        if self._shown:
            self._shown = False
            self._write()

    def _redacted(self, text: str) -> str:
        outgoing = outgoing_of(self._config)
        return text if outgoing is None else outgoing.text(text)

    def _write(self, begin: str = "", text: str = "") -> None:
        """Write to the terminal past pytest, which counts the columns that it wrote itself."""
        capture = self._config.pluginmanager.getplugin("capturemanager")
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            if sys.stdout.isatty():
                columns = self._config.get_terminal_writer().fullwidth
                sys.stdout.write(f"{begin}{_GO}{fitted(text, columns - 1)}{_BACK}")
                sys.stdout.flush()


def waiting_text(waiting: Waiting) -> str:
    """What is waited for, the most important first: the end is cut off."""
    parts = [f"{waiting.seconds:.0f} s", f"{waiting.answered} of {waiting.asked} answered"]
    if waiting.cost_usd is not None:
        parts.append(f"{waiting.cost_usd:.4f} USD")
    return f"waiting for {waiting.model} ({', '.join(parts)}): {'; '.join(waiting.about)}"
