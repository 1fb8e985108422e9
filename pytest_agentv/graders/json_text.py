"""JSON in what an assistant wrote: strict, bounded in depth and in the work of finding it."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.phrases import shown
from pytest_agentv.jsontext import MAX_DEPTH, too_deep

if TYPE_CHECKING:
    from collections.abc import Iterator

# Characters that may be read in vain before a search is given up: brackets need not be JSON.
MAX_WORK = 20_000_000
_ATTEMPT = 100
_WINDOW = 4_096

# Brackets of program text mostly are not followed by what JSON would need there.
_START = re.compile(r'\{(?=\s*["}])|\[(?=\s*[\[\]{"0-9tfn-])')
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n`]*$", re.MULTILINE)


class Found(NamedTuple):
    """A JSON value, and where it stands in the text."""

    value: Any
    start: int
    end: int


class Unreadable(ValueError):
    """No JSON; the text says why."""


def parse(text: str) -> Any:
    """The value of a text that is JSON as a whole; raises Unreadable.

    NaN, infinite numbers, keys that come twice and values that are too deep are no JSON here.
    """
    try:
        value = _decoder.decode(text.strip())
    except json.JSONDecodeError as exc:
        raise Unreadable(f"no JSON: {exc.msg} at line {exc.lineno} column {exc.colno}") from exc
    except Unreadable:
        raise
    except RecursionError as exc:
        raise Unreadable(_TOO_DEEP) from exc
    except ValueError as exc:  # of a number with thousands of digits
        raise Unreadable("a number is too long") from exc
    if too_deep(value):
        raise Unreadable(_TOO_DEEP)
    return value


def embedded(text: str) -> Found | None:
    """The first object or list of a text: in a fenced block, else anywhere."""
    for start, end in _fenced(text):
        found = _container(text[start:end])
        if found is not None:
            return Found(found, start, end)
    return _anywhere(text)


def candidate(text: str) -> Any:
    """The value that an answer gives: the whole text, a fenced block, or what is first in it."""
    try:
        return parse(text)
    except Unreadable as exc:
        found = embedded(text)
        if found is None:
            raise Unreadable(f"{exc}, and no object or list inside of it") from exc
        return found.value


def _container(text: str) -> Any:
    try:
        value = parse(text)
    except Unreadable:
        return None
    return value if isinstance(value, (dict, list)) else None


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of what stands between a fence and the next one of the same kind."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            yield opened.end(), fence.start()
            opened = None


def _anywhere(text: str) -> Found | None:
    work = 0
    offset = 0
    rest = text
    window = max(_WINDOW, len(text) // 256)
    for started in _START.finditer(text):
        start = started.start() - offset
        if start > window:
            # Every error of the decoder counts the lines before it: there must be few of them.
            offset += start
            rest, start = rest[start:], 0
        value, end, read = _value_at(rest, start)
        if value is not None:
            return Found(value, offset + start, offset + end)
        work += read + _ATTEMPT
        if work > MAX_WORK:
            raise NotGradable("the text has too many brackets that are no JSON to search them all")
    return None


def _value_at(text: str, start: int) -> tuple[Any, int, int]:
    """The object or list that begins here, or None; where it ends; how much was read in vain."""
    try:
        value, end = _decoder.raw_decode(text, start)
    except json.JSONDecodeError as exc:
        # Of a text that never ends the error only says where it begins.
        torn = exc.msg.startswith("Unterminated")
        return None, start, (len(text) if torn else exc.pos) - start
    except (RecursionError, ValueError):  # read to nobody knows where
        return None, start, len(text) - start
    if too_deep(value):
        return None, start, end - start
    return value, end, 0


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise Unreadable(f"the key {shown(twice)} comes twice in an object")
    return found


def _no_number(name: str) -> NoReturn:
    raise Unreadable(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0:
        raise Unreadable(f"the number {shown(digits)} is too large")
    return number


_TOO_DEEP = f"nested deeper than {MAX_DEPTH}"
_decoder = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite
)
