"""All sessions that names stand for, cut into portions that processes can be given."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.errors import AgentvError
from pytest_agentv.sources import Place, naming, places_named, sessions_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_agentv.sources import FindRegistry, RecordedSession

# Sessions of one file that are graded together: enough to be worth a message between processes,
# few enough that little is lost when one is killed.
_MOST = 32


class Portion(Struct, frozen=True):
    """Some of the sessions of one file, and the state of the file."""

    place: Place
    first: int
    last: int
    size: int
    modified: int

    @property
    def key(self) -> str:
        """What tells it apart: another one, or a file that has changed, has another key."""
        path, row, client = self.place
        parts = (path, row, client, self.first, self.last, self.size, self.modified)
        return "|".join(str(one) for one in parts).encode("utf-8", "backslashreplace").decode()


def portions(names: Sequence[str], registry: FindRegistry, *, folder: Path) -> Iterator[Portion]:
    """The portions of all sessions, in the order of the names; raises what cannot be found.

    No more is read of a session than its head, and no more is held than the sessions of one file.
    """
    for name in names:
        with naming(name):
            places = places_named(name, registry, folder=folder)
        for place in places:
            size, modified, number = _looked_at(place, registry)
            for first in range(0, number, _MOST):
                yield Portion(place, first, min(first + _MOST, number), size, modified)


def _looked_at(place: Place, registry: FindRegistry) -> tuple[int, int, int]:
    """The size of a file, its time, and how many sessions it holds.

    One that cannot be read counts as one session: who grades it will say what is wrong with it.
    """
    try:
        found = place.path.stat()
    except OSError:
        return 0, 0, 1
    try:
        number = sum(1 for _ in sessions_in(place, registry))
    except (AgentvError, OSError):
        number = 1
    return found.st_size, found.st_mtime_ns, number


def sessions_of(
    portion: Portion, registry: FindRegistry, *, subagents: bool
) -> tuple[RecordedSession, ...]:
    """The sessions of a portion."""
    found = _sessions(portion.place, portion.size, portion.modified, registry, subagents)
    return found[portion.first : portion.last]


# Portions of a file follow each other, and to find its sessions anew takes as long as reading them.
@lru_cache(maxsize=1)
def _sessions(
    place: Place,
    _size: int,
    _modified: int,
    registry: FindRegistry,
    subagents: bool,  # noqa: FBT001 (a key of the cache)
) -> tuple[RecordedSession, ...]:
    options = ReadOptions(include_subagents=subagents)
    return tuple(sessions_in(place, registry, options=options))
