"""What a plain scalar of YAML means: the values on which YAML 1.1 and YAML 1.2 agree.

What one of them reads as a text and the other as something else must be quoted. A date is a text:
data has no other form for it.
"""

from __future__ import annotations

import math
import re
from typing import Any

from pytest_agentv.evalfile.placed import WrittenFloat, WrittenInt, shown

_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_BOOLEANS = frozenset({"yes", "no", "on", "off", "y", "n"})
_LONGEST_WORD = 5
# What starts otherwise, and is no word above, is a text.
_NUMERIC = frozenset("0123456789+-.=<")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INTEGERS = range(-(2**63), 2**63)
_MAX_DIGITS = 20

# In order: the first that fits says what a reader may take the text for.
_AMBIGUOUS = [
    (re.compile(pattern), reading)
    for pattern, reading in [
        (r"[-+]?0o?[0-9_]+", "an octal number"),
        (r"[-+]?0x[0-9a-fA-F_]+", "a hexadecimal number"),
        (r"[-+]?0b[01_]+", "a binary number"),
        (r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", "a number of seconds"),
        (r"[-+]?[0-9.]+_[0-9_.]*(?:[eE][-+]?[0-9]+)?", "a number"),
        (r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "a number that is not finite"),
        (r"=|<<", "a sign with a meaning of its own"),
    ]
]


class Ambiguous(ValueError):
    """A plain scalar that readers of YAML take for different things; its text is the message."""


def plain_scalar(text: str) -> Any:
    """The value of a scalar without quotes; raises Ambiguous."""
    if len(text) <= _LONGEST_WORD:
        if text in _WORDS:
            return _WORDS[text]
        if text.lower() in _BOOLEANS:
            raise Ambiguous(f"quote it: {shown(text)} may be read as a boolean")
    if text[0] not in _NUMERIC:
        return text
    # Before floats: 017 would be one of them, too.
    if _INTEGER.fullmatch(text):
        return _whole(text)
    for pattern, reading in _AMBIGUOUS:
        if pattern.fullmatch(text):
            raise Ambiguous(f"quote it: {shown(text)} may be read as {reading}")
    return _number(text) if _FLOAT.fullmatch(text) else text


def _whole(text: str) -> int:
    # int() itself refuses some thousand digits with an error of its own.
    number = int(text) if len(text) <= _MAX_DIGITS else _INTEGERS.stop
    if number not in _INTEGERS:
        raise Ambiguous(f"{shown(text)} is too large for a number; quote it if it is a text")
    if str(number) == text:
        return number
    as_written = WrittenInt(number)
    as_written.written = text
    return as_written


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Ambiguous(f"{shown(text)} is too large for a number; quote it if it is a text")
    if str(number) == text:
        return number
    as_written = WrittenFloat(number)
    as_written.written = text
    return as_written
