"""How much of a page each session of a run may take: what failed comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.errors import AgentvError
from pytest_agentv.html.selection import ROOM_IN_RUN
from pytest_agentv.results.outcomes import outcome_of_row

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """The room of each session of a run, by what its transcript is called."""

    def __init__(self, run: Run) -> None:
        self.shortened = False
        rows = {row.transcript: row for row in run.rows if row.transcript is not None}
        sizes = {name: min(_MARKUP * _size(run, row), ROOM_IN_RUN) for name, row in rows.items()}
        room = max(_PAGE - _CASE * len(run.rows), _SESSIONS)
        broken = {
            row.transcript
            for row in run.rows
            if row.transcript is not None and outcome_of_row(row) in _BROKEN
        }
        if sum(sizes.values()) <= room:
            self._rooms = dict.fromkeys(sizes, ROOM_IN_RUN)
            return
        self.shortened = True
        of_broken = _share(room * _FOR_BROKEN, [sizes[name] for name in broken])
        taken = sum(min(sizes[name], of_broken) for name in broken)
        others = [size for name, size in sizes.items() if name not in broken]
        of_others = _share(room - taken, others)
        self._rooms = {name: of_broken if name in broken else of_others for name in sizes}

    def room(self, row: Row) -> int:
        """The room of the session of a row; 0: it is not shown."""
        return self._rooms.get(row.transcript or "", ROOM_IN_RUN)


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


def _size(run: Run, row: Row) -> int:
    try:
        return run.transcript_size(row)
    except AgentvError:  # it will be said where the session should be
        return 0
