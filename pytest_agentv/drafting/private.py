"""What a draft must not repeat of a session: texts that may be secrets.

An eval file is committed and shared where the session is not. This is a net with wide meshes for
short texts, and no redaction: a draft takes few texts of a session, and those it takes go by here.
"""

from __future__ import annotations

import re

HIDDEN = "[…]"

_NAMES = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|credentials?|authorization"
    r"|(?:api|access|private)[_-]?key"
)
_SECRETS = re.compile(
    "|".join(
        (
            # A value that is named as one: password=…, "api_key": "…".
            rf"(?P<name>(?:{_NAMES})[\"']?\s*[=:]\s*)(?:bearer\s+|basic\s+)?[^\s,;]+",
            r"(?P<bearer>\bbearer\s+)[\w.~+/=-]{16,}",
            # The user of an address.
            r"(?P<scheme>://)[^\s/@]+(?=@)",
            # A long mix of letters and digits.
            r"(?=[a-z_+=-]*[0-9])(?=[0-9_+=-]*[a-z])[a-z0-9_+=-]{20,}",
        )
    ),
    re.IGNORECASE | re.ASCII,
)


def without_secrets(text: str) -> str:
    """A text of a few thousand characters at most, without what may be a secret in it."""
    return _SECRETS.sub(lambda found: f"{found[found.lastgroup or 'name'] or ''}{HIDDEN}", text)


def is_public(text: str) -> bool:
    """Whether a text can be repeated: printable, and nothing in it that may be a secret."""
    return text.isprintable() and _SECRETS.search(text) is None
