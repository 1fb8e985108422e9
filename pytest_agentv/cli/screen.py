"""Where output goes: a screen has an edge and perhaps colours, a pipe has neither."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from pytest_agentv.cli.console import put

if TYPE_CHECKING:
    from rich.console import RenderableType

_NARROWEST = 20


def screen_width() -> int | None:
    """How many columns a line may have; None for a pipe, unless ``COLUMNS`` says so many."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return max(int(columns), _NARROWEST)
    return max(shutil.get_terminal_size().columns, _NARROWEST) if sys.stdout.isatty() else None


def is_plain() -> bool:
    """Whether there may be no colours and no frames: a pipe, or somebody who wants none."""
    return bool(os.environ.get("NO_COLOR")) or not sys.stdout.isatty()


def show(what: RenderableType, *, width: int) -> None:
    """Print something of rich's. Its texts have to be clean: on a screen it goes out as it is."""
    from rich.console import Console  # noqa: PLC0415 (only for somebody who looks)

    if not is_plain():
        Console(width=width, highlight=False, soft_wrap=False).print(what)
        return
    console = Console(width=width, highlight=False, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(what)
    # Where lines are broken anew, one may begin as a command to a CI system does.
    lines = (line.rstrip() for line in capture.get().rstrip("\n").split("\n"))
    put("\n".join(lines))
