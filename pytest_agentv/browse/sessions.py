"""The sessions that a browser lists: the newest ones, or those that fit what somebody types."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.adapters.base import SessionRef
from pytest_agentv.errors import IndexUnusable
from pytest_agentv.search.query import parse_query
from pytest_agentv.search.schema import open_to_read, translated
from pytest_agentv.search.searching import search

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.search.query import Query
    from pytest_agentv.search.snippets import Snippet

# More rows nobody looks through: to type a word is faster.
MOST_LISTED = 1_000
MOST_FOUND = 200

_COLUMNS = (
    "adapter, ref, path, size, modified, row, session, project, ifnull(title, prompt), "
    "ifnull(ended, modified), error"
)


# What lies in places that are configured no more stays in the index, and is not shown.
_SHOWN = "FROM sources WHERE root IN (SELECT id FROM roots WHERE current)"


class Listed(NamedTuple):
    """A session in the list."""

    adapter: str
    ref: SessionRef
    # Its id, as it says itself.
    session: str
    project: str | None
    # Its title, else its first prompt.
    title: str | None
    # Seconds since 1970.
    when: float | None
    # Why it could not be read for the index.
    error: str | None
    snippet: Snippet | None = None

    @property
    def key(self) -> str:
        """What it is known by while lists come and go."""
        return f"{self.adapter}\0{self.ref.path}\0{self.ref.row}"

    def cleaned(self, clean: Callable[[str], str]) -> Listed:
        """The same with its texts as they may be shown."""
        found = self.snippet
        if found is not None and (text := clean(found.text)) != found.text:
            found = found._replace(text=text, marks=())  # they are of another text
        return self._replace(
            session=clean(self.session),
            project=self.project and clean(self.project),
            title=self.title and clean(self.title),
            error=self.error and clean(self.error),
            snippet=found,
        )


class Listing(NamedTuple):
    """A list, and how many sessions there are in all."""

    sessions: list[Listed]
    total: int


def newest(index: Path) -> Listing:
    """The sessions that were written to last; none if there is no index yet."""
    try:
        database = open_to_read(index)
    except IndexUnusable:
        return Listing([], 0)
    with contextlib.closing(database), translated(index):
        rows = database.execute(
            f"SELECT {_COLUMNS} {_SHOWN} ORDER BY ifnull(ended, modified) DESC, id DESC "
            f"LIMIT {MOST_LISTED}"
        )
        sessions = [_listed(row) for row in rows]
        (total,) = database.execute(f"SELECT count(*) {_SHOWN}").fetchone()
    return Listing(sessions, total)


def found(index: Path, text: str) -> list[Listed]:
    """The sessions that fit a query while it is typed: its last word may go on."""
    query = _while_typed(parse_query(text), text)
    with contextlib.closing(open_to_read(index)) as database, translated(index):
        hits = search(database, query, limit=MOST_FOUND, per_session=1)
        by_id = f"SELECT {_COLUMNS} FROM sources WHERE id = ?"  # noqa: S608 (our own)
        return [
            _listed(database.execute(by_id, (hit.source,)).fetchone())._replace(
                snippet=hit.matches[0].said.snippet if query.terms else None
            )
            for hit in hits
        ]


def _while_typed(query: Query, text: str) -> Query:
    """The same query; the word that the text ends with is a beginning."""
    *groups, last = query.wanted or ((),)
    if not last or not text.endswith(last[-1].text):
        return query
    last = (*last[:-1], last[-1]._replace(is_prefix=True))
    return replace(query, wanted=(*groups, last))


def _listed(row: tuple[Any, ...]) -> Listed:
    adapter, id_, path, size, modified, which, *rest = row
    return Listed(
        adapter, SessionRef(id_, Path(os.fsdecode(path)), size, modified or 0.0, which), *rest
    )
