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


def token(id_: str, starts: str, rest: str, *, inside: str = "") -> Token:
    """A token that begins with one of some words and goes on as ``rest`` says."""
    words = tuple(starts.split())
    escaped = "|".join(_escape(word) for word in words)
    return Token(id_, words, f"(?:{escaped}){rest}", inside)


def context(id_: str, names: str, value: str) -> Context:
    """A value that is a secret after the name of who gave it."""
    return Context(id_, tuple(names.split()), value)


def _escape(word: str) -> str:
    return "".join(f"\\{one}" if one in r".^$*+?{}[]\|()" else one for one in word)
