"""A chat history by runs and lines: whose each line is, only its form tells."""

from __future__ import annotations

import os
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.records import MAX_LINE, text_lines
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

RUN = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
PROMPT, SHOWN = "#### ", "> "
_MARK = "  "


class Run(NamedTuple):
    """Where a run begins, what it is called, and when that was by the clock on the wall."""

    line: int
    offset: int
    name: str
    time: datetime | None
    has_words: bool


class Lines:
    """Tells whose the lines of a run are: a person's, the console's, or the model's.

    What is typed or shown ends with a mark of Markdown, what a model quotes mostly does not. The
    first such line tells whether the marks are still there: some editors cut blanks off.
    """

    def __init__(self) -> None:
        self._is_marked: bool | None = None
        # The console said something before this line, or is still speaking.
        self._after_shown = self._in_shown = False

    def kind_of(self, line: str) -> str:
        """``typed``, ``shown``, or ``said``."""
        ends = line.endswith(_MARK)
        if self._in_shown:
            self._in_shown = not ends
            return "shown"
        is_typed, is_shown = _begins(line, PROMPT), _begins(line, SHOWN)
        if self._is_marked is None and (is_typed or is_shown):
            self._is_marked = ends
        after_shown, self._after_shown = self._after_shown, False
        if (is_typed or is_shown) and (ends or not self._is_marked):
            self._after_shown = is_shown
            return "shown" if is_shown else "typed"
        # A text of several lines: the mark stands on the last.
        if is_shown and (after_shown or line.startswith(f"{SHOWN}Tokens: ")):
            self._in_shown = self._after_shown = True
            return "shown"
        return "said"


def _begins(line: str, prefix: str) -> bool:
    """Whether a line has a prefix, whose blank may be cut off if nothing follows it."""
    return line.startswith(prefix) or line.rstrip() == prefix.rstrip()


def runs_of(path: Path) -> list[Run]:
    """The runs of a file, which is read once however many of them are asked for."""
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
    return _indexed(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=2)
def _indexed(path: Path, _size: int, _changed: int) -> list[Run]:
    runs: list[Run] = []
    names: dict[str, int] = {}
    whose = Lines()
    offset = 0
    with open_regular(path) as file:
        for number, raw in enumerate(iter(partial(file.readline, MAX_LINE), b""), 1):
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            offset += len(raw)
            found = RUN.fullmatch(line) if line.startswith("# ") else None
            if found is not None:
                name = f"{found[1]}T{found[2].replace(':', '-')}"
                names[name] = names.get(name, 0) + 1
                several = f"-{names[name]}" if names[name] > 1 else ""
                time = from_text(f"{found[1]}T{found[2]}")
                runs.append(Run(number, offset, name + several, time, has_words=False))
                whose = Lines()
            elif runs and whose.kind_of(line) != "shown" and line.strip():
                runs[-1] = runs[-1]._replace(has_words=True)
    return runs


def lines_of(path: Path, run: Run) -> Iterator[tuple[int, str]]:
    """The lines of one run with their numbers."""
    for number, line in text_lines(path, offset=run.offset, number=run.line + 1):
        if line.startswith("# ") and RUN.fullmatch(line):
            return
        yield number, line
