"""What a rule is: a kind of secret by its own form, or by the name that stands before it."""

from __future__ import annotations

from typing import NamedTuple


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


def tokens(*rows: tuple[str, str, str] | tuple[str, str, str, str]) -> tuple[Token, ...]:
    """Tokens by rows: id, the words one begins with, the pattern of the rest, what is inside."""
    return tuple(_token(*row) for row in rows)


def contexts(*rows: tuple[str, str, str]) -> tuple[Context, ...]:
    """Values by rows: id, the names of who gave them, the pattern of all of the value."""
    return tuple(Context(id_, tuple(names.split()), value) for id_, names, value in rows)


def _token(id_: str, starts: str, rest: str, inside: str = "") -> Token:
    words = tuple(starts.split())
    escaped = "|".join(map(_escape, words))
    return Token(id_, words, f"(?:{escaped}){rest}", inside)


def _escape(word: str) -> str:
    return "".join(f"\\{one}" if one in r".^$*+?{}[]\|()" else one for one in word)
