"""Globs that cannot do harm: the time they take is bounded, whatever pattern and text are.

``*`` is any text, slashes and line ends included, ``?`` any character, ``[a-z]`` and ``[!a-z]`` one
of some characters or none of them. ``**/`` stands for any folders, and for none.

The standard library makes one regular expression of a glob. That takes the length of the pattern
times that of the text: seconds, for a command line of a megabyte. Here texts between stars are
searched as such; for what has wildcards a caller may set a limit of time.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    # Where a regular expression is found in a long text; -1 if it is not there.
    LongFind: TypeAlias = Callable[[str, str], int]

# A longer text is no glob but what it is: code, for example, has brackets, too.
MAX_GLOB = 2_000
# Comparisons of single characters that are over before a limit of time would be worth its while.
_MAX_WORK = 100_000

_WILD = re.compile(r"[*?\[]")
_PART = re.compile(r"\*+|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_ANY_FOLDERS = re.compile(r"(?<![^/])\*\*/")
# Each may be there or not, which makes twice as many globs.
_MAX_ANY_FOLDERS = 4


def is_glob(text: str) -> bool:
    """Whether a text is more than itself."""
    return len(text) <= MAX_GLOB and _WILD.search(text) is not None


def fits(text: str, pattern: str, *, fold: bool = False, long_find: LongFind | None = None) -> bool:
    """Whether a whole text fits a glob, or is the same; with ``fold`` in upper or lower case.

    ``long_find`` looks for wildcards in long texts, and raises if that takes too much time.
    """
    if fold:
        text, pattern = text.lower(), pattern.lower()
    if text == pattern:
        return True
    return is_glob(pattern) and any(one.fits(text, long_find) for one in _globs(pattern))


class _Run(NamedTuple):
    """What stands between two stars: as many characters as it has parts."""

    length: int
    # A literal text, or a regular expression.
    text: str
    expression: re.Pattern[str] | None

    def find(self, text: str, start: int, end: int, long_find: LongFind | None) -> int:
        """Where it begins in a part of a text; -1 if it is not there."""
        if self.expression is None:
            return text.find(self.text, start, end)
        if long_find is None or (end - start) * self.length <= _MAX_WORK:
            match = self.expression.search(text, start, end)
            return -1 if match is None else match.start()
        found = long_find(self.text, text[start:end])
        return -1 if found < 0 else start + found


class _Glob(NamedTuple):
    """The runs of a glob; with a star before and after each but at the ends."""

    runs: tuple[_Run, ...]

    def fits(self, text: str, long_find: LongFind | None) -> bool:
        """Whether a whole text fits: the first place that a run can have is as good as any."""
        first, *others = self.runs
        if not others:
            return len(text) == first.length and first.find(text, 0, len(text), long_find) == 0
        *inner, last = others
        start, end = first.length, len(text) - last.length
        if start > end or first.find(text, 0, start, long_find) != 0:
            return False
        if last.find(text, end, len(text), long_find) != end:
            return False
        for run in inner:
            found = run.find(text, start, end, long_find)
            if found < 0:
                return False
            start = found + run.length
        return True


@lru_cache(maxsize=1024)
def _globs(pattern: str) -> tuple[_Glob, ...]:
    """The globs that a pattern stands for: one, if it has no ``**/``."""
    *pieces, rest = _ANY_FOLDERS.split(pattern, maxsplit=_MAX_ANY_FOLDERS)
    ways = (["", "*/"] for _ in pieces)
    return tuple(
        _glob("".join(piece + way for piece, way in zip(pieces, chosen, strict=True)) + rest)
        for chosen in product(*ways)
    )


def _glob(pattern: str) -> _Glob:
    runs: list[list[str]] = [[]]
    for part in _PART.findall(pattern):
        if part[0] == "*":
            runs.append([])
        else:
            runs[-1].append(part)
    return _Glob(tuple(map(_run, runs)))


def _run(parts: list[str]) -> _Run:
    wild = any(part == "?" or len(part) > 1 for part in parts)
    text = "".join(map(_expression, parts) if wild else parts)
    return _Run(len(parts), text, re.compile(text, re.DOTALL) if wild else None)


def _expression(part: str) -> str:
    if part == "?":
        return "."
    return re.escape(part) if len(part) == 1 else _set(part[1:-1])


def _set(content: str) -> str:
    """A regular expression for one character: of a set, or with ``!`` of none in it."""
    negated = content.startswith("!")
    members = []
    rest = content[negated:]
    while rest:
        low, high = rest[0], rest[2:3] if rest[1:2] == "-" else ""
        rest = rest[3 if high else 1 :]
        if not high:
            members.append(re.escape(low))
        elif low <= high:
            members.append(f"{re.escape(low)}-{re.escape(high)}")
    if not members:  # as of [z-a]
        return "." if negated else "(?!)"
    return f"[{'^' if negated else ''}{''.join(members)}]"
