"""What a session says of itself: ids, folder, branch, version, model, title, times, cost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import datetime

    from pytest_agentv.adapters.claude.records import IndexRecord

# Summaries of other sessions come first, dozens of them; more than this are no use to anybody.
_MAX_SUMMARIES = 1000

# Titles by how much they say: one a person gave, one the model gave, an old summary.
_TITLES = ("custom-title", "ai-title", "summary")


class About:
    """What is known so far; None is what the session does not say."""

    def __init__(self) -> None:
        # How many records name which session: most files hold one id, a few begin with that of
        # the session they go on from.
        self.session_ids: Counter[str] = Counter()
        # What the last of them named, and how many did so one after the other.
        self.session_id: str | None = None
        self._records = 0
        # Whether any record of the thread was taken.
        self.is_told = False
        self.version: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.model: str | None = None
        self.title: str | None = None
        self.started: datetime | None = None
        self.ended: datetime | None = None
        self.cost_usd: float | None = None
        self._titles: dict[str, str] = {}
        self._summaries: dict[str, str] = {}

    def name_session(self, session_id: str | None, records: int = 1) -> None:
        """So many more records name a session."""
        if session_id != self.session_id:
            if self.session_id is not None:
                self.session_ids[self.session_id] += self._records
            self.session_id = session_id
            self._records = 0
        self._records += records

    def take(self, records: Sequence[IndexRecord]) -> None:
        """When and where records were written, and by which client."""
        self.is_told = self.is_told or bool(records)
        times = [record.timestamp for record in records if record.timestamp is not None]
        if times:
            first, last = min(times), max(times)
            self.started = first if self.started is None else min(first, self.started)
            self.ended = last if self.ended is None else max(last, self.ended)
        # What the client was, in the end, and where it was begun.
        versions = (one.version for one in reversed(records) if one.version is not None)
        self.version = next(versions, self.version)
        if self.cwd is None:
            self.cwd = next((record.cwd for record in records if record.cwd is not None), None)
        if self.git_branch is None:
            branches = (record.git_branch for record in records if record.git_branch)
            self.git_branch = next(branches, None)

    def say(self, record: IndexRecord, known: Container[str]) -> None:
        """A record says something of the session as a whole; the last of a type wins.

        ``known``: the ids of the session's records so far.
        """
        if record.type == "cost-state":
            self.cost_usd = _cost(record)
        elif record.type == "summary":
            # Most summaries are of other sessions; only one that names a record of ours counts.
            if record.summary and record.leaf_uuid in known:
                self._titles["summary"] = record.summary
            elif record.summary and record.leaf_uuid and len(self._summaries) < _MAX_SUMMARIES:
                self._summaries[record.leaf_uuid] = record.summary
        else:
            self._titles[record.type or ""] = record.custom_title or record.ai_title or ""

    def finish(self, known: Container[str]) -> None:
        """There are no more records than those of these ids."""
        self.name_session(None, 0)
        for leaf, summary in self._summaries.items():
            if leaf in known:
                self._titles.setdefault("summary", summary)
        self.title = next((self._titles[kind] for kind in _TITLES if self._titles.get(kind)), None)


def _cost(record: IndexRecord) -> float | None:
    cost = record.total_cost_usd
    return None if record.has_unknown_model_cost or cost is None or cost < 0 else cost
