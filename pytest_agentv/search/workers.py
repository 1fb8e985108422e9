"""Sessions read by several processes while another writes the index."""

from __future__ import annotations

import os
from collections import deque
from functools import cache
from typing import TYPE_CHECKING

from pytest_agentv.errors import SearchError
from pytest_agentv.plugins import registry as plugin_registry
from pytest_agentv.search.reading import Read, read_whole

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Future
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
# Portions that are read ahead of the writer, for each process.
_AHEAD = 2


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
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 (few updates are so large)
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    waiting = portions(jobs, _PORTION)
    running: deque[tuple[list[Job], Future[list[Read]]]] = deque()
    with ProcessPoolExecutor(workers, initializer=_live_with_parent) as pool:
        try:
            while True:
                while len(running) < workers * _AHEAD and (portion := next(waiting, None)):
                    found = [job[0] for job in portion]
                    running.append((portion, pool.submit(_read_portion, found, choices)))
                if not running:
                    return
                portion, future = running.popleft()
                yield from zip(portion, future.result(), strict=True)
        except BrokenProcessPool as exc:
            raise SearchError(
                "a process that read sessions came to an end, perhaps for want of memory; what "
                "was read before is in the index"
            ) from exc
        finally:
            pool.shutdown(cancel_futures=True)  # when interrupted, begin no more


def _read_portion(found: list[Found], choices: Choices) -> list[Read]:
    known = _known()
    return [read_whole(known.adapter(one.adapter), one.ref, choices) for one in found]


@cache
def _known() -> Registry:
    """The registry of a worker process."""
    return plugin_registry()


def _live_with_parent() -> None:
    """End this process when its parent does, even if that is killed: nobody else would."""
    import multiprocessing  # noqa: PLC0415 (of a worker process only)
    import signal  # noqa: PLC0415
    import threading  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, too, and says so
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_after() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_after, daemon=True).start()
