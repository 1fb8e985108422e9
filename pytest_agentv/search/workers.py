"""Sessions read by several processes while another writes the index."""

from __future__ import annotations

import gc
import os
import signal
from functools import cache, partial
from typing import TYPE_CHECKING

from pytest_agentv.plugins import registry as plugin_registry
from pytest_agentv.search.reading import Read, read_whole

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from pytest_agentv.registry import Registry
    from pytest_agentv.search.listing import Found
    from pytest_agentv.search.settings import Choices

    # A session, and the number of what it replaces.
    Job: TypeAlias = tuple[Found, int | None]

# Starting a process costs as much as reading a session of some megabytes.
_BYTES_WORTH_A_POOL = 50 << 20
_MAX_WORKERS = 8
# Bytes of sessions that are read at a time: sending each on its own would cost more.
_PORTION = 4 << 20
# Objects after which garbage is looked for. What a session leaves behind is in cycles: of some
# clients a hundred megabytes come together while a command looks for it as rarely as it does.
_COLLECT_AFTER = 10_000


def read_all(
    jobs: Sequence[Job], registry: Registry, choices: Choices
) -> Generator[tuple[Job, Read]]:
    """Every session, read by as many processes as pay."""
    workers = min(os.cpu_count() or 1, _MAX_WORKERS)
    if workers > 1 and sum(job[0].ref.size for job in jobs) >= _BYTES_WORTH_A_POOL:
        yield from _read_elsewhere(jobs, choices, workers)
        return
    for job in jobs:
        yield job, read_whole(registry.adapter(job[0].adapter), job[0].ref, choices)


def collect_often() -> None:
    """Let this process look for garbage as often as reading many sessions needs."""
    gc.set_threshold(min(gc.get_threshold()[0], _COLLECT_AFTER))


def portions(jobs: Iterable[Job], size: int) -> Iterator[list[Job]]:
    """The same in portions of so many bytes."""
    portion: list[Job] = []
    held = 0
    for job in jobs:
        portion.append(job)
        held += job[0].ref.size
        if held >= size:
            yield portion
            portion, held = [], 0
    if portion:
        yield portion


def _read_elsewhere(
    jobs: Sequence[Job], choices: Choices, workers: int
) -> Iterator[tuple[Job, Read]]:
    from pytest_agentv.processes import in_order  # noqa: PLC0415 (few updates are so large)

    known = list(portions(jobs, _PORTION))
    found = ([one for one, _ in portion] for portion in known)
    read = partial(_read_portion, choices)
    several = in_order(read, found, workers=workers, begin=_begin)
    for portion, reads in zip(known, several, strict=True):
        yield from zip(portion, reads, strict=True)


def _read_portion(choices: Choices, found: list[Found]) -> list[Read]:
    known = _known()
    return [read_whole(known.adapter(one.adapter), one.ref, choices) for one in found]


@cache
def _known() -> Registry:
    """The registry of a worker process."""
    return plugin_registry()


def _begin() -> None:
    """At Ctrl-C the parent is interrupted, too, and says so once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_often()
