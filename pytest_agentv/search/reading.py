"""One session, read for the index: what is known of it, and its documents one by one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.importing import Redacted
from pytest_agentv.search.documents import seconds, storable
from pytest_agentv.search.settings import NO_REDACTION
from pytest_agentv.sources import AdapterStream

if TYPE_CHECKING:
    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.redact import Redactor
    from pytest_agentv.search.settings import Choices
    from pytest_agentv.transcript.stream import SessionStream

# Characters of a title or prompt that a list shows.
_SHOWN = 300


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


def opened(adapter: Adapter, ref: SessionRef, choices: Choices) -> SessionStream:
    """A session as it may be stored; AgentvError if it cannot be read."""
    options = ReadOptions(include_subagents=choices.subagents)
    redactor = _redactor(choices.redact)
    return Redacted(lambda: AdapterStream(adapter, ref, options), redactor).learned()


def about(stream: SessionStream, ref: SessionRef) -> About:
    """What the head of a session says."""
    head = stream.head
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
    line = " ".join(text[: 4 * _SHOWN].split())
    return storable(line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…")
