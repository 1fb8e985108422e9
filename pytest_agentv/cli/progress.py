"""A bar for somebody who waits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_agentv.cli.console import shows_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress(doing: str) -> Iterator[Callable[[int, int], object]]:
    """A bar on the terminal, if there is one; what it gives is told how much of how much is done.

    It appears with the first word of that: nobody sees a bar of nothing.
    """
    if not shows_progress():
        yield lambda done, total: None  # noqa: ARG005 (nobody watches)
        return
    from rich.console import Console  # noqa: PLC0415 (only for somebody who watches)
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)
