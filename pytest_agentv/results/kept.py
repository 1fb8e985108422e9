"""Transcripts that a run keeps, and which cases were graded on which."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.results.model import Row
    from pytest_agentv.results.reading import Run
    from pytest_agentv.transcript.model import Transcript

# Cases share sessions, and often follow each other; a session may take a lot of memory.
_HELD = 4


class KeptTranscripts:
    """The transcripts of a run, read when they are wanted; the last few are held."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._held: OrderedDict[str, Transcript] = OrderedDict()

    def of(self, row: Row) -> Transcript:
        """The transcript that a case was graded on; raises AgentvError if it cannot be had."""
        name = row.transcript or ""
        if name in self._held:
            self._held.move_to_end(name)
            return self._held[name]
        transcript = self._run.transcript(row)
        self._held[name] = transcript
        if len(self._held) > _HELD:
            self._held.popitem(last=False)
        return transcript


def by_transcript(rows: Iterable[Row]) -> tuple[list[list[Row]], list[Row]]:
    """Cases that were graded on the same transcript, and those whose transcript was not kept."""
    groups: dict[str, list[Row]] = {}
    without = []
    for row in rows:
        if row.transcript is None:
            without.append(row)
        else:
            groups.setdefault(row.transcript, []).append(row)
    return list(groups.values()), without
