"""Where the rows of a file stand: sessions that share a file are read one by one.

The places of the file that was listed last are remembered, so that reading a row does not take
reading all rows before it. What is wrong with a row is counted when it is read; what the file
holds besides rows is counted with the first of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.records import Drift

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from pytest_agentv.adapters.records import Place


class LineDrift(Drift):
    """What is wrong with the lines of a file, known line by line."""

    def __init__(self) -> None:
        super().__init__()
        self._notes: list[tuple[str, int, int]] = []

    def note(self, reason: str, line: int, times: int = 1) -> None:
        """Count one more of ``reason``."""
        super().note(reason, line, times)
        self._notes.append((reason, line, times))

    def of(self, line: int) -> Drift:
        """What is wrong with one line."""
        drift = Drift()
        for reason, at, times in self._notes:
            if at == line:
                drift.note(reason, at, times)
        return drift

    def besides(self, lines: Container[int]) -> Drift:
        """What is wrong with all other lines."""
        drift = Drift()
        for reason, line, times in self._notes:
            if line not in lines:
                drift.note(reason, line, times)
        return drift


def state_of(path: Path) -> object:
    """What changes when a file does; of one that cannot be had, never the same."""
    try:
        status = path.stat()
    except OSError:  # whoever reads it will say what is wrong
        return object()
    return path, status.st_size, status.st_mtime_ns


class RowPlaces:
    """The rows of the file that an adapter listed last."""

    def __init__(self) -> None:
        self._state: object = None
        self._places: dict[int, Place] = {}
        self._first: int | None = None
        self._drift = Drift()

    def remember(self, state: object, places: dict[int, Place], drift: LineDrift) -> None:
        """Remember where rows stand, by line; ``state`` is from before the file was read."""
        self._state, self._places = state, places
        self._first = min(places, default=None)
        self._drift = drift.besides(places)

    def has(self, path: Path) -> bool:
        """Whether it is known where the rows of a file stand."""
        return self._state == state_of(path)

    def place(self, path: Path, line: int | None, drift: Drift) -> Place | None:
        """Where a row stands, or the only one; None if there is none, or that is not known."""
        if not self.has(path):
            return None
        if line is None and len(self._places) == 1:
            line = self._first
        if line is None or line not in self._places:
            return None
        if line == self._first:
            drift.include(self._drift)
        return self._places[line]
