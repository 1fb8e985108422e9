"""What is wrong with an eval file, gathered while it is read, and how much it may grow."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.placed import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.errors import Location
    from pytest_agentv.evalfile.placed import Part

# A file with more of them is no eval file at all, and nobody would read them.
MAX_PROBLEMS = 300
MAX_GROWTH = 64 << 20
_MAX_KNOWN = 20


class Problems:
    """The problems found so far; the same one counts once."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}
        # How often something was found, also the same one again.
        self._times = 0

    def add(self, at: Location, message: str) -> None:
        """Note a problem; raises when there are too many."""
        self._found[Problem(at, message)] = None
        self._times += 1
        if len(self._found) >= MAX_PROBLEMS:
            rest = f"more than {MAX_PROBLEMS:,} problems; the rest of the file was not looked at"
            raise EvalFileError([*self._found, Problem(at, rest)])

    def gathered(self) -> _Gathered:
        """A block whose EvalFileError ends it, but not the loading: its problems are noted."""
        return _Gathered(self)

    def __len__(self) -> int:
        return self._times

    def raise_any(self) -> None:
        """Raise an error that holds every problem, if there is one."""
        if self._found:
            raise EvalFileError(self._found)


class _Gathered:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, EvalFileError) or len(error.problems) > MAX_PROBLEMS:
            return False
        for problem in error.problems:
            self._problems.add(*problem)
        return True


class Growth:
    """How much a file has grown by what is inserted and repeated; roughly in bytes.

    A few megabytes of defaults, repeated for each of many thousand tests, would fill the memory.
    """

    def __init__(self) -> None:
        self._size = 0

    def add(self, size: int, *, by: Part) -> None:
        """Count some more; raises when it is too much."""
        self._size += size
        if self._size > MAX_GROWTH:
            message = "the file grows too large when variables and defaults are put into its tests"
            raise EvalFileError([Problem(by.at, message)])


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The message on a key that nobody knows, with what it may have been meant to be.

    One that is known is too many: what it says is said by another name of it already.
    """
    known = list(known)
    if key in known:
        return f"{shown(key)} is another name of a key that stands here, too; keep one"
    return f"unknown key {shown(key)}; {suggestion(key, known)}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """What a name may have been meant to be, or else the names that are known."""
    names = sorted(known)
    close = get_close_matches(name[:100], names, n=1)
    if close:
        return f"did you mean {shown(close[0])}?"
    listed = [shown(one).strip("'") for one in names[:_MAX_KNOWN]]
    return f"known: {', '.join([*listed, *(['…'] if names[_MAX_KNOWN:] else [])]) or 'none'}"
