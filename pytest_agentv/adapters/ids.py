"""Ids as clients write them, and what several files of one id are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.adapters.base import SessionRef

UUID_PATTERN = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
UUID = re.compile(UUID_PATTERN)


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID and nothing else."""
    return UUID.fullmatch(text) is not None


def one_of_each(
    refs: Iterable[SessionRef], *, rank: Callable[[SessionRef], tuple[object, ...]]
) -> list[SessionRef]:
    """Each session once, though several files have its id: the highest, and of equals the first."""
    best: dict[str, SessionRef] = {}
    for ref in refs:
        key = ref.session_id.lower()
        other = best.get(key)
        if other is None or rank(ref) > rank(other):
            best[key] = ref
    return list(best.values())
