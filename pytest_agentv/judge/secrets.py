"""What errors of clients must not repeat: keys, which servers quote when they refuse one."""

from __future__ import annotations

import os
import re

HIDDEN = "[…]"

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
# Shorter values are words that may stand in any sentence.
_SHORTEST = 6
_KEYS = re.compile(
    # The user of an address; what goes with a request; keys as most providers make them.
    r"(?<=://)[^\s/@]+(?=@)|(?<=bearer )\S+|\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_]?[\w*.-]{8,}",
    re.IGNORECASE,
)


def without_keys(text: str) -> str:
    """A text without the values of variables that are named like keys, and what looks like one."""
    values = {
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and _NAMES.search(name)
    }
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return _KEYS.sub(HIDDEN, text)
