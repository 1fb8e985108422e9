"""The spans of a file: one document, or one per line, in whatever order they ended.

A file is read twice: once for the order and the kinship of its spans, then span by span. Every
span of a model may repeat the whole conversation, so they are never all in memory.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.otlp.spans import AGENT, OURS, Batch, spans_in
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift, RecordFile, read_document
from pytest_agentv.errors import Location, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.otlp.spans import Span
    from pytest_agentv.adapters.records import Place

_MAX_ANCESTORS = 200
# Lines that are decoded at the same time: spans that follow each other mostly lie together.
_HELD = 4


class Entry(msgspec.Struct, gc=False):
    """Where a span stands, and what its order and kinship need."""

    start: int
    number: int
    id: str
    parent: str
    trace: str
    kind: str | None
    conversation: str | None
    place: Place | None
    index: int


class SpanFile:
    """The spans of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # What was not understood of the file, whichever session it would have been of.
        self.drift = Drift()
        # A document over several lines is one record, and is held.
        found = probe(path)
        self._document = (
            read_document(path, Batch, self.drift)
            if found.fields and "resourceSpans" in found.fields
            else None
        )
        self._held: OrderedDict[Place, list[Span]] = OrderedDict()
        self._whole = (
            [] if self._document is None else list(spans_in(self._document, 1, self.drift))
        )
        self.entries = list(self._entries())
        self._by_id = {(one.trace, one.id): one for one in self.entries}

    @cached_property
    def sessions(self) -> dict[str, list[Entry]]:
        """The spans that are about agents, by session, in the order in which they began."""
        stated: dict[str, set[str]] = {}
        for one in self.entries:
            if one.conversation is not None:
                stated.setdefault(one.trace, set()).add(one.conversation)
        found: dict[str, list[Entry]] = {}
        for one in sorted(self.entries, key=lambda one: (one.start, one.number)):
            if one.kind is not None:
                found.setdefault(self._session_of(one, stated), []).append(one)
        return found

    def span(self, entry: Entry) -> Span:
        """A span with all it says."""
        if entry.place is None:
            return self._whole[entry.index]
        spans = self._held.get(entry.place)
        if spans is None:
            # What is wrong with the line was counted when it was read first.
            with RecordFile(self._path, Batch, Drift()) as file:
                found = file.records_at([entry.place])
            spans = [span for line, batch in found for span in spans_in(batch, line)]
            if len(spans) <= entry.index:
                message = "changed while it was read"
                raise SessionUnreadable(message, at=Location(self._path, entry.place[2]))
            self._held[entry.place] = spans
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        return spans[entry.index]

    def agent_above(self, entry: Entry) -> Entry | None:
        """The nearest agent that a span is part of."""
        for _ in range(_MAX_ANCESTORS):
            above = self._by_id.get((entry.trace, entry.parent))
            if above is None or above is entry:
                return None
            if above.kind == AGENT:
                return above
            entry = above
        return None

    def _session_of(self, entry: Entry, stated: dict[str, set[str]]) -> str:
        above: Entry | None = entry
        for _ in range(_MAX_ANCESTORS):
            if above is None:
                break
            if above.conversation is not None:
                return above.conversation
            above = self._by_id.get((above.trace, above.parent))
        of_trace = stated.get(entry.trace, set())
        return next(iter(of_trace)) if len(of_trace) == 1 else entry.trace

    def _entries(self) -> Iterator[Entry]:
        if self._document is not None:
            yield from (_entry(span, n, None, n) for n, span in enumerate(self._whole))
            return
        number = 0
        with RecordFile(self._path, Batch, self.drift) as file:
            for place, batch in file.records():
                if batch.resource_spans is None:
                    self.drift.note("record without spans", place[2])
                for index, span in enumerate(spans_in(batch, place[2], self.drift)):
                    yield _entry(span, number, place, index)
                    number += 1


def _entry(span: Span, number: int, place: Place | None, index: int) -> Entry:
    # What we wrote ourselves stands in the order of its conversation.
    start = 0 if span.scope == OURS else span.start
    return Entry(
        start, number, span.id, span.parent, span.trace, span.kind, span.conversation,
        place, index,
    )  # fmt: skip
