"""How many columns of a terminal a text takes, and texts that fit into so many."""

from __future__ import annotations

import unicodedata


def columns_of(text: str) -> int:
    """Columns on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def fitted(text: str, columns: int) -> str:
    """A text that takes no more than so many columns: what is too much goes from its end."""
    if columns_of(text) <= columns:
        return text
    left = columns - 1
    for number, character in enumerate(text):
        left -= _columns(character)
        if left < 0:
            return f"{text[:number].rstrip()}…"
    return text


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
