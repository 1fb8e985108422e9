"""What is said in a made-up session: by default, sentences of made-up words.

A corpus for searching says other things in the same places. Knows no vendor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from setting import Setting


class Speech:
    """What people and models say, and what clients put before it; all of it escaped."""

    def prompt(self, setting: Setting, median: float) -> str:
        """Return what a person types, about `median` sentences."""
        return setting.prose(median)

    def remark(self, setting: Setting, median: float) -> str:
        """Return what the model says between two tool calls."""
        return setting.prose(median)

    def answer(self, setting: Setting, median: float) -> str:
        """Return what the model says at the end of a turn."""
        return setting.prose(median)

    def context(self, setting: Setting, first: int, count: int) -> str:
        """Return `count` lines of instructions; the same ones in every session of a seed."""
        return setting.texts.prose.cut(first, count)
