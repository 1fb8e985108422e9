"""JSON that is not quite JSON, as real files hold it: made strict, cut apart, measured in depth.

The fast decoder refuses a whole document for one lone surrogate, one NaN or one bad byte. What
stands here is the slow road for such documents: it keeps everything that can be kept.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from json import JSONDecoder

# Deeper values are refused: code that walks a value by recursion must never meet one.
MAX_DEPTH = 200

# A record cut off in the middle and continued by another one: where the other may begin.
_OBJECT_START = re.compile(rb'\{\s*"')
_SPLICE_ATTEMPTS = 64

# A text, also one that does not end, or what a list or object begins and ends with.
_DELIMITER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_OPENING = (b"[", b"{")
_CLOSING = (b"]", b"}")

_STRETCH = 1 << 10

_FLAT = frozenset({str, int, float, bool, type(None)})
_MAX_DIGITS = 20
_INTEGERS = range(-(2**63), 2**64)


def strict_json(raw: bytes) -> bytes | None:
    """The same document as strict JSON, or None if it is no JSON at all.

    Bytes that are no UTF-8 and lone surrogates become U+FFFD; NaN, infinities and whole numbers
    of more than 64 bits become null.
    """
    from json import dumps  # noqa: PLC0415 (see _decoder)

    try:
        text = dumps(_loads(raw.decode("utf-8-sig", "replace")), ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return well_formed(text).encode("utf-8")


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8.

    Most are ASCII, which is seen many times faster than anything else is decoded: so only those
    stretches are decoded that hold other characters.
    """
    if raw.isascii():
        return True
    # Where bytes begin that are not ASCII; they end at one that is, or never.
    begun: int | None = None
    try:
        for start in range(0, len(raw), _STRETCH):
            if not raw[start : start + _STRETCH].isascii():
                begun = start if begun is None else begun
            elif begun is not None:
                raw[begun:start].decode()
                begun = None
        if begun is not None:
            raw[begun:].decode()
    except UnicodeDecodeError:
        return False
    return True


def well_formed(text: str) -> str:
    """The same text as UTF-8 can hold it: a lone surrogate becomes U+FFFD, a pair its character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def shallow_json(raw: bytes) -> bytes | None:
    """The same document with null for what is nested too deep; None if nothing is.

    Never recurses, and looks at each byte once.
    """
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return None
    parts: list[bytes] = []
    depth = done = 0
    for found in _DELIMITER.finditer(raw):
        if (one := found[0]) in _OPENING:
            depth += 1
            if depth == MAX_DEPTH + 1:
                parts += (raw[done : found.start()], b"null")
        elif one in _CLOSING:
            depth -= 1
            if depth == MAX_DEPTH:
                done = found.end()
    return b"".join((*parts, raw[done:])) if parts and not depth else None


def objects_in(raw: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of every JSON object of a line: glued together, or after a torn one."""
    from json import JSONDecodeError  # noqa: PLC0415 (see _decoder)

    scan = _decoder(int_=_null, float_=_null).raw_decode
    text = raw.decode("latin-1")  # one character per byte, so that positions are offsets
    position = 0
    attempts = 0
    while (found := _OBJECT_START.search(raw, position)) and attempts < _SPLICE_ATTEMPTS:
        start = found.start()
        try:
            _, end = scan(text, start)
        except JSONDecodeError as exc:
            # Another record may begin where this one is torn, never before: what stands before
            # are parts of the torn one. A text torn open ends at the first quote of the other.
            position = max(start + 1, exc.pos - 2)
            attempts += 1
        except RecursionError:
            return
        else:
            yield start, end
            position = end


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether lists and objects are nested deeper than ``limit``; never recurses."""
    if type(value) is dict and _FLAT.issuperset(map(type, value.values())):
        return False  # as nearly all are
    level = _containers([value])
    for _ in range(limit):
        if not level:
            return False
        level = [child for parent in level for child in _containers(parent)]
    return bool(level)


def _containers(parent: Any) -> list[Any]:
    """The lists and objects that a list or object holds; of most objects none."""
    children = parent.values() if type(parent) is dict else parent
    return [child for child in children if type(child) is dict or type(child) is list]


def _loads(text: str) -> Any:
    return _decoder(int_=_int, float_=_float).decode(text)


def _null(_: str) -> None:
    return None


def _int(digits: str) -> int | None:
    # int() itself refuses some thousand digits with an error of its own.
    number = int(digits) if len(digits) <= _MAX_DIGITS else None
    return number if number is not None and number in _INTEGERS else None


def _float(digits: str) -> float | None:
    number = float(digits)
    return number if number - number == 0 else None  # infinities and NaN are not equal to 0


@cache
def _decoder(int_: Callable[[str], Any], float_: Callable[[str], Any]) -> JSONDecoder:
    """A slow decoder for what the fast one refuses. It is loaded then: most never need it."""
    from json import JSONDecoder  # noqa: PLC0415 (see above)

    # Not strict: control characters inside a text are kept.
    return JSONDecoder(parse_constant=_null, parse_int=int_, parse_float=float_, strict=False)
