"""How texts become words, beyond what SQLite's tokenizer does: parts of names, and characters.

The tokenizer divides at everything that is no letter or digit: `snake_case`, `kebab-case`, `a.b.c`
and `src/auth/jwt.py` are phrases of their parts. It leaves `parseJwtToken` and a sentence in
Chinese whole. So the parts of these are indexed beside the text, and queries ask for both.
"""

from __future__ import annotations

import re
import unicodedata

# Between the parts of one name and those of the next, so that no phrase spans both. It is a
# letter, else the tokenizer would not see it.
BETWEEN = "\N{LATIN LETTER LATERAL CLICK}"

# A longer word is no name but data.
_LONGEST_NAME = 64
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z][A-Z][a-z]")
_NAME = re.compile(r"[A-Za-z0-9]+")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Scripts that put no blanks between words: Japanese, Chinese; and Korean, whose words have endings.
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WORD = re.compile(r"[^\W_]+")


def parts_of(text: str) -> str:
    """The parts of names and of words in dense scripts, to be indexed beside a text."""
    found = []
    if _HUMP.search(text):
        found += [
            " ".join(_PIECE.findall(name))
            for name in _NAME.findall(text)
            if len(name) <= _LONGEST_NAME and _HUMP.search(name)
        ]
    if not text.isascii() and _DENSE.search(text):
        found += [_spread(word) for word in _WORD.findall(text) if _DENSE.search(word)]
    return f" {BETWEEN} ".join(dict.fromkeys(found))


def taken_apart(text: str) -> str:
    """The same text with its names and dense words in parts, as ``parts_of`` has them."""
    text = _NAME.sub(
        lambda name: " ".join(_PIECE.findall(name.group())) if _HUMP.search(name.group())
        else name.group(),
        text,
    )  # fmt: skip
    return _WORD.sub(lambda word: _spread(word.group()), text)


def words_of(text: str) -> list[str]:
    """The words of a text as the tokenizer has them, near enough: lower case, without accents."""
    return _WORD.findall(folded(text))


def folded(text: str) -> str:
    """The same text in lower case and without accents; every character stays in its place."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def is_boundary(text: str, place: int) -> bool:
    """Whether a word, or a part of one, ends or begins before a place in a text."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if not (before.isalnum() and after.isalnum()):
        return True
    if _DENSE.match(before) or _DENSE.match(after):
        return True
    if before.isupper() and after.isupper():
        return text[place + 1 : place + 2].islower()
    return (after.isupper() and not before.isupper()) or before.isdigit() is not after.isdigit()


def _spread(word: str) -> str:
    return " ".join(_DENSE.sub(r" \g<0> ", word).split())


class _Folded(dict[int, int]):
    """What each character becomes, worked out once."""

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code))[0].lower()
        self[code] = ord(base) if len(base) == 1 else code
        return self[code]


_FOLDED = _Folded()
