"""Which ids came up lately, in bounded memory.

A session may have millions of records. Copies of records carry the ids of what they copy, and
are found by those if the original is not more than tens of thousands of records back; beyond
that they are still found by what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIMIT = 50_000


class RecentIds:
    """A set that forgets: it holds the last ids, at least as many as the limit."""

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        # Hashes, because an id takes three times the memory.
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, one: object) -> bool:
        return hash(one) in self._young or hash(one) in self._old

    def add(self, one: object) -> bool:
        """Note an id; whether it is new."""
        mark = hash(one)
        young = self._young
        known = len(young)
        young.add(mark)
        if len(young) == known or mark in self._old:
            return False
        if known >= self._limit:
            self._old, self._young = young, set()
        return True

    def add_all(self, ids: Sequence[object]) -> bool:
        """Note many ids at once, if all are new and there is room; else none, and return False."""
        marks = set(map(hash, ids))
        young = self._young
        if (
            len(marks) < len(ids)
            or len(young) + len(marks) > self._limit
            or not marks.isdisjoint(young)
            or not marks.isdisjoint(self._old)
        ):
            return False
        young |= marks
        return True
