"""Rules of the user's own: what they find, in a time that has an end."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import entropy

if TYPE_CHECKING:
    from collections.abc import Iterator

# A pattern that needs longer than this for a text will not end at all.
_SECONDS = 2.0
# Longer texts are searched piece by piece; what is found is shorter than what two pieces share.
_PIECE = 100_000
_SHARED = 4_096


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
        """What the rule finds; where it needs too long, all it was tried on."""
        if self.regex is None or (self.keywords and not any(w in lower for w in self.keywords)):
            return
        import regex  # noqa: PLC0415 (only who has own rules needs it)

        # In a long text the engine is far too late to notice that its time is up.
        for at in range(0, max(1, len(text) - _SHARED), _PIECE - _SHARED):
            piece = text[at : at + _PIECE]
            try:
                for found in regex.finditer(self.regex, piece, timeout=_SECONDS):
                    start, end = found.span(self.group)
                    if end > start and self._accepts(piece[start:end]):
                        yield Span(at + start, at + end, self.id)
            except TimeoutError:
                yield Span(at, at + len(piece), self.id)

    def names(self, key: str, place: str) -> bool:
        """Whether a key, or where it stands, is one of those whose values are secrets."""
        return any(
            fnmatchcase(key.lower(), glob) or fnmatchcase(place.lower(), glob) for glob in self.keys
        )

    def _accepts(self, value: str) -> bool:
        if self.entropy and entropy(value) < self.entropy:
            return False
        if not self.allow:
            return True
        import regex  # noqa: PLC0415

        try:
            return not any(regex.search(one, value, timeout=_SECONDS) for one in self.allow)
        except TimeoutError:
            return True
