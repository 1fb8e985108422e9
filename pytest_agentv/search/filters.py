"""Filters of a query as conditions of SQL, for every way of searching alike.

Agents, projects, branches and tools are few: those that fit are looked up first, by their numbers.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.globs import fits, is_glob
from pytest_agentv.search.schema import DOCUMENT_BITS
from pytest_agentv.search.tokens import words_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence
    from typing import Any

    from pytest_agentv.search.query import Filter, Query


class Conditions(NamedTuple):
    """What holds of a document ``d`` that passes, as SQL; empty if all do."""

    sql: str
    values: tuple[Any, ...]
    # Whether the condition is on more than ``d.id``.
    needs_document: bool
    # Whether it leaves out some sessions, and which it leaves in.
    sources: frozenset[int] | None

    def __bool__(self) -> bool:
        return bool(self.sql)


def conditions(db: sqlite3.Connection, query: Query) -> Conditions:
    """The filters of a query, for documents ``d``."""
    parts: list[str] = []
    values: list[Any] = []
    sources = sessions_that_pass(db, query)
    if sources is not None:
        numbers = ",".join(map(str, sorted(sources)))
        parts.append(f"(d.id >> {DOCUMENT_BITS}) IN ({numbers})")
    of_documents: list[str] = []
    for negated in (False, True):
        roles = [one.value for one in _named(query, "role", negated=negated)]
        if roles:
            marks = ",".join("?" * len(roles))
            of_documents.append(f"d.role {'NOT ' if negated else ''}IN ({marks})")
            values += roles
        tools = _named(query, "tool", negated=negated)
        if tools:
            numbers = ",".join(map(str, tools_that_fit(db, [one.value for one in tools])))
            is_one = f"ifnull(d.tool, 0) {'NOT ' if negated else ''}IN ({numbers})"
            of_documents.append(is_one)
        paths = _named(query, "path", negated=negated)
        if paths:
            db.create_function("agentv_path", 2, _has_path, deterministic=True)
            any_fits = " OR ".join(["agentv_path(d.paths, ?)"] * len(paths))
            of_documents.append(f"{'NOT ' if negated else ''}({any_fits})")
            values += [one.value for one in paths]
    for comparison, moment in ((">=", query.since), ("<", query.until)):
        if moment is not None:
            of_documents.append(f"d.time {comparison} ?")
            values.append(int(moment.timestamp()))
    sql = " AND ".join(parts + of_documents)
    return Conditions(sql, tuple(values), bool(of_documents), sources)


def _named(query: Query, name: str, *, negated: bool) -> list[Filter]:
    return [one for one in query.filters if one.name == name and one.negated is negated]


def sessions_that_pass(db: sqlite3.Connection, query: Query) -> frozenset[int] | None:
    """The sessions that pass the filters on sessions; None if all do."""
    checks: list[Callable[[Sequence[Any]], bool]] = []
    for number, (name, passes) in enumerate(OF_SESSIONS.items()):
        for negated in (False, True):
            wanted = [one.value for one in _named(query, name, negated=negated)]
            if wanted:
                checks.append(_check(number, passes, tuple(wanted), negated=negated))
    hidden = db.execute("SELECT 1 FROM roots WHERE NOT current LIMIT 1").fetchone()
    if not checks and hidden is None:
        return None
    rows = db.execute(
        "SELECT sources.id, ifnull(provider, '') || char(10) || sources.adapter, project, branch "
        "FROM sources JOIN roots ON roots.id = sources.root WHERE roots.current"
    )
    return frozenset(row[0] for row in rows if all(check(row[1:]) for check in checks))


def _check(
    column: int,
    passes: Callable[[str, str], bool],
    wanted: tuple[str, ...],
    *,
    negated: bool,
) -> Callable[[Sequence[Any]], bool]:
    @cache
    def is_wanted(value: str | None) -> bool:
        return value is not None and any(passes(value, one) for one in wanted)

    return lambda row: is_wanted(row[column]) is not negated


def _is_agent(value: str, wanted: str) -> bool:
    wanted = wanted.replace("_", "-")
    return any(fits(one, wanted, fold=True) for one in value.split("\n"))


def _is_project(value: str, wanted: str) -> bool:
    """By a folder's name anywhere in the path; by a path, with all that lies below; by a glob."""
    value = value.replace("\\", "/").rstrip("/")
    if wanted in (".", "..") or wanted.startswith(("./", "../", "~")):
        wanted = os.path.abspath(os.path.expanduser(wanted))  # noqa: PTH100, PTH111 (no file need be there)
    wanted = wanted.replace("\\", "/").rstrip("/") or "/"
    if "/" not in wanted:
        return any(fits(one, wanted, fold=True) for one in PurePosixPath(value).parts)
    return fits(value, wanted) or fits(value, f"{wanted}/*") or fits(value, f"*/{wanted}")


def _is_branch(value: str, wanted: str) -> bool:
    return fits(value, wanted, fold=True)


OF_SESSIONS: dict[str, Callable[[str, str], bool]] = {
    "agent": _is_agent,
    "project": _is_project,
    "branch": _is_branch,
}


def tools_that_fit(db: sqlite3.Connection, wanted: Sequence[str]) -> list[int]:
    """The numbers of tools that are called so, or are of a kind that is."""
    found = db.execute("SELECT id, name, kind FROM tools")
    return [
        id_
        for id_, name, kind in found
        if any(fits(name, one, fold=True) or fits(kind, one, fold=True) for one in wanted)
    ]


def _has_path(paths: str | None, wanted: str) -> bool:
    """Whether one of some paths fits a glob, or has the words of another path in their order."""
    if paths is None:
        return False
    if is_glob(wanted):
        anywhere = f"**/{wanted}"
        return any(fits(one, wanted) or fits(one, anywhere) for one in paths.split("\n"))
    words = f" {' '.join(words_of(wanted))} "
    return any(words in f" {' '.join(words_of(one))} " for one in paths.split("\n"))
