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
_SIGN = r"[a-z0-9_+=-]"
_PART = r"(?:[a-z]{1,15}|[0-9]{1,8}|v[0-9]{1,3})"
_NAME = rf"[_+=-]*(?:{_PART}[_+=-]+)*{_PART}?"
_MIX = r"(?=[a-z_+=-]*[0-9])(?=[0-9_+=-]*[a-z])"
_SECRETS = re.compile(
    "|".join(
        (
            # A value that is named as one: password=…, "api_key": "…".
            rf"(?P<name>(?:{_NAMES})[\"']?\s*[=:]\s*)(?:bearer\s+|basic\s+)?[^\s,;]+",
            r"(?P<bearer>\bbearer\s+)[\w.~+/=-]{16,}",
            # The user of an address.
            r"(?P<scheme>://)[^\s/@]+(?=@)",
            # A long mix of letters and digits that is not made of words, dates and small numbers.
            rf"(?<!{_SIGN})(?!{_NAME}(?!{_SIGN})){_MIX}{_SIGN}{{20,}}",
        )
    ),
    re.IGNORECASE | re.ASCII,
)
_HOMES = re.compile(
    r"(?<![\w/\\.-])(?:/(?:home|Users)/[^/\s'\"`:;,)]+|/root|[A-Za-z]:[\\/]Users[\\/][^\\/\s'\"`:;,)]+)"
    r"(?![\w.-])"
)


def without_secrets(text: str) -> str:
    """A text of a few thousand characters at most, without what may be a secret in it."""
    return _SECRETS.sub(lambda found: f"{found[found.lastgroup or 'name'] or ''}{HIDDEN}", text)


def without_homes(text: str) -> str:
    """A text in which the homes of people are ``~``: they hold names, and are elsewhere others."""
    return _HOMES.sub("~", text)


def is_public(text: str) -> bool:
    """Whether a text can be repeated: printable, and nothing in it that may be a secret."""
    return text.isprintable() and _SECRETS.search(text) is None
