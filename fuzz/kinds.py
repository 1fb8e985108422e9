"""In which ways a value is broken: each kind makes other JSON of it, or nothing at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEP = 20_000
_DEEP_OBJECTS = 5_000

# JSON, and what only looks like it, whatever stood there before.
VALUES: dict[str, bytes] = {
    "null": b"null",
    "true": b"true",
    "false": b"false",
    "whole number": b"7",
    "negative number": b"-1",
    "fraction": b"1.5",
    "empty text": b'""',
    "word": b'"x"',
    "empty list": b"[]",
    "list": b'["x", null, 7, ["y"], {"z": {}}]',
    "empty object": b"{}",
    "object": b'{"a": {"b": []}, "type": 7, "text": null}',
    "huge text": b'"%b"' % (b"A b" * 100_000),
    "many blanks": b'"%b"' % (b" " * 100_000),
    "64 bits": b"9223372036854775807",
    "more than 64 bits": b"18446744073709551616",
    "negative beyond 64 bits": b"-1" + b"0" * 30,
    "thousands of digits": b"9" * 5000,
    "beyond floats": b"1e400",
    "beyond negative floats": b"-1e400",
    "NaN": b"NaN",
    "Infinity": b"Infinity",
    "-Infinity": b"-Infinity",
    "deep list": b"[" * _DEEP + b"]" * _DEEP,
    "deep object": b'{"a":' * _DEEP_OBJECTS + b"1" + b"}" * _DEEP_OBJECTS,
    "nested 150": b"[" * 150 + b"]" * 150,
    "nested 300": b'{"a":' * 300 + b"1" + b"}" * 300,
    "lone surrogate": rb'"\ud800"',
    "surrogates as key": rb'{"\udfff": "\udc00\ud800"}',
    "surrogate as bytes": b'"\xed\xa0\x80"',
    "no UTF-8": b'"\xff\xc0\x80"',
    "control characters": rb'"\u0000\u001b]52;c;aGk=\u0007\u009b2J\u202e\r"',
    "raw control characters": b'"\x00\x1b[2J\x07\x7f"',
    "line separators": '"\u2028\u0085\u000b"'.encode(),
    "no date": b'"9999-99-99T99:99:99Z"',
    "far date": b'"+275760-09-13T00:00:00.000Z"',
    "path": b'"../../../../etc/passwd"',
    "commands": rb'"\n::error::x\n##[group]x\n##vso[x]\n##teamcity[x]"',
}
MISSING = "missing"
_EMPTY = ("null", "empty text", "many blanks", "empty list", "empty object")
KEY_BEFORE = "same key before"
KEY_AFTER = "same key after"
SURROGATE_IN_TEXT = "surrogate in text"
CONTROL_IN_TEXT = "control in text"
AGAIN_AND_AGAIN = "text again and again"
_LONG = 100_000
_IN_TEXT = {SURROGATE_IN_TEXT: rb"\ud800", CONTROL_IN_TEXT: rb"\u0000\u001b"}


def kinds_for(value: Any, key: str | int | None, *, is_cell: bool) -> Iterator[str]:
    """The kinds that a value can be broken in, which stands in an object under ``key``."""
    yield MISSING
    yield from VALUES
    if type(key) is str and not is_cell:
        yield KEY_BEFORE
        yield KEY_AFTER
    if type(value) is str:
        yield from _IN_TEXT
        yield AGAIN_AND_AGAIN


def broken(kind: str, value: Any, key: str | int | None) -> bytes | None:
    """What stands in place of a value."""
    if kind == MISSING:
        return None
    if kind in VALUES:
        return VALUES[kind]
    raw = json.dumps(value, ensure_ascii=False).encode()
    if kind in _IN_TEXT:
        return raw[:-1] + _IN_TEXT[kind] + b'"'
    if kind == AGAIN_AND_AGAIN:
        return json.dumps(str(value)[:60] * (_LONG // (1 + len(str(value)[:60])))).encode()
    name = json.dumps(key).encode()
    return b"7, %b: %b" % (name, raw) if kind == KEY_BEFORE else b"%b, %b: 7" % (raw, name)


def is_other_type(kind: str, value: Any) -> bool:
    """Whether a value is replaced by one of another JSON type that says something."""
    if kind not in VALUES or kind in _EMPTY:
        return kind == KEY_AFTER and type(value) not in (int, float)
    return _type(VALUES[kind][:1]) != _type(json.dumps(value).encode()[:1])


def _type(first: bytes) -> str:
    known: dict[bytes, str] = {b'"': "text", b"[": "list", b"{": "object", b"t": "bool"}
    return known.get(first, "bool" if first == b"f" else "null" if first == b"n" else "number")
