"""One session, read for the index: what is known of it, and its documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.base import ChildSessions, ReadOptions
from pytest_agentv.errors import AgentvError
from pytest_agentv.importing import Redacted
from pytest_agentv.search.documents import cut_off, documents_of, seconds, storable
from pytest_agentv.search.settings import NO_REDACTION
from pytest_agentv.sources import AdapterStream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.redact import Redactor
    from pytest_agentv.search.documents import Document
    from pytest_agentv.search.settings import Choices
    from pytest_agentv.transcript.stream import Head

# Characters of a title or prompt that a list shows.
_SHOWN = 300
# To fill a line of so many, as blanks are many and vanish.
_LOOKED_AT = 4 * _SHOWN


class About(NamedTuple):
    """What is known of a session besides its documents; the names of columns."""

    session: str
    provider: str | None = None
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    title: str | None = None
    prompt: str | None = None
    started: int | None = None
    ended: int | None = None


@dataclass(frozen=True)
class Read:
    """A session that was read, or why it could not be."""

    about: About
    documents: Iterable[Document] = ()
    error: str | None = None


def read_whole(adapter: Adapter, ref: SessionRef, choices: Choices) -> Read:
    """A session in memory; one that cannot be read is one with an error."""
    try:
        read = read_slowly(adapter, ref, choices)
        return Read(read.about, list(read.documents))
    except AgentvError as exc:
        return unreadable(ref, exc)


def read_slowly(adapter: Adapter, ref: SessionRef, choices: Choices) -> Read:
    """A session whose documents are read when they are asked for; either raises AgentvError."""
    # What is listed as a session of its own is not told in its parent again.
    has_children = isinstance(adapter, ChildSessions)
    options = ReadOptions(include_subagents=choices.subagents and not has_children)
    redactor = _redactor(choices.redact)
    stream = Redacted(lambda: AdapterStream(adapter, ref, options), redactor).learned()
    if isinstance(adapter, ChildSessions) and not choices.subagents and adapter.is_child(ref):
        return Read(_about(stream.head, ref))
    return Read(_about(stream.head, ref), documents_of(stream, choices))


def unreadable(ref: SessionRef, error: AgentvError) -> Read:
    """What an index remembers of a session that could not be read."""
    return Read(About(storable(ref.session_id)), error=storable(str(error)))


def _about(head: Head, ref: SessionRef) -> About:
    source = head.source
    return About(
        session=storable(source.session_id or ref.session_id),
        provider=_stored(source.provider),
        project=_stored(source.cwd),
        branch=_stored(source.git_branch),
        model=_stored(source.model),
        title=_shown(source.title),
        prompt=_shown(head.input),
        started=seconds(source.timestamp),
        ended=seconds(source.ended_at),
    )


@cache
def _redactor(profile: str) -> Redactor | None:
    """What redacts in this process; its rules are loaded once."""
    if profile == NO_REDACTION:
        return None
    from pytest_agentv.redact import Redactor  # noqa: PLC0415 (many rules)

    return Redactor(profile)


def _stored(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _shown(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text[:_LOOKED_AT].split())
    return storable(line if len(line) <= _SHOWN else f"{cut_off(line, _SHOWN - 1)}…")
