"""``agentv import … --list``: the sessions there are, as a table or as JSON."""

from __future__ import annotations

import shutil
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len, set_cell_size

from pytest_agentv.adapters.summaries import SummaryCache
from pytest_agentv.cli.console import put_json
from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from pytest_agentv.adapters.base import Adapter, SessionRef, SessionSummary

_ID_LENGTH = 8
_GAP = "  "
_THOUSAND = 1000


def list_sessions(adapter: Adapter, refs: list[SessionRef], *, as_json: bool) -> None:
    """Print all sessions, newest first."""
    cache = SummaryCache.of_user(adapter)
    sessions = [(ref, cache.summary(ref)) for ref in refs]
    cache.save()
    if as_json:
        put_json([_row(ref, summary) for ref, summary in sessions])
    else:
        _put_table(sessions)


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
    length = _unique_length([ref.session_id for ref, _ in sessions])
    rows = [
        (
            one_line(ref.session_id[:length]),
            f"{datetime.fromtimestamp(ref.modified).astimezone():%Y-%m-%d %H:%M}",
            f"{_size(ref.size):>8}",
            one_line(summary.project or ""),
            one_line(summary.first_prompt or ""),
        )
        for ref, summary in sessions
    ]
    header = ("id", "when", f"{'size':>8}", "project", "first prompt")
    projects, prompts = _widths([header, *rows], length)
    for number, (id_, when, size, project, prompt) in enumerate([header, *rows]):
        line = _GAP.join(
            [f"{id_:{length}}", f"{when:16}", size, _fit(project, projects), _cut(prompt, prompts)]
        ).rstrip()
        click.echo(line if number else click.style(line, bold=True))


def _widths(rows: list[tuple[str, ...]], id_length: int) -> tuple[int, int]:
    """Columns for projects and prompts. A pipe gets whole lines; only a screen has an edge."""
    projects, prompts = (max(cell_len(row[column]) for row in rows) for column in (3, 4))
    if not sys.stdout.isatty():
        return projects, prompts
    rest = shutil.get_terminal_size().columns - id_length - 16 - 8 - 4 * len(_GAP)
    projects = min(projects, max(rest * 2 // 5, 8))
    return projects, max(rest - projects, 10)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


def _fit(text: str, width: int) -> str:
    """A path within so many columns; its end says more than its beginning."""
    if cell_len(text) > width:
        end = text
        while cell_len(end) > width - 1:
            end = end[1:]
        text = f"…{end}"
    return set_cell_size(text, width)


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
        if round(size, 1) < _THOUSAND:
            return f"{size:.1f} {unit}"
    return f"{size / _THOUSAND:.1f} GB"
