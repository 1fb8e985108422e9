"""Rules of the user's own: what they find, in a time that has an end."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec
import regex

from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import entropy

if TYPE_CHECKING:
    from collections.abc import Iterator

# A pattern that needs longer than this for a text will not end at all.
_SECONDS = 2.0


class OwnRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the user's: a pattern, or the keys of JSON whose values are secrets."""

    id: str
    regex: str | None = None
    group: int | str = 0
    # Any of these has to be in a text in any case, or the pattern is not tried.
    keywords: tuple[str, ...] = ()
    entropy: float = 0.0
    allow: tuple[str, ...] = ()
    # Globs of keys, and of whole places as `tool.input.env.*`, in small letters.
    keys: tuple[str, ...] = ()

    def spans(self, text: str, lower: str) -> Iterator[Span]:
        """What the rule finds; a text for which it needs too long is a find as a whole."""
        if self.regex is None or (self.keywords and not any(w in lower for w in self.keywords)):
            return
        try:
            for found in regex.finditer(self.regex, text, timeout=_SECONDS):
                start, end = found.span(self.group)
                if end > start and self._accepts(text[start:end]):
                    yield Span(start, end, self.id)
        except TimeoutError:
            yield Span(0, len(text), self.id)

    def names(self, key: str, place: str) -> bool:
        """Whether a key, or where it stands, is one of those whose values are secrets."""
        return any(
            fnmatchcase(key.lower(), glob) or fnmatchcase(place.lower(), glob) for glob in self.keys
        )

    def _accepts(self, value: str) -> bool:
        if self.entropy and entropy(value) < self.entropy:
            return False
        return not any(re.search(pattern, value) for pattern in self.allow)
