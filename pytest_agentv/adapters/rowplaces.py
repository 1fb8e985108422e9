"""Where the rows of a file stand: sessions that share a file are read one by one.

The places of the file that was listed last are remembered, so that reading a row does not take
reading all rows before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.records import Place

_last: tuple[object, dict[int, Place]] = (None, {})


def state_of(path: Path) -> object:
    """What changes when a file does."""
    status = path.stat()
    return path, status.st_size, status.st_mtime_ns


def remember(state: object, places: dict[int, Place]) -> None:
    """Remember where the rows of a file stand, by line; ``state`` is from before it was read."""
    global _last  # noqa: PLW0603 (what is remembered is of one file only)
    _last = (state, places)


def place_of(path: Path, line: int | None) -> Place | None:
    """Where a row stands; None if that is not known, or the file has changed."""
    return None if line is None or _last[0] != state_of(path) else _last[1].get(line)
