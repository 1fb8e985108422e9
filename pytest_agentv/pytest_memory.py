"""Sparing Python's garbage collector what pytest has collected.

Items, nodes and assertions live until a run ends. With thousands of them the collector looks
through hundreds of thousands of objects again and again and finds nothing: of a run of 5,000
assertions that was an eighth of the time.
"""

from __future__ import annotations

import gc

_MANY = 1000
# Python 3.12 counts some hundred objects of its own as frozen: those that never die.
_OF_PYTHON = 1000
_frozen = False


class CollectedMemory:
    """Keeps the collector off while eval files are collected, and off what came of them."""

    def __init__(self) -> None:
        global _frozen  # noqa: PLW0603 (of the process, as is the garbage collector)
        if _frozen:  # an earlier run in this process: what it left is garbage now
            gc.unfreeze()
            _frozen = False
        self._paused = gc.isenabled()
        gc.disable()
        self._only_reports = False
        # How many collections of younger objects Python makes before a full one is due.
        self._younger = gc.get_threshold()[2]

    def collected(self, items: int, *, only_reports: bool = False) -> None:
        """All items are there; if they are many, nobody need look through them again.

        ``only_reports``: from one item to the next nothing is kept but what is said of them.
        """
        global _frozen  # noqa: PLW0603
        if items > _MANY and gc.get_freeze_count() < _OF_PYTHON:
            gc.freeze()
            _frozen = True
            self._only_reports = only_reports
        self.resume()

    def between_items(self) -> None:
        """If a full collection is due, make it now, and keep the next ones off what it leaves.

        Python would make it within an item, where what is in use is not all reports, which pytest
        keeps to the end. What is frozen and in a cycle stays for good, and so nobody's fixtures
        may be among it.
        """
        if self._only_reports and gc.get_count()[2] > self._younger and _frozen:
            gc.collect()
            gc.freeze()

    def finished(self) -> None:
        """The run is over, and its reports live on until the process ends.

        pytest looks for garbage once more, and Python three times as it ends. What nobody holds any
        more is found here already, while pytest still listens to what finalizers raise.
        """
        self.resume()
        if _frozen:
            gc.collect()
            gc.freeze()

    def resume(self) -> None:
        """Let the collector work again."""
        if self._paused:
            gc.enable()
        self._paused = False
