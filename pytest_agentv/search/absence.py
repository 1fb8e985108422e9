"""Why a query found nothing, as far as that can be told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_agentv.search.filters import OF_SESSIONS, sessions_that_pass, tools_that_fit
from pytest_agentv.search.query import Filter
from pytest_agentv.search.status import status_of

if TYPE_CHECKING:
    import sqlite3

    from pytest_agentv.search.query import Query

# Roles that are there if somebody wants them: the setting, and what they are.
_BY_CHOICE = {
    "thinking": ("thinking", "what models thought"),
    "output": ("tool_output", "what tools printed"),
}


def reason(db: sqlite3.Connection, query: Query, *, mode: str) -> str | None:
    """What stands in the way, as half a sentence; None if nothing in particular does."""
    if not agents_searched(db):
        return "no session of any agent is known; agentv import claude --list says where it looks"
    for name in OF_SESSIONS:
        asked = tuple(one for one in query.filters if one.name == name and not one.negated)
        if asked and not sessions_that_pass(db, replace(query, filters=asked)):
            shown = " or ".join(f"{name}:{one.value}" for one in asked)
            there = f"; there are those of {agents_searched(db)}" if name == "agent" else ""
            return f"no session is of {shown}{there}"
    for role, (key, what) in _BY_CHOICE.items():
        if Filter("role", role) in query.filters and not status_of(db).settings.get(key):
            return f"{what} is not indexed (index.{key} is false)"
    tools = [one.value for one in query.filters if one.name == "tool" and not one.negated]
    if tools and not tools_that_fit(db, tools):
        return f"no call is of {' or '.join(f'tool:{one}' for one in tools)}"
    if mode == "lexical" and len(query.wanted) > 1:
        return "no message or call has all of these words; --mode hybrid finds what is like them"
    return None


def agents_searched(db: sqlite3.Connection) -> str:
    """Whose sessions a search looks through; others may stay in the index, for later."""
    rows = db.execute(
        "SELECT DISTINCT sources.adapter FROM sources JOIN roots ON roots.id = sources.root "
        "WHERE roots.current ORDER BY sources.adapter"
    )
    return ", ".join(adapter for (adapter,) in rows)
