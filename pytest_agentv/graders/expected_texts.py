"""What a text that an eval file expects stands for: itself, a glob, or a ``/pattern/``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

from pytest_agentv.globs import is_glob
from pytest_agentv.graders.patterns import FLAGS, compiled
from pytest_agentv.jsontext import MAX_DEPTH, too_deep

_PATTERN = re.compile(rf"/(?P<pattern>.+)/(?P<flags>[{''.join(FLAGS)}]*)", re.DOTALL)


@lru_cache(maxsize=1024)
def meaning_of(expected: str) -> tuple[str, str] | Literal["glob", "literal"]:
    """What an expected text is: pattern and flags of ``/pattern/flags``, a glob, or itself."""
    found = _PATTERN.fullmatch(expected)
    if found is not None:
        return found["pattern"], found["flags"]
    return "glob" if is_glob(expected) else "literal"


def check_expected(value: Any) -> None:
    """Refuse an expected value that cannot be compared; the ValueError says why."""
    if too_deep(value):
        raise ValueError(f"is nested deeper than {MAX_DEPTH}")
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            meaning = meaning_of(one)
            if isinstance(meaning, tuple):
                compiled(meaning[0], flags=meaning[1])
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def is_costly(expected: Any) -> bool:
    """Whether it takes long to compare a value with this one."""
    return not isinstance(expected, str) or isinstance(meaning_of(expected), tuple)
