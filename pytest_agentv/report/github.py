"""What GitHub shows of a run: annotations at the lines of eval files, and a step summary."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.report.clean import clean, one_line
from pytest_agentv.report.markdown import cell, code, fence, table
from pytest_agentv.report.repeats import repeat_rows, repeats_in
from pytest_agentv.report.tally import tallies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.report.tally import ItemFacts, Tally

# GitHub shows no more of a kind for one step.
MAX_ANNOTATIONS = 10
# GitHub takes 1 MiB for a step and nothing of what is longer; other commands may write, too.
MAX_SUMMARY_BYTES = 512 * 1024
_GITHUB_MAX_BYTES = 1024 * 1024

_LAST_LINE_BYTES = 100
_ANNOTATION_LENGTH = 4_000
_MESSAGE_LENGTH = 2_000
_TITLE_LENGTH = 200
_MOST_REPEATS = 100
_HEADER = (
    "provider",
    "cases passed",
    "assertions passed",
    "failed",
    "errors",
    "skipped",
    "soft",
    "held",
)


_REPEATS = ("test", "provider", "sessions", "pass rate", "95 % interval", "", "", "")


def folder_in_workspace(rootdir: Path, *, workspace: str | None) -> str:
    """Where pytest's root directory lies in what GitHub checked out, to be put before a file."""
    if not workspace:
        return ""
    try:
        folder = rootdir.resolve().relative_to(Path(workspace).resolve())
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links that run in a circle
        return ""
    return "" if folder == Path() else f"{folder.as_posix()}/"


def annotation_lines(items: Iterable[ItemFacts], *, folder: str = "") -> list[str]:
    """Commands to GitHub, one for each broken assertion; print them as they are."""
    broken = [item for item in items if item.broken]
    lines = [_annotation(item, folder=folder) for item in broken[:MAX_ANNOTATIONS]]
    if more := len(broken) - len(lines):
        lines.append(f"::notice title=agentv::{more:,} more failed; GitHub shows {len(lines)}")
    return lines


def step_summary(items: Iterable[ItemFacts]) -> str:
    """A run as Markdown: a table of providers and a list of what is broken."""
    items = list(items)
    counted = tallies(items)
    if not counted:
        return ""
    parts = ["## Evals", table(_HEADER, map(_row, counted)), *_repeats(items)]
    broken = [item for item in items if item.broken]
    if broken:
        parts.append("### What failed")
        room = MAX_SUMMARY_BYTES - sum(len(one.encode()) for one in parts)
        parts.extend(_entries(broken, room=room))
    return "\n\n".join(parts) + "\n"


def append_step_summary(path: str, text: str) -> str | None:
    """Add to the file that ``GITHUB_STEP_SUMMARY`` names; the sentence says why it could not be."""
    try:
        with Path(path).open("ab") as file:
            if file.seek(0, os.SEEK_END) + len(text.encode()) > _GITHUB_MAX_BYTES:
                return "The step summary was not written: GitHub takes 1 MiB for a step."
            file.write(text.encode())
    except (OSError, ValueError) as exc:  # ValueError: a NUL in the name
        return one_line(f"The step summary was not written: {exc}.")
    return None


def _annotation(item: ItemFacts, *, folder: str) -> str:
    whose = f" ({item.provider})" if item.provider else ""
    title = one_line(f"{item.case}: {item.assertion}{whose}", limit=_TITLE_LENGTH)
    line = "" if item.line is None else f",line={item.line}"
    message = clean(item.message or item.outcome, limit=_ANNOTATION_LENGTH)
    file = _property(one_line(folder + item.file))
    return f"::error file={file}{line},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _repeats(items: list[ItemFacts]) -> Iterator[str]:
    """A table of tests with repeats, if there are any."""
    found = repeats_in(items)
    if not found:
        return
    yield "### Repeats"
    rows = [
        [cell(name), cell(provider), *numbers]
        for name, provider, *numbers in repeat_rows(found[:_MOST_REPEATS])
    ]
    yield table(_REPEATS, rows, texts=len(_REPEATS))
    if more := len(found) - len(rows):
        yield f"… and {more:,} more with repeats."


def _row(tally: Tally) -> tuple[str, ...]:
    numbers = (tally.passed, tally.failed, tally.errors, tally.skipped, tally.soft)
    return (
        cell(tally.provider),
        f"{tally.cases_passed} of {tally.cases}",
        *map(str, numbers),
        tally.held,
    )


def _entries(broken: list[ItemFacts], *, room: int) -> Iterator[str]:
    """As many as there is room for, and how many more there are."""
    shown = 0
    for entry in map(_entry, broken):
        room -= len(entry.encode()) + 2
        if room < _LAST_LINE_BYTES:
            break
        yield entry
        shown += 1
    if more := len(broken) - shown:
        yield f"… and {more:,} more."


def _entry(item: ItemFacts) -> str:
    place = item.file if item.line is None else f"{item.file}:{item.line}"
    names = [place, item.case, item.assertion, *([item.provider] if item.provider else [])]
    head = f"- **{item.outcome}** {' '.join(map(code, names))}"
    if not item.message:
        return head
    message = clean(item.message, limit=_MESSAGE_LENGTH)
    ticks = fence(message)
    # Every line is indented, also one of odd blanks only: Markdown would end the list there.
    block = "\n".join(f"  {line}" for line in [f"{ticks}text", *message.split("\n"), ticks])
    return f"{head}\n\n{block}"
