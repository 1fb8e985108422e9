"""Where the rows of a file stand: sessions that share a file are read one by one.

The places of the file that was listed last are remembered, so that reading a row does not take
reading all rows before it. What the file holds besides is counted with its first row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.records import Drift, Place


class _Listed:
    """A file of rows."""

    def __init__(self, state: object, places: dict[int, Place], drift: Drift | None) -> None:
        self.state = state
        self.places = places
        self.first = min(places, default=None)
        self.drift = drift


_last = _Listed(None, {}, None)


def state_of(path: Path) -> object:
    """What changes when a file does."""
    status = path.stat()
    return path, status.st_size, status.st_mtime_ns


def remember(state: object, places: dict[int, Place], drift: Drift) -> None:
    """Remember where the rows of a file stand, by line; ``state`` is from before it was read."""
    global _last  # noqa: PLW0603 (what is remembered is of one file only)
    _last = _Listed(state, places, drift)


def place_of(path: Path, line: int | None, drift: Drift) -> Place | None:
    """Where a row stands; None if that is not known, or the file has changed."""
    if line is None or _last.state != state_of(path) or line not in _last.places:
        return None
    if line == _last.first and _last.drift is not None:
        drift.include(_last.drift)
    return _last.places[line]
