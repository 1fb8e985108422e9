"""Work in several processes, in order, with no more of it under way than they can take."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_agentv.errors import ProcessLost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Items that wait for each process: enough that none waits for us.
_AHEAD = 4
# Seconds after which a process looks whether it is still wanted.
_LOOK_EVERY = 0.5


def in_order(
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    *,
    workers: int,
    begin: Callable[..., object] | None = None,
    arguments: tuple[Any, ...] = (),
) -> Iterator[_Result]:
    """Results in the order of the items; ``begin`` is called once in every process.

    ProcessLost if a process dies.
    """
    given = (os.getpid(), begin, *arguments)
    with ProcessPoolExecutor(workers, initializer=_begin, initargs=given) as pool:
        waiting: deque[Future[_Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= workers * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as exc:
            raise ProcessLost(
                "a process that did a part of the work was killed, maybe for want of memory"
            ) from exc
        finally:
            pool.shutdown(cancel_futures=True)  # when interrupted, begin no more


def _begin(parent: int, begin: Callable[..., object] | None, *arguments: Any) -> None:
    """Begin a process of the pool; one whose parent was killed would wait for ever."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if begin is not None:
        begin(*arguments)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY)
    os._exit(1)
