"""Edits of a session as line diffs: old and new texts, patches, files that were written."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.patches import BEGIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.transcript.model import ToolCall

# Longer diffs are cut off: what matters of an edit is seen before.
MOST_LINES = 200
_MOST_FILES = 20
_LONGEST_LINE = 500
# Lines that did not change are shown next to those that did.
_CONTEXT = 3
# The alignment looks at every pair of lines; of more pairs than this, all of the old is shown as
# taken away and all of the new as added. So a hostile edit costs little.
_MOST_PAIRS = 10_000

# What clients call the old text and the new one.
_OLD_AND_NEW = (("old_string", "new_string"), ("old_str", "new_str"))
_FILE_HEADERS = ("*** Add File:", "*** Update File:", "*** Delete File:")
_MOVE_HEADER = "*** Move to:"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a diff: ``+`` added, ``-`` taken away, a blank for unchanged, ``@`` for a gap."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What became of a file."""

    path: str
    lines: tuple[DiffLine, ...]
    # Lines that are not shown.
    left_out: int
    added: int
    removed: int


def diffs_of(call: ToolCall) -> tuple[FileDiff, ...]:
    """What a call changed, as far as its arguments say so; nothing for calls that change none."""
    if call.kind not in ("edit", "write"):
        return ()
    content = call.args.get("content")
    if isinstance(content, str) and BEGIN in content[:1000]:
        return tuple(_of_patch(content))[:_MOST_FILES]
    path = call.paths[0] if call.paths else ""
    pairs = list(_pairs(call.input))[:_MOST_FILES]
    if pairs:
        return tuple(_diff(path, _changes(old, new)) for old, new in pairs)
    if isinstance(content, str) and content:
        return (_diff(path, [DiffLine("+", line) for line in _lines(content)]),)
    return ()


def _pairs(native: Any) -> Iterator[tuple[str, str]]:
    """Old and new texts that the arguments of a call name."""
    if not isinstance(native, dict):
        return
    several = native.get("edits")
    for one in several if isinstance(several, list) else [native]:
        values = one if isinstance(one, dict) else {}
        for old_name, new_name in _OLD_AND_NEW:
            old, new = values.get(old_name), values.get(new_name)
            if isinstance(old, str) and isinstance(new, str):
                yield old, new


def _of_patch(patch: str) -> Iterator[FileDiff]:
    """The files of a patch in the form of ``apply_patch``."""
    path = ""
    lines: list[DiffLine] = []
    for line in _lines(patch):
        if line.startswith(_FILE_HEADERS):
            if path:
                yield _diff(path, lines)
            path, lines = line.partition(":")[2].strip(), []
        elif line.startswith(_MOVE_HEADER):
            path = f"{path} → {line.partition(':')[2].strip()}"
        elif line.startswith("@@"):
            lines.append(DiffLine("@", line[2:].strip()))
        elif line[:1] in ("+", "-", " "):
            lines.append(DiffLine(line[0], line[1:]))
    if path:
        yield _diff(path, lines)


def _diff(path: str, lines: Sequence[DiffLine]) -> FileDiff:
    shown = tuple(DiffLine(one.mark, _short(one.text)) for one in lines[:MOST_LINES])
    return FileDiff(
        path=path,
        lines=shown,
        left_out=len(lines) - len(shown),
        added=sum(one.mark == "+" for one in lines),
        removed=sum(one.mark == "-" for one in lines),
    )


def _changes(old: str, new: str) -> list[DiffLine]:
    """A text turned into another; unchanged lines only near the changes."""
    before, after = _lines(old), _lines(new)
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - start
    end = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    changed = [
        *(DiffLine(" ", line) for line in before[:start]),
        *_aligned(before[start : len(before) - end], after[start : len(after) - end]),
        *(DiffLine(" ", line) for line in before[len(before) - end :]),
    ]
    return list(_without_far_lines(changed))


def _aligned(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    """The lines of both, those they have in common once."""
    if len(before) * len(after) > _MOST_PAIRS:
        yield from (DiffLine("-", line) for line in before)
        yield from (DiffLine("+", line) for line in after)
        return
    common = _common_lengths(before, after)
    row, column = 0, 0
    while row < len(before) or column < len(after):
        of_both = row < len(before) and column < len(after)
        if of_both and before[row] == after[column]:
            yield DiffLine(" ", before[row])
            row, column = row + 1, column + 1
        elif column == len(after) or (
            of_both and common[row + 1][column] >= common[row][column + 1]
        ):
            yield DiffLine("-", before[row])
            row += 1
        else:
            yield DiffLine("+", after[column])
            column += 1


def _common_lengths(before: list[str], after: list[str]) -> list[list[int]]:
    """How many lines the rests of both have in common, from each pair of places on."""
    table = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for row in range(len(before) - 1, -1, -1):
        for column in range(len(after) - 1, -1, -1):
            table[row][column] = (
                table[row + 1][column + 1] + 1
                if before[row] == after[column]
                else max(table[row + 1][column], table[row][column + 1])
            )
    return table


def _without_far_lines(lines: list[DiffLine]) -> Iterator[DiffLine]:
    groups = [(mark, list(group)) for mark, group in groupby(lines, key=lambda one: one.mark)]
    for place, (mark, group) in enumerate(groups):
        head = 0 if place == 0 else _CONTEXT
        tail = 0 if place == len(groups) - 1 else _CONTEXT
        hidden = len(group) - head - tail
        if mark != " " or hidden <= 1 or len(groups) == 1:
            yield from group
            continue
        yield from group[:head]
        yield DiffLine("@", f"{hidden:,} lines unchanged")
        yield from group[len(group) - tail :]


def _lines(text: str) -> list[str]:
    # Not splitlines(): that also splits at characters which no editor takes for a line end.
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _short(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
