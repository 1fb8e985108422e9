"""Pseudonyms: for one key always the same for the same, and no way back."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING

from pytest_agentv.redact.spans import PSEUDONYM

if TYPE_CHECKING:
    from collections.abc import Callable

_DIGITS = 12
_MOST = 50_000


class Pseudonyms:
    """Makes pseudonyms; the key is fetched when the first is made."""

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._fetch = key
        self._key: bytes | None = None
        self._made: dict[tuple[str, str], str] = {}

    def of(self, kind: str, value: str) -> str:
        """The pseudonym of a value: ``user-0123456789ab``."""
        if kind in ("user", "host"):
            value = value.lower()
        made = self._made.get((kind, value))
        if made is None:
            if self._key is None:
                self._key = self._fetch()
            # Lone surrogates are no UTF-8.
            said = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
            made = f"{kind}-{hmac.new(self._key, said, sha256).hexdigest()[:_DIGITS]}"
            if len(self._made) >= _MOST:
                self._made.clear()
            self._made[kind, value] = made
        return made


def is_pseudonym(text: str) -> bool:
    """Whether a text is a pseudonym, maybe with the extension of a file."""
    return PSEUDONYM.match(text) is not None
