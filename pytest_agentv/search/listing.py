"""Which sessions there are now, by looking at folders only, and how that differs from an index."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.base import calling
from pytest_agentv.adapters.roots import base_of, sessions_at
from pytest_agentv.errors import AgentvError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from typing import TypeAlias

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.registry import Registry
    from pytest_agentv.search.settings import SearchSettings

    # Where a session lies: adapter, file, and which one of the file's.
    Place: TypeAlias = tuple[str, bytes, "int | str | None"]

# A file that changed so shortly before it was looked at may change again without its time telling.
_SECONDS_UNSURE = 2.0


class Known(NamedTuple):
    """A session that is in the index."""

    id: int
    root: int
    size: int
    modified: float | None


class Found(NamedTuple):
    """A session that is on disk."""

    adapter: str
    ref: SessionRef
    root: bytes
    # None if its time cannot tell whether it changes again.
    modified: float | None

    @property
    def place(self) -> Place:
        """What an index knows it by."""
        return self.adapter, os.fsencode(self.ref.path), self.ref.row


@dataclass
class Listing:
    """What is on disk."""

    found: dict[Place, Found] = field(default_factory=dict)
    # Folders that were looked at, and those that could not be: adapter and path.
    roots: set[tuple[str, bytes]] = field(default_factory=set)
    missing: dict[tuple[str, bytes], str] = field(default_factory=dict)
    # Of these adapters the folder is wherever somebody works: others stay.
    wandering: set[str] = field(default_factory=set)


def list_sessions(registry: Registry, settings: SearchSettings) -> Listing:
    """All sessions of all adapters."""
    listing = Listing()
    for adapter in registry.adapters:
        places = settings.places.get(adapter.name)
        if places is None:
            _list_home(adapter, settings.environ, listing)
        else:
            for place in places:
                _list_root(adapter, base_of(place), listing, place)
    return listing


def _list_home(adapter: Adapter, environ: Mapping[str, str], listing: Listing) -> None:
    """Where a client keeps its sessions by itself."""
    try:
        with calling(adapter):
            home = adapter.home(environ)
    except AgentvError as exc:
        listing.missing[adapter.name, b""] = str(exc)
        return
    if home is None:
        return
    if not home.is_absolute() or home == Path.cwd():
        listing.wandering.add(adapter.name)
    _list_root(adapter, home, listing, None)


def _list_root(adapter: Adapter, root: Path, listing: Listing, place: str | None) -> None:
    """What is in a folder, or at a place that somebody named and that begins there."""
    root = Path(os.path.abspath(root))  # noqa: PTH100 (links stay)
    key = adapter.name, os.fsencode(root)
    now = time.time()
    try:
        if not root.is_file():
            os.scandir(root).close()
        with calling(adapter):
            refs = list(
                adapter.sessions(root)
                if place is None
                else sessions_at(adapter, [place], project=None)
            )
    except (OSError, AgentvError) as exc:
        listing.missing[key] = str(exc.strerror if isinstance(exc, OSError) else exc)
        return
    listing.roots.add(key)
    for ref in refs:
        is_sure = abs(now - ref.modified) > _SECONDS_UNSURE
        found = Found(adapter.name, ref, key[1], ref.modified if is_sure else None)
        listing.found[found.place] = found


class Changes(NamedTuple):
    """What an index has to learn."""

    # To be read, with the number of what they replace.
    changed: list[tuple[Found, int | None]]
    # Where they were found now, if that is elsewhere.
    moved: list[tuple[int, bytes]]
    gone: list[int]
    unchanged: int
    # Sessions that were not found but stay, by the folder that could not be looked into.
    kept: dict[tuple[str, bytes], int]


def changes(db: sqlite3.Connection, listing: Listing) -> Changes:
    """What is new, changed and gone since an index was updated."""
    roots = {
        id_: (adapter, path)
        for id_, adapter, path in db.execute("SELECT id, adapter, path FROM roots")
    }
    known = {
        (adapter, path, row): Known(*rest)
        for adapter, path, row, *rest in db.execute(
            "SELECT adapter, path, row, id, root, size, modified FROM sources"
        )
    }
    changed: list[tuple[Found, int | None]] = []
    moved = []
    unchanged = 0
    for place, found in listing.found.items():
        old = known.pop(place, None)
        if old is None or old.modified is None or (old.size, old.modified) != (
            found.ref.size, found.ref.modified
        ):  # fmt: skip
            changed.append((found, None if old is None else old.id))
            continue
        unchanged += 1
        if roots[old.root] != (found.adapter, found.root):
            moved.append((old.id, found.root))
    gone, kept = _gone(known, roots, listing)
    return Changes(changed, moved, gone, unchanged, kept)


def _gone(
    known: dict[Place, Known], roots: dict[int, tuple[str, bytes]], listing: Listing
) -> tuple[list[int], dict[tuple[str, bytes], int]]:
    """Of the sessions that were not found: those that are no more, and how many stay."""
    has_some = {(one.adapter, one.root) for one in listing.found.values()}
    gone = []
    kept: dict[tuple[str, bytes], int] = {}
    for (_, path, _), old in known.items():
        root = roots[old.root]
        if root in listing.roots and root in has_some:
            if _is_away(path) is not None:
                gone.append(old.id)
        elif root in listing.roots or root in listing.missing:
            # A disk that is not there looks as a folder that is gone or empty.
            kept[root] = kept.get(root, 0) + 1
        elif root[0] in listing.wandering and _is_away(path):
            gone.append(old.id)
    return gone, kept


def _is_away(path: bytes) -> bool | None:
    """Whether a file is no more; None if that cannot be known."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return None
    return False
