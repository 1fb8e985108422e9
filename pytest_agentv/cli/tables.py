"""Tables for people: drawn by rich on a screen, plain aligned lines in a pipe.

Cells and headings may come out of sessions: they are cleaned here. A cell that is None is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from pytest_agentv.cli.console import put
from pytest_agentv.cli.screen import is_plain, screen_width, show
from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

UNKNOWN = "-"
_GAP = "  "
# Of a column that wraps, and of any column, if a screen has no room for more.
_NARROW = 10
_NARROWEST = 3
# To draw a row takes a millisecond; so many rows nobody reads on a screen.
_MOST_DRAWN = 5_000


class Column(NamedTuple):
    """A column of a table."""

    name: str
    # Figures are aligned on the right.
    right: bool = False
    # At most so many columns of a screen; a pipe gets all.
    width: int | None = None
    # At least so many where its cells are that long, whatever is left for others.
    least: int = 0
    # Whether a screen shows all of a long text, on several lines; else it is cut off.
    wrap: bool = False
    # A style of rich's for a cell, by what stands in it: "red".
    style: Callable[[str], str | None] | None = None


def print_table(
    title: str | None, columns: Sequence[Column], rows: Iterable[Sequence[str | None]]
) -> None:
    """Print a table; every cell is on one line of text, and None is shown as ``-``."""
    cells = [[UNKNOWN if one is None else one_line(one) for one in row] for row in rows]
    width = screen_width()
    if width is None or len(cells) > _MOST_DRAWN:
        put("\n".join([*([one_line(title)] if title else []), *_aligned(columns, cells)]))
    else:
        _draw(title, columns, cells, width=width)


def _aligned(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Lines of a table, each as long as it has to be."""
    header = [one_line(column.name) for column in columns]
    widths = _longest(columns, rows)
    for row in [header, *rows]:
        yield _GAP.join(map(_padded, row, columns, widths)).rstrip()


def _padded(cell: str, column: Column, width: int) -> str:
    blanks = " " * (width - cell_len(cell))
    return blanks + cell if column.right else cell + blanks


def _draw(
    title: str | None, columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int
) -> None:
    from rich import box  # noqa: PLC0415 (only for somebody who looks)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    plain = is_plain()
    longest = _shown_at_most(columns, rows)
    gap = _gap(columns, longest, width)
    table = Table(
        title=None if title is None else Text(one_line(title), "" if plain else "bold"),
        title_justify="left",
        box=None if plain else box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        # A frame has a column of its own between two others.
        padding=(0, gap if plain else gap - 1, 0, 0),
        header_style="" if plain else "bold",
    )
    room = width - gap * (len(columns) - 1)
    for column, fitting in zip(columns, _widths(columns, longest, room), strict=True):
        table.add_column(
            Text(one_line(column.name)),
            justify="right" if column.right else "left",
            no_wrap=not column.wrap,
            overflow="fold" if column.wrap else "ellipsis",
            width=fitting,
        )
    for row in rows:
        table.add_row(
            *(Text(cell, _style(column, cell)) for column, cell in zip(columns, row, strict=True))
        )
    show(table, width=width)


def _gap(columns: Sequence[Column], longest: Sequence[int], width: int) -> int:
    """How far columns are apart: less than in a pipe before a cell is cut off for it."""
    least = [
        min(one, _NARROW) if column.wrap else one
        for one, column in zip(longest, columns, strict=True)
    ]
    return len(_GAP) if sum(least) + len(_GAP) * (len(columns) - 1) <= width else 1


def _widths(columns: Sequence[Column], longest: Sequence[int], room: int) -> list[int]:
    """How wide each column is, so that all of them fit on a screen.

    What may wrap gives way first, and the widest of those; rich's own limits do not hold here.
    """
    widths = list(longest)
    for floors in (
        [max(column.least, _NARROW) if column.wrap else room for column in columns],
        [_NARROW if column.wrap else room for column in columns],
        [_NARROWEST] * len(columns),
    ):
        while sum(widths) > room:
            above = [one if one > floor else 0 for one, floor in zip(widths, floors, strict=True)]
            if not any(above):
                break
            widths[above.index(max(above))] -= 1
    return widths


def _shown_at_most(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    widths = _longest(columns, rows)
    return [min(one, column.width or one) for one, column in zip(widths, columns, strict=True)]


def _longest(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    header = [one_line(column.name) for column in columns]
    return [max(cell_len(row[number]) for row in [header, *rows]) for number in range(len(header))]


def _style(column: Column, cell: str) -> str:
    if cell == UNKNOWN:
        return "dim"
    return (column.style(cell) if column.style else None) or ""
