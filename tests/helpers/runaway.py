"""What runs away is stopped; it is no measure of speed, and holds on a slow machine as well."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_CPU_SECONDS = 40


@contextmanager
def no_runaway() -> Iterator[None]:
    """Fail if what is done inside takes many times what it takes when its cost is linear."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer of CPU time on this system")
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _stop(*_: object) -> NoReturn:
    pytest.fail(f"not done after {_CPU_SECONDS} s of CPU time")
