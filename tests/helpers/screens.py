"""What stands on a screen after a program wrote to it, by the few codes that ours write."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[^\x1b]")
_HEIGHT = 8


def screen_after(written: str, *, columns: int = 80) -> list[str]:
    """The lines of a low screen and those above it, that scrolled away."""
    return _Screen(columns).after(written)


class _Screen:
    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._lines: list[list[str]] = [[]]
        self._row = self._column = 0
        self._kept = (0, 0)

    def after(self, written: str) -> list[str]:
        for piece in _PIECES.findall(written):
            self._take(piece)
        return ["".join(line).rstrip() for line in self._lines]

    def _take(self, piece: str) -> None:
        top = max(len(self._lines) - _HEIGHT, 0)
        if piece == "\r":
            self._column = 0
        elif piece in ("\n", "\x1bD"):  # a terminal has a carriage return before each newline
            self._down()
        elif piece == "\x1b[A":
            self._row = max(self._row - 1, top)
        elif piece == "\x1b[B":
            self._row = min(self._row + 1, len(self._lines) - 1)
        elif piece == "\x1b7":
            self._kept = (self._row, self._column)
        elif piece == "\x1b8":
            self._row, self._column = self._kept
        elif piece == "\x1b[K":
            del self._lines[self._row][self._column :]
        elif not piece.startswith("\x1b"):
            self._put(piece)
        else:
            assert piece.endswith("m") or piece.startswith("\x1b]"), piece

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._lines):
            self._lines.append([])
            # What was kept is a place on the screen, which moves on if it is full.
            scrolled = len(self._lines) > _HEIGHT
            self._kept = (self._kept[0] + scrolled, self._kept[1])

    def _put(self, character: str) -> None:
        if self._column == self._columns:
            self._column = 0
            self._down()
        line = self._lines[self._row]
        line += " " * (self._column + 1 - len(line))
        line[self._column] = character
        self._column += 1
