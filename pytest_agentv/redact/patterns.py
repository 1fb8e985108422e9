"""Patterns that are compiled when they are needed first: there are many, and most never are."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def pattern(text: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A function that gives the compiled pattern."""
    return cache(partial(re.compile, text, flags))
