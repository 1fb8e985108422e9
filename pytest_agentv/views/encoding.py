"""JSON of any transcript, also of one that was made in Python and holds what no file can."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_encode = msgspec.json.Encoder().encode


def encode(value: Any) -> bytes:
    """A value as JSON; a lone surrogate stays as its escape, and what is no number is null."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        text = json.dumps(msgspec.to_builtins(value))
        exact = json.loads(text, parse_constant=lambda _: None)
        return json.dumps(exact, separators=(",", ":")).encode("ascii")


def joined(values: Iterable[Any]) -> Iterator[bytes]:
    """Values as JSON with commas between, piece by piece: the inside of a list."""
    comma = b""
    for value in values:
        yield comma + encode(value)
        comma = b","


def opened(value: dict[str, Any], last: str) -> bytes:
    """An object as JSON that ends where the list of its last key begins."""
    return b"%b%b%b:[" % (
        encode(value)[:-1],
        b"," if value else b"",
        encode(last),
    )
