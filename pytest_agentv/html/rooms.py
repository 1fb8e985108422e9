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

# Characters of a page: larger ones open slowly.
_PAGE = 16_000_000
# What a case takes without its session, and what is left to sessions however many cases there are.
_CASE = 2_500
_SESSIONS = 5_000_000
# What sessions that did not pass may have of it, before those that did.
_FOR_BROKEN = 3 / 4
# Less of a session than this is not worth showing.
_LEAST = 5_000
# On the page a transcript takes about twice what it takes on disk.
_MARKUP = 2


class Rooms:
    """The room of each session of a run, by the path of its transcript."""

    def __init__(self, run: Run) -> None:
        self.shortened = False
        rows = [row for row in run.rows if row.transcript_path is not None]
        sizes = {row.transcript_path or "": 0 for row in rows}
        for path in sizes:
            sizes[path] = min(_MARKUP * _size(run.folder / path), ROOM_IN_RUN)
        room = max(_PAGE - _CASE * len(run.rows), _SESSIONS)
        broken = {row.transcript_path or "" for row in rows if outcome_of_row(row) in _BROKEN}
        if sum(sizes.values()) <= room:
            self._rooms = dict.fromkeys(sizes, ROOM_IN_RUN)
            return
        self.shortened = True
        of_broken = _share(room * _FOR_BROKEN, [sizes[path] for path in broken])
        taken = sum(min(sizes[path], of_broken) for path in broken)
        others = [size for path, size in sizes.items() if path not in broken]
        of_others = _share(room - taken, others)
        self._rooms = {path: of_broken if path in broken else of_others for path in sizes}

    def room(self, row: Row) -> int:
        """The room of the session of a row; 0: it is not shown."""
        return self._rooms.get(row.transcript_path or "", ROOM_IN_RUN)


_BROKEN = ("failed", "error")


def _share(room: float, sizes: Sequence[int]) -> int:
    """The most that each may have so that all together fit: small ones leave room for others."""
    left = sorted(sizes)
    for place, size in enumerate(left):
        each = room / (len(left) - place)
        if size > each:
            return int(each) if each >= _LEAST else 0
        room -= size
    return ROOM_IN_RUN


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):  # it will be said where the session should be
        return 0
