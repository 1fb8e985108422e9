"""Work that waits, on a loop in a thread of its own, so that several can wait at once."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future

_T = TypeVar("_T")
# How many seconds the end of a run waits for what was given up.
_GRACE = 5.0


class Background:
    """A loop that begins with the first work."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def put(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Begin some work, and go on."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            # A daemon: nothing that a server does may keep the process alive.
            self._thread = threading.Thread(
                target=_serve, args=(self._loop,), name="agentv-judge", daemon=True
            )
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Give up what is not done, and end."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_GRACE)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        # Else it would be said of each that it was destroyed while it waited.
        waiting = asyncio.all_tasks(loop)
        for task in waiting:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
