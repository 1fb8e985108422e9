"""What an adapter is: the contract between a vendor's sessions and the rest of the package."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import msgspec

from pytest_agentv.errors import AgentvError, Location, PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date, datetime
    from pathlib import Path
    from typing import BinaryIO

    from pytest_agentv.transcript.stream import SessionStream


class SessionRef(msgspec.Struct, frozen=True):
    """Where one session lies; found without reading it."""

    session_id: str
    # A file, or a folder if the vendor makes one for each session.
    path: Path
    size: int = 0
    modified: float = 0.0
    # Which session of a file that holds several: its line, or what the adapter knows it by.
    row: int | str | None = None

    @property
    def at(self) -> Location:
        """The place for messages to people."""
        return Location(self.path, self.row if isinstance(self.row, int) else None)


class SessionSummary(msgspec.Struct, frozen=True):
    """What a list shows of one session; read from its beginning only."""

    started: datetime | None = None
    project: str | None = None
    first_prompt: str | None = None


class ReadOptions(msgspec.Struct, frozen=True):
    """How to read a session."""

    include_subagents: bool = False


@contextmanager
def calling(adapter: Adapter, *, plugin: str | None = None) -> Iterator[None]:
    """Around calls of an adapter: an error that is none of ours becomes one that names it."""
    try:
        yield
    except (AgentvError, OSError):
        raise
    except Exception as exc:  # code of others runs here, and may do anything
        of_plugin = f" of plugin {plugin!r}" if plugin is not None else ""
        raise PluginError(f"the adapter {adapter.name!r}{of_plugin} failed: {exc!r}") from exc


@runtime_checkable
class Adapter(Protocol):
    """Reads one vendor's sessions.

    ``name`` is what ``agentv import`` calls it, ``provider`` what a transcript's source says,
    ``tested`` the vendor's versions it was checked with, oldest and newest.
    """

    name: str
    provider: str
    tested: tuple[str, str]

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """Folder below which this vendor keeps its sessions; None if there is no such place."""

    def claims(self, path: Path) -> bool:
        """Whether a file is a session of this vendor, by several of its records; never raises."""

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """The sessions below ``home``, or those of one project; cheap, in no order."""

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """What a list shows of a session."""

    def read(self, ref: SessionRef, options: ReadOptions) -> SessionStream:
        """Read a session; raises SessionError if it holds no message at all."""


def lacking(thing: object) -> str | None:
    """What a thing lacks to be an adapter, for people; None if it is one."""
    if isinstance(thing, type):
        return f"it is a class; give an instance, as {thing.__name__}()"
    # Not by isinstance: since Python 3.12 that does not see what a thing passes on to another.
    methods = [one for one in vars(Adapter) if not one.startswith("_")]
    missing = [one for one in (*Adapter.__annotations__, *methods) if not hasattr(thing, one)]
    return f"it lacks {', '.join(f'`{one}`' for one in missing)}" if missing else None


class LazyAdapter(NamedTuple):
    """An adapter that is made when it is needed: its module is costly to import."""

    name: str
    load: Callable[[], Adapter]


@runtime_checkable
class SeveralSessions(Protocol):
    """An adapter whose files may hold several sessions."""

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The sessions of one file in their order; raises SessionError if it cannot be read."""


@runtime_checkable
class FolderSessions(Protocol):
    """An adapter whose sessions may be folders of files."""

    def claims_folder(self, path: Path) -> bool:
        """Whether a folder is a session of this vendor; never raises."""


@runtime_checkable
class SessionsOfOthers(Protocol):
    """An adapter of a form that many clients are exported to: a session says whose it is."""

    def provider_of(self, ref: SessionRef) -> str:
        """The provider of one session."""


def provider_of(adapter: Adapter, ref: SessionRef) -> str:
    """What the source of a session will say, known without reading all of it."""
    return adapter.provider_of(ref) if isinstance(adapter, SessionsOfOthers) else adapter.provider


@runtime_checkable
class DatedSessions(Protocol):
    """An adapter whose sessions lie by the day they began: that can be asked for."""

    def date_of(self, ref: SessionRef) -> date | None:
        """The day a session began, by the clock of the machine that wrote it."""


@runtime_checkable
class ChildSessions(Protocol):
    """An adapter whose list of sessions has those of sub-agents, too."""

    def is_child(self, ref: SessionRef) -> bool:
        """Whether another session began this one; may read its beginning."""


@runtime_checkable
class NamedSessions(Protocol):
    """An adapter whose files are not named by the session's id alone."""

    def session_id_of(self, path: Path) -> str:
        """The id that the name of a session file says."""


@runtime_checkable
class PackedSessions(Protocol):
    """An adapter whose files may be packed: the records are had by unpacking them."""

    def open_records(self, path: Path) -> BinaryIO:
        """The records of a session file as the client wrote them; whoever opens them closes."""


def claims(adapter: Adapter, path: Path, *, is_folder: bool) -> bool:
    """Whether a file, or a folder, is a session of an adapter's vendor."""
    if is_folder:
        return isinstance(adapter, FolderSessions) and adapter.claims_folder(path)
    return adapter.claims(path)


def refs_of(adapter: Adapter, path: Path, *, size: int = 0) -> list[SessionRef]:
    """The sessions of a file that somebody named, wherever it lies: mostly one."""
    if isinstance(adapter, SeveralSessions):
        return list(adapter.sessions_of(path))
    named = adapter.session_id_of(path) if isinstance(adapter, NamedSessions) else path.stem
    return [SessionRef(named, path, size)]
