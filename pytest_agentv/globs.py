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
    from collections.abc import Callable, Collection
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


def fitting(
    texts: Collection[str], pattern: str, *, long_find: LongFind | None = None
) -> list[str]:
    """Those of many different texts that fit a glob, or are the same.

    Most of them lack a literal part of the glob, which is quick to see.
    """
    same = [pattern] if pattern in texts else []
    if not is_glob(pattern):
        return same
    needle, globs = _needle(pattern), _globs(pattern)
    likely = [text for text in texts if needle in text] if needle else texts
    if globs == (("", (needle,), ""),):  # `*needle*`, as very many are
        return list(likely)
    if len(globs) == 1:
        fits_glob = globs[0].fits
        found = [text for text in likely if fits_glob(text, long_find)]
    else:
        found = [text for text in likely if any(one.fits(text, long_find) for one in globs)]
    return found if not same or pattern in found else same + found


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

    def stands_at(self, text: str, start: int) -> bool:
        """Whether it is what a text has at a place."""
        if self.expression is None:
            return text.startswith(self.text, start)
        return self.expression.match(text, start) is not None


class _Glob(NamedTuple):
    """A glob by the runs that its stars divide; without stars it is the first run alone."""

    first: _Run
    inner: tuple[_Run, ...]
    last: _Run | None

    def fits(self, text: str, long_find: LongFind | None) -> bool:
        """Whether a whole text fits: the first place that a run can have is as good as any."""
        first, inner, last = self
        start = first.length
        if last is None:
            return len(text) == start and first.stands_at(text, 0)
        end = len(text) - last.length
        if start > end or (start and not first.stands_at(text, 0)):
            return False
        if last.length and not last.stands_at(text, end):
            return False
        for run in inner:
            length, literal, expression = run
            if expression is None:  # what `find` would do, without a call
                found = text.find(literal, start, end)
            else:
                found = run.find(text, start, end, long_find)
            if found < 0:
                return False
            start = found + length
        return True

    def literals(self) -> tuple[str, ...]:
        """Texts that all that fits must hold."""
        runs = (run for run in (self.first, *self.inner, self.last) if run is not None)
        return tuple(run.text for run in runs if run.expression is None)


class _Starred(NamedTuple):
    """A glob of stars and literal texts, as most are: the same in less time."""

    head: str
    inner: tuple[str, ...]
    tail: str

    def fits(self, text: str, long_find: LongFind | None) -> bool:  # noqa: ARG002 (interface)
        """Whether a whole text fits."""
        head, inner, tail = self
        start, end = len(head), len(text) - len(tail)
        if start > end or not text.startswith(head) or not text.endswith(tail):
            return False
        for one in inner:
            start = text.find(one, start, end)
            if start < 0:
                return False
            start += len(one)
        return True

    def literals(self) -> tuple[str, ...]:
        """Texts that all that fits must hold."""
        return (self.head, *self.inner, self.tail)


@lru_cache(maxsize=1024)
def _needle(pattern: str) -> str:
    """The longest text that all that fits a pattern must hold; an empty one, if none is known."""
    ways = [one.literals() for one in _globs(pattern)]
    in_all = (
        text
        for literals in ways
        for text in literals
        if all(any(text in other for other in others) for others in ways)
    )
    return max(in_all, key=len, default="")


@lru_cache(maxsize=1024)
def _globs(pattern: str) -> tuple[_Glob | _Starred, ...]:
    """The globs that a pattern stands for: one, if it has no ``**/``."""
    *pieces, rest = _ANY_FOLDERS.split(pattern, maxsplit=_MAX_ANY_FOLDERS)
    ways = (["", "*/"] for _ in pieces)
    return tuple(
        _glob("".join(piece + way for piece, way in zip(pieces, chosen, strict=True)) + rest)
        for chosen in product(*ways)
    )


def _glob(pattern: str) -> _Glob | _Starred:
    runs: list[list[str]] = [[]]
    for part in _PART.findall(pattern):
        if part[0] == "*":
            runs.append([])
        else:
            runs[-1].append(part)
    first, *others = map(_run, runs)
    if not others:
        return _Glob(first, (), None)
    *inner, last = others
    if all(run.expression is None for run in (first, *others)):
        return _Starred(first.text, tuple(run.text for run in inner), last.text)
    return _Glob(first, tuple(inner), last)


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
