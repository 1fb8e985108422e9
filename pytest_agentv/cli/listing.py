"""``agentv import … --list``: the sessions there are, as a table or as JSON."""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.summaries import SummaryCache
from pytest_agentv.cli.console import one_line, put_json, say

if TYPE_CHECKING:
    from pytest_agentv.adapters.base import Adapter, SessionRef, SessionSummary

_ID_LENGTH = 8
_WIDE = 10_000
_THOUSAND = 1000


def list_sessions(adapter: Adapter, refs: list[SessionRef], *, as_json: bool) -> None:
    """Print all sessions, newest first."""
    cache = SummaryCache.of_user(adapter)
    sessions = [(ref, cache.summary(ref)) for ref in refs]
    cache.save()
    if as_json:
        put_json([_row(ref, summary) for ref, summary in sessions])
    elif sessions:
        _put_table(sessions)
    else:
        say(f"no session of {adapter.name} was found")


def _row(ref: SessionRef, summary: SessionSummary) -> dict[str, Any]:
    return {
        "id": ref.session_id,
        "when": datetime.fromtimestamp(ref.modified, timezone.utc).isoformat(timespec="seconds"),
        "project": summary.project,
        "first_prompt": summary.first_prompt,
        "size": ref.size,
        "path": str(ref.path),
    }


def _put_table(sessions: list[tuple[SessionRef, SessionSummary]]) -> None:
    from rich.console import Console  # noqa: PLC0415 (costs more than all the rest)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    length = _unique_length([ref.session_id for ref, _ in sessions])
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True, min_width=length)
    table.add_column("when", no_wrap=True, min_width=16)
    table.add_column("size", justify="right", no_wrap=True, min_width=8)
    table.add_column("project", no_wrap=True, overflow="ellipsis", max_width=40)
    table.add_column("first prompt", no_wrap=True, overflow="ellipsis")
    for ref, summary in sessions:
        cells = (
            ref.session_id[:length],
            f"{datetime.fromtimestamp(ref.modified).astimezone():%Y-%m-%d %H:%M}",
            _size(ref.size),
            summary.project or "",
            summary.first_prompt or "",
        )
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    # A pipe gets whole lines; only a screen has an edge.
    Console(width=None if sys.stdout.isatty() else _WIDE).print(table)


def _unique_length(ids: list[str]) -> int:
    """How much of the ids to show so that none can be mistaken for another."""
    distinct = set(ids)
    longest = max(map(len, distinct))
    return next(
        (
            length
            for length in range(_ID_LENGTH, longest)
            if len({one[:length] for one in distinct}) == len(distinct)
        ),
        longest,
    )


def _size(size: float) -> str:
    if size < _THOUSAND:
        return f"{size:.0f} B"
    for unit in ("KB", "MB"):
        size /= _THOUSAND
        if size < _THOUSAND:
            return f"{size:.1f} {unit}"
    return f"{size / _THOUSAND:.1f} GB"
