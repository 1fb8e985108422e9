"""Foreign text in Markdown: as code, where nothing in it means anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LENGTH = 200
_BACKTICKS = re.compile("`+")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1) -> str:
    """A table; the first ``texts`` columns are texts, the others figures, aligned on the right."""
    line = ["---"] * texts + ["---:"] * (len(header) - texts)
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, line, *rows))


def cell(text: str) -> str:
    """A text as code in a table, where a bar ends a cell, be it in code."""
    return code(text.replace("|", "\N{BROKEN BAR}"))


def code(text: str) -> str:
    """As code, where Markdown, HTML, links and mentions are nothing but text."""
    line = one_line(text, limit=_LENGTH)
    ticks = fence(line, least=1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{padding}{line or '?'}{padding}{ticks}"


def fence(text: str, *, least: int = 3) -> str:
    """Backticks that do not occur in a text: they may stand around it."""
    return "`" * max(least, max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
