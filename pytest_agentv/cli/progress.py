"""Bars for somebody who waits."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from pytest_agentv.cli.console import shows_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[], object]]:
    """A bar on the terminal, if there is one; what it gives is to be called after each piece."""
    with _bar() as bar:
        yield (
            (lambda: None) if bar is None else partial(bar.advance, bar.add_task(what, total=total))
        )


@contextmanager
def progress_of(*whats: str) -> Iterator[list[Callable[[int, int], object]]]:
    """The same for steps of work, each of which says itself how much of how much is done.

    A bar appears with the first word of that: nobody sees one of nothing.
    """
    with _bar() as bar:
        if bar is None:
            yield [lambda done, total: None for _ in whats]  # noqa: ARG005 (nobody watches)
        else:
            yield [_step(bar, what) for what in whats]


def _step(bar: Progress, what: str) -> Callable[[int, int], object]:
    task = bar.add_task(what, total=None, visible=False)
    return lambda done, total: bar.update(task, completed=done, total=total, visible=True)


@contextmanager
def _bar() -> Iterator[Progress | None]:
    if not shows_progress():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 (only for somebody who watches)
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield bar
