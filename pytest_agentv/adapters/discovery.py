"""Finding sessions by what people know of them: an id, its beginning, a project, a time."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import DatedSessions, calling
from pytest_agentv.adapters.roots import sessions_at
from pytest_agentv.config import load_config
from pytest_agentv.errors import AmbiguousSession, SessionError, SessionNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime

    from pytest_agentv.adapters.base import Adapter, SessionRef

_SHOWN_CANDIDATES = 5


def find_sessions(
    adapter: Adapter,
    environ: Mapping[str, str],
    *,
    root: Path | None = None,
    project: Path | None = None,
    since: datetime | None = None,
    day: date | None = None,
) -> list[SessionRef]:
    """All sessions of a vendor, newest first.

    ``root`` is the folder whose pyproject.toml counts: the current one, if none is given.
    """
    places = configured_places(adapter, environ, root=root)
    with calling(adapter):
        if places is not None:
            refs = list(sessions_at(adapter, places, project=project))
        else:
            refs = list(adapter.sessions(_home(adapter, environ), project=project))
        if day is not None and isinstance(adapter, DatedSessions):
            refs = [ref for ref in refs if adapter.date_of(ref) == day]
    recent = [ref for ref in refs if since is None or ref.modified >= since.timestamp()]
    return sorted(recent, key=lambda ref: (-ref.modified, ref.session_id, str(ref.path)))


def configured_places(
    adapter: Adapter, environ: Mapping[str, str], *, root: Path | None = None
) -> tuple[str, ...] | None:
    """Where somebody says that the sessions of a vendor are; None if nobody does."""
    found = load_config(root or Path.cwd(), environ).sources.get(adapter.name)
    return None if found is None else found.value


def _home(adapter: Adapter, environ: Mapping[str, str]) -> Path:
    home = adapter.home(environ)
    if home is not None:
        return home
    is_homeless = adapter.home({"HOME": "/"}) is not None
    variable = f"AGENTV_{adapter.name.upper().replace('-', '_')}_PATH"
    reason = "name a file with --file"
    if is_homeless:
        reason = f"no home folder is set; {variable} can say where they are"
    raise SessionNotFound(f"it is unknown where {adapter.name} keeps its sessions: {reason}")


def session_by_id(
    refs: Iterable[SessionRef], wanted: str, *, listed_by: str | None = None
) -> SessionRef:
    """The session with an id, or with the only id that begins so.

    ``listed_by`` is the command that shows which ids there are.
    """
    matching = [ref for ref in refs if ref.session_id.lower().startswith(wanted.lower())]
    exact = [ref for ref in matching if ref.session_id.lower() == wanted.lower()]
    candidates = exact or matching
    if not wanted:
        raise SessionNotFound("no session has an empty id")
    if not candidates:
        hint = "" if listed_by is None else f"; {listed_by} shows those there are"
        raise SessionNotFound(f"no session has an id that begins with {wanted!r}{hint}")
    if len(candidates) > 1:
        places = ", ".join(str(ref.path) for ref in candidates[:_SHOWN_CANDIDATES])
        if len(candidates) > _SHOWN_CANDIDATES:
            places += f" and {len(candidates) - _SHOWN_CANDIDATES} more"
        raise AmbiguousSession(
            f"{len(candidates)} sessions have an id that begins with {wanted!r}: {places}"
        )
    return candidates[0]


def nothing_found(
    adapter: Adapter,
    environ: Mapping[str, str],
    *,
    root: Path | None = None,
    project: Path | None = None,
    since: datetime | None = None,
    day: date | None = None,
) -> str:
    """A sentence on where sessions were looked for."""
    of_project = "" if project is None else f" for the project {project}"
    of_time = "" if since is None else f" since {since:%Y-%m-%d %H:%M}"
    of_time += "" if day is None else f" of {day}"
    places = configured_places(adapter, environ, root=root)
    with calling(adapter):
        where = f"below {adapter.home(environ)}" if places is None else f"at {', '.join(places)}"
    return f"no session of {adapter.name} was found {where}{of_project}{of_time}"


def latest_session(adapter: Adapter, refs: Iterable[SessionRef]) -> SessionRef:
    """The newest session that somebody typed a prompt in."""
    for ref in refs:
        with contextlib.suppress(SessionError), calling(adapter):
            if adapter.summarize(ref).first_prompt is not None:
                return ref
    raise SessionNotFound(f"no session of {adapter.name} was found that has a prompt")


def default_name(adapter: Adapter, session_id: str | None, path: Path, *, length: int = 8) -> str:
    """The file name of a transcript; what a session says of itself never becomes a path."""
    whole = session_id or path.stem
    if re.fullmatch(r"[A-Za-z0-9_-]+", whole[:length]):
        return f"{adapter.name}-{whole[:length]}.jsonl"
    import hashlib  # noqa: PLC0415 (hardly ever needed, and every start would pay for it)

    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{adapter.name}-{digest[:length]}.jsonl"
