"""The forms that sessions are written in as one file, session after session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_agentv.views.atif import atif
from pytest_agentv.views.encoding import encode
from pytest_agentv.views.entries import entries, filtered
from pytest_agentv.views.events import events_document
from pytest_agentv.views.markdown import markdown
from pytest_agentv.views.openai import openai_rows
from pytest_agentv.views.otlp import otlp
from pytest_agentv.views.states import HistoryLimits, StateStatistics, states

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from datetime import datetime

    from pytest_agentv.transcript.stored import AnyTranscript


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """What a form leaves out or adds; each form looks at its own."""

    since: datetime | None = None
    roles: Collection[str] | None = None
    last: int | None = None
    limits: HistoryLimits = field(default_factory=HistoryLimits)
    statistics: StateStatistics = field(default_factory=StateStatistics)
    submitter: Mapping[str, Any] | None = None
    captured_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A form: how its files are named, and a session in it, piece by piece."""

    suffix: str
    pieces: Callable[[AnyTranscript, ViewOptions], Iterator[bytes]]


def _entries(transcript: AnyTranscript, options: ViewOptions) -> Iterator[bytes]:
    found = entries(transcript.output, provider=transcript.source.provider)
    wanted = filtered(found, since=options.since, roles=options.roles, last=options.last)
    return (encode(entry) + b"\n" for entry in wanted)


def _events(transcript: AnyTranscript, options: ViewOptions) -> Iterator[bytes]:
    return events_document(transcript, submitter=options.submitter, captured_at=options.captured_at)


def _states(transcript: AnyTranscript, options: ViewOptions) -> Iterator[bytes]:
    return states(transcript, limits=options.limits, statistics=options.statistics)


FORMATS = {
    "atif": Format(suffix="atif.jsonl", pieces=lambda one, _: atif(one)),
    "entries": Format(suffix="entries.jsonl", pieces=_entries),
    "events": Format(suffix="events.jsonl", pieces=_events),
    "markdown": Format(suffix="md", pieces=lambda one, _: markdown(one)),
    "openai": Format(suffix="openai.jsonl", pieces=lambda one, _: openai_rows(one)),
    "otlp": Format(suffix="otlp.jsonl", pieces=lambda one, _: otlp(one)),
    "states": Format(suffix="states.jsonl", pieces=_states),
}
