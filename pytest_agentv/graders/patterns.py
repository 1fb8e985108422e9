"""Regular expressions that cannot do harm: bounded in size, in time and in memory.

Patterns come from eval files and texts from sessions; neither is trusted. A search that exceeds
its limit is an error, never a grade.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache, partial
from math import prod
from time import monotonic, thread_time
from typing import TYPE_CHECKING

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.long_search import search_apart
from pytest_agentv.graders.phrases import counted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import regex

# For all searches of one grading.
SEARCH_SECONDS = 2.0
# What takes no longer is quick.
QUICK_SECONDS = 0.000_1
# Of many texts so many are searched between two looks at the clock, each for no longer than that.
_AT_ONCE = 64
_AT_ONCE_SECONDS = 0.05
# Steps of the engine that need no look at the clock, which takes ten times as long as a search.
_HARMLESS_STEPS = 2_000_000

MAX_PATTERN = 10_000
# The engine writes out what is repeated: `(x{1000}){1000}` takes a quarter of a gigabyte.
MAX_REPEATED = 200_000
# In longer texts the engine is far too late to notice that its time is up.
MAX_TEXT_INSIDE = 200_000

# JavaScript's `g` and `u` change nothing about whether a pattern is found.
FLAGS = {"i": "IGNORECASE", "m": "MULTILINE", "s": "DOTALL", "x": "VERBOSE", "g": "", "u": ""}

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CALL = re.compile(r"\(\?(?:R|&|P>|[+-]?\d)")
_REPEAT = re.compile(r"(?P<before>.?)\{(?P<least>\d*),?(?P<most>\d*)\}", re.DOTALL)
_VERBOSE = re.compile(r"\(\?[a-zA-Z0-9]*x")


class Stopwatch:
    """What is left of the time that all searches of one grading may take."""

    def __init__(self, seconds: float | None = None) -> None:
        """Without ``seconds`` it is the time that assertions have."""
        self.seconds = SEARCH_SECONDS if seconds is None else seconds
        self._end = monotonic() + self.seconds

    def left(self) -> float:
        """Seconds until it stops; raises TimeoutError after that."""
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def stop(self) -> None:
        """A search is over."""


class SearchClock(Stopwatch):
    """A limit for very many searches: only those that are not quick count, and nothing between.

    A session of 10,000 calls is searched again and again, and that may take its time; what must
    not is a search that runs away.
    """

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self._spent = 0.0
        self._start = 0.0

    def left(self) -> float:
        """Seconds that searches may still take; raises TimeoutError after that."""
        if self._spent >= self.seconds:
            raise TimeoutError
        self._start = monotonic()
        return self.seconds - self._spent

    def stop(self) -> None:
        """Count what the search took."""
        self.spend(monotonic() - self._start, searches=1)

    def spend(self, seconds: float, *, searches: int) -> None:
        """Count what some searches took together."""
        self._spent += max(0.0, seconds - searches * QUICK_SECONDS)


def search(
    pattern: str, text: str, *, flags: str = "", stopwatch: Stopwatch | None = None
) -> tuple[int, int] | None:
    """Where a pattern is found first; raises NotGradable if that takes too much."""
    stopwatch = stopwatch or Stopwatch()
    engine = compiled(pattern, flags=flags)
    try:
        if len(text) > MAX_TEXT_INSIDE:
            return search_apart(pattern, text, flags=engine.flags, seconds=stopwatch.left())
        match = engine.search(text, timeout=stopwatch.left())
    except TimeoutError as exc:
        raise NotGradable(
            f"the pattern {shown(pattern)} took longer than {stopwatch.seconds:g} s "
            f"in {counted(len(text), 'character')}; a simpler pattern is needed"
        ) from exc
    except (MemoryError, RecursionError) as exc:
        raise NotGradable(
            f"the pattern {shown(pattern)} takes too much memory "
            f"in {counted(len(text), 'character')}; a simpler pattern is needed"
        ) from exc
    finally:
        stopwatch.stop()
    return None if match is None else match.span()


def matching_texts(
    pattern: str, texts: Iterable[str], *, flags: str, clock: SearchClock
) -> list[str]:
    """Those of very many texts in which a pattern is found; else as ``search``.

    Time that other programs had while these searches waited does not count.
    """
    engine = compiled(pattern, flags=flags)
    harmless = _harmless_length(pattern)
    alone = partial(search, pattern, flags=flags, stopwatch=clock)
    found: list[str] = []
    every = list(texts)
    for start in range(0, len(every), _AT_ONCE):
        some = every[start : start + _AT_ONCE]
        longest = max(map(len, some))
        look = partial(engine.search, timeout=None if longest <= harmless else _AT_ONCE_SECONDS)
        at_once = _found_at_once(look, some, clock) if longest <= MAX_TEXT_INSIDE else None
        # What is not over soon is searched one by one, which also says what is wrong.
        found += [one for one in some if alone(one)] if at_once is None else at_once
    return found


def _found_at_once(
    look: Callable[[str], object], texts: list[str], clock: SearchClock
) -> list[str] | None:
    """The texts in which something is found; None if one of them takes too much."""
    before = thread_time()
    quick = len(texts)
    try:
        clock.left()
        return [one for one in texts if look(one)]
    except (TimeoutError, MemoryError, RecursionError):
        quick = 0
        return None
    finally:
        clock.spend(thread_time() - before, searches=quick)


def _harmless_length(pattern: str) -> int:
    """The longest text in which a pattern cannot take many steps; 0 if nobody knows."""
    if any(mark in pattern for mark in "({"):
        return 0
    repeats = sum(map(pattern.count, "*+?"))
    return int((_HARMLESS_STEPS / max(1, len(pattern))) ** (1 / (repeats + 1)))


def limited_find(pattern: str, text: str, *, stopwatch: Stopwatch | None = None) -> int:
    """Where a pattern begins for which ``.`` is any character; -1 if it is not there."""
    found = search(pattern, text, flags="s", stopwatch=stopwatch)
    return -1 if found is None else found[0]


@lru_cache(maxsize=1024)
def compiled(pattern: str, *, flags: str = "") -> regex.Pattern[str]:
    """A pattern made ready, with some of ``FLAGS``; raises ValueError that says what is wrong."""
    import regex  # noqa: PLC0415 (costly, and few eval files need it)

    _check_size(pattern, verbose="x" in flags or _VERBOSE.search(pattern) is not None)
    bits = [getattr(regex, FLAGS[flag]) for flag in flags if FLAGS[flag]]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of patterns whose meaning may change some day
            return regex.compile(pattern, flags=sum(set(bits)))
    except regex.error as exc:
        raise ValueError(f"is no regular expression: {shown(pattern)}: {exc}") from exc
    except (RecursionError, MemoryError, OverflowError) as exc:
        raise ValueError(f"is too complex a regular expression: {shown(pattern)}") from exc


def _check_size(pattern: str, *, verbose: bool) -> None:
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"is a pattern of {len(pattern):,} characters; {MAX_PATTERN:,} may be")
    plain = _ESCAPE.sub("__", pattern)
    if _CALL.search(plain):
        raise ValueError(
            f"calls itself or one of its groups, which is not allowed: {shown(pattern)}"
        )
    if _repeated(plain, verbose=verbose) > MAX_REPEATED:
        raise ValueError(f"repeats too much, more than {MAX_REPEATED:,} times: {shown(pattern)}")


def _repeated(plain: str, *, verbose: bool) -> int:
    """How large a pattern can become when its repetitions are written out; rather too high.

    Without parsing it: a count behind a group multiplies everything, one behind a single character
    stands for itself. Where blanks do not count, no one can say what a count stands behind.
    """
    groups, singles = [1], len(plain)
    for one in _REPEAT.finditer(plain):
        count = max(1, _number(one["least"]), _number(one["most"]))
        if verbose or one["before"] in ")}*+?":
            groups.append(count)
        else:
            singles += count
        if count > MAX_REPEATED:
            return count
    return singles * prod(groups)


def _number(digits: str) -> int:
    # Some thousand digits would be refused; nine are more than any limit here.
    return int(digits.lstrip("0")[:9] or 0)
