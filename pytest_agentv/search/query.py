"""What people type: words, "phrases", begin*, -without, one OR another, and filters.

Whatever is typed is a query, or one sentence says why not; nothing of it is SQLite's syntax.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.errors import QueryError
from pytest_agentv.search.documents import ROLES
from pytest_agentv.search.times import end_typed, moment_typed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

NAMES = ("agent", "project", "branch", "role", "tool", "path", "since", "until")

# More than people type; SQLite has limits of its own.
MOST_TERMS = 100
_LONGEST = 10_000
_OR = "OR"
_PIECE = re.compile(
    r"(?P<minus>-?)(?:(?P<name>[A-Za-z]+):(?=\S))?"
    r'(?:"(?P<quoted>[^"]*)(?:"|$)(?P<star>\*?)|(?P<bare>[^\s"]+))'
)


class Term(NamedTuple):
    """A word or phrase."""

    text: str
    # Whether words may go on after it.
    is_prefix: bool = False


class Filter(NamedTuple):
    """What a document must be; or must not."""

    name: str
    value: str
    negated: bool = False


@dataclass(frozen=True)
class Query:
    """What is searched for, in one document: something of every group, and nothing unwanted."""

    wanted: tuple[tuple[Term, ...], ...] = ()
    unwanted: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def plain(self) -> str:
        """The words alone, as a text to compare others with."""
        return " ".join(term.text for group in self.wanted for term in group)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All words and phrases that are wanted."""
        return tuple(term for group in self.wanted for term in group)

    def __bool__(self) -> bool:
        """Whether there is anything to search for."""
        asked = (self.wanted, self.unwanted, self.filters, self.since, self.until)
        return any(map(bool, asked))

    def filtered(self, given: Iterable[tuple[str, str]]) -> Query:
        """The same with more filters, by name and value."""
        query = self
        for name, value in given:
            query = _with_filter(query, name, value, negated=False)
        return query


def parse_query(text: str) -> Query:
    """The query that a text is; QueryError if it is none."""
    if len(text) > _LONGEST:
        raise QueryError(f"a query has at most {_LONGEST:,} characters, this one {len(text):,}")
    query = Query()
    groups: list[list[Term]] = []
    unwanted: list[Term] = []
    joins = False
    for match in _PIECE.finditer(_printable(text)):
        name, minus = match["name"], bool(match["minus"])
        if name is not None and name.lower() in NAMES:
            value = match["quoted"] if match["bare"] is None else match["bare"]
            query = _with_filter(query, name.lower(), value, negated=minus)
            joins = False
            continue
        if match["bare"] == _OR and not minus and name is None and groups:
            joins = True
            continue
        term = _term(match)
        if term is None:
            continue
        if minus:
            unwanted.append(term)
        elif joins:
            groups[-1].append(term)
        else:
            groups.append([term])
        joins = False
    found = replace(query, wanted=tuple(map(tuple, groups)), unwanted=tuple(unwanted))
    if len(found.terms) + len(unwanted) > MOST_TERMS:
        raise QueryError(f"a query has at most {MOST_TERMS} words and phrases")
    return found


def _term(match: re.Match[str]) -> Term | None:
    """A word or phrase; None if there is nothing in it that could be found."""
    # What is no filter's name is a word: http://…
    before = "" if match["name"] is None else f"{match['name']}:"
    if match["bare"] is None:
        text, is_prefix = before + match["quoted"], bool(match["star"])
    else:
        text = before + match["bare"]
        is_prefix = text.endswith("*")
    text = text.strip("*")
    return Term(text, is_prefix) if any(one.isalnum() for one in text) else None


def _with_filter(query: Query, name: str, value: str, *, negated: bool) -> Query:
    if name in ("since", "until"):
        if negated:
            raise QueryError(f"-{name}: makes no sense; since: and until: say from when to when")
        try:
            times: dict[str, Any] = {
                name: moment_typed(value) if name == "since" else end_typed(value)
            }
        except ValueError as exc:
            raise QueryError(f"{name}: {exc}") from exc
        return replace(query, **times)
    if name == "role" and value.lower() not in ROLES:
        raise QueryError(f"role: {value!r} is no role; known: {', '.join(ROLES)}")
    value = value.lower() if name == "role" else value
    return replace(query, filters=(*query.filters, Filter(name, value, negated)))


def _printable(text: str) -> str:
    """A text without what a terminal or a database chokes on."""
    return "".join(one if one.isprintable() else " " for one in text)
