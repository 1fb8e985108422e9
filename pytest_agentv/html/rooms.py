"""How much of a page each session of a run may take: what failed comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.html.selection import ROOM_IN_RUN
from pytest_agentv.results.outcomes import outcome_of_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.results.model import Row
    from pytest_agentv.results.reading import Run

# Characters of all sessions together: larger pages open slowly.
ROOM_OF_PAGE = 20_000_000
# What a session that did not pass may have of it, before those that did.
_FOR_BROKEN = 3 / 4
_LEAST = 2_000


class Rooms:
    """The room of each session of a run, by the path of its transcript."""

    def __init__(self, run: Run) -> None:
        self.shortened = False
        rows = [row for row in run.rows if row.transcript_path is not None]
        sizes = {row.transcript_path or "": 0 for row in rows}
        for path in sizes:
            sizes[path] = min(_size(run.folder / path), ROOM_IN_RUN)
        broken = {row.transcript_path or "" for row in rows if outcome_of_row(row) in _BROKEN}
        if sum(sizes.values()) <= ROOM_OF_PAGE:
            self._rooms = dict.fromkeys(sizes, ROOM_IN_RUN)
            return
        self.shortened = True
        of_broken = _share(ROOM_OF_PAGE * _FOR_BROKEN, [sizes[path] for path in broken])
        taken = sum(min(sizes[path], of_broken) for path in broken)
        others = [size for path, size in sizes.items() if path not in broken]
        of_others = _share(ROOM_OF_PAGE - taken, others)
        self._rooms = {path: of_broken if path in broken else of_others for path in sizes}

    def room(self, row: Row) -> int:
        """The room of the session of a row."""
        return self._rooms.get(row.transcript_path or "", ROOM_IN_RUN)


_BROKEN = ("failed", "error")


def _share(room: float, sizes: Sequence[int]) -> int:
    """The most that each may have so that all together fit: small ones leave room for others."""
    left = sorted(sizes)
    for place, size in enumerate(left):
        each = room / (len(left) - place)
        if size > each:
            return max(int(each), _LEAST)
        room -= size
    return ROOM_IN_RUN


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):  # it will be said where the session should be
        return 0
