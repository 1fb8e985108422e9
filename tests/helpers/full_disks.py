"""A disk that is full, as far as a single file can tell."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Nothing in this process can make a file longer than ``size`` bytes."""
    resource = pytest.importorskip("resource", reason="nothing limits the size of files here")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Unless it is ignored, it ends the process; to those who ignore it, writing is an error.
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
