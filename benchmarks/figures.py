"""A figure of a comparison, and tables of them: as plain text and in Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from measuring import Cost

HEADS = ("what", "program", "CPU s", "wall s", "peak MB", "CPU x ours", "")
# Addresses and paths say where it was measured; a table that is published does not.
_PLACES = re.compile(r"\w+://\S+|(?<![\w.])/(?:[\w.@+-]+/)+[\w.@+-]*")


@dataclass(frozen=True)
class Figure:
    """What one program took for one task; `problem` says why figures are missing."""

    task: str
    size: str
    program: str
    cpu_seconds: float | None = None
    wall_seconds: float | None = None
    peak_mb: float | None = None
    times_ours: float | None = None
    stopped: bool = False
    """It was not done when its time was over: it takes more than this."""
    note: str = ""
    problem: str | None = None
    share: float | None = None
    """Of the tool calls in a session, those that an import kept."""

    @property
    def what(self) -> str:
        """Task and size."""
        return f"{self.task}, {self.size}" if self.size else self.task


def figures(
    task: str,
    size: str,
    results: Mapping[str, Cost | str],
    *,
    ours: str,
    notes: Mapping[str, str] | None = None,
) -> list[Figure]:
    """Return a figure for each program; `ours` is the one that others are divided by."""
    base = results[ours]
    found: list[Figure] = []
    for program, result in results.items():
        if isinstance(result, str):
            found.append(Figure(task, size, program, problem=result))
            continue
        times = None if isinstance(base, str) else result.cpu_seconds / base.cpu_seconds
        figure = Figure(
            task,
            size,
            program,
            result.cpu_seconds,
            result.wall_seconds,
            result.peak_mb,
            times,
            stopped=result.stopped,
            note=(notes or {}).get(program, ""),
        )
        found.append(figure)
    return found


def missing(task: str, size: str, reasons: Mapping[str, str]) -> list[Figure]:
    """Return a figure without figures for each program that could not be run."""
    return [Figure(task, size, name, problem=reason) for name, reason in reasons.items()]


def cells(figure: Figure) -> tuple[str, ...]:
    """Return what stands in the columns of a row."""
    if figure.cpu_seconds is None or figure.wall_seconds is None or figure.peak_mb is None:
        reason = _PLACES.sub("…", figure.problem or "no reason given")
        return (figure.what, figure.program, "", "", "", "", f"not measured: {reason}")
    more = "> " if figure.stopped else ""
    times = "" if figure.times_ours is None else f"{more}{figure.times_ours:.2f}"
    seconds = (f"{more}{value:.2f}" for value in (figure.cpu_seconds, figure.wall_seconds))
    note = "; ".join(filter(None, (figure.note, "stopped" if figure.stopped else "")))
    return (figure.what, figure.program, *seconds, f"{figure.peak_mb:.0f}", times, note)


def plain_table(found: Iterable[Figure]) -> str:
    """Return the figures as columns of text."""
    rows = [HEADS, *map(cells, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if 2 <= index <= 5 else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def markdown_table(found: Iterable[Figure]) -> str:
    """Return the figures as a table of Markdown; a task is named once."""
    lines = [_line(HEADS), _line(("---", "---", *["--:"] * 4, "---"))]
    before = ""
    for what, *others in map(cells, found):
        lines.append(_line(("" if what == before else what, *others)))
        before = what
    return "\n".join(lines)


def _line(texts: Iterable[str]) -> str:
    return f"| {' | '.join(text.replace('|', '&#124;') for text in texts)} |"
