"""What errors of clients must not repeat: keys, which servers quote when they refuse one."""

from __future__ import annotations

import os
import re

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_HIDDEN = "[REDACTED]"
# Shorter values are words that may stand in any sentence.
_SHORTEST = 6


def without_keys(text: str) -> str:
    """A text without the values of variables that are named like keys, and what looks like one."""
    from pytest_agentv.redact import Redactor  # noqa: PLC0415 (many rules, for errors only)

    values = {
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and _NAMES.search(name)
    }
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, _HIDDEN)
    return Redactor("secrets").text(text)
