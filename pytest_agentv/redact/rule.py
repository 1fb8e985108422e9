"""What a rule is: a kind of secret by its own form, or by the name that stands before it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_GAP = re.compile(" {2,}")
_UUID = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"


class Token(NamedTuple):
    """A secret that is known by its own form.

    Every text that ``pattern`` matches begins with one of ``starts`` or holds ``inside``, so that
    hardly a pattern is tried where there is no secret.
    """

    id: str
    starts: tuple[str, ...]
    pattern: str
    inside: str = ""


class Context(NamedTuple):
    """A secret without a form of its own: it is known by the name of who gave it.

    ``names`` are parts of the key (``stripe_token = …``), in small letters, words with ``.`` or
    ``.?`` between them;
    ``value`` is all of the value.
    """

    id: str
    names: tuple[str, ...]
    value: str


def tokens(table: str) -> tuple[Token, ...]:
    """Tokens by the lines of a table: id, the words one begins with, the pattern of the rest.

    Columns are two spaces apart. ``*…*`` for the words: there are none, but that stands within.
    """
    return tuple(
        token(id_, rest, inside=start.strip("*"))
        if start.startswith("*")
        else token(id_, rest, starts=tuple(start.split()))
        for id_, start, rest in _rows(table)
    )


def token(id_: str, rest: str, *, starts: tuple[str, ...] = (), inside: str = "") -> Token:
    """A token by the words one begins with and the pattern of the rest, and what is inside."""
    escaped = "|".join(map(_escape, starts))
    return Token(id_, starts, f"(?:{escaped}){rest}", inside)


def contexts(table: str) -> tuple[Context, ...]:
    """Values by the lines of a table: id, the names of who gave them, the pattern of all of one."""
    return tuple(Context(id_, tuple(names.split()), value) for id_, names, value in _rows(table))


def _rows(table: str) -> Iterator[tuple[str, str, str]]:
    for line in table.strip().splitlines():
        id_, words, pattern = _GAP.split(line, maxsplit=2)
        yield id_, words, pattern.replace("<uuid>", _UUID)


def _escape(word: str) -> str:
    return "".join(f"\\{one}" if one in r".^$*+?{}[]\|()" else one for one in word)
