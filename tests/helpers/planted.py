"""Secrets for tests, put together when they are needed: none stands in a file."""

from __future__ import annotations

import string

from hypothesis import strategies as st

KEY = bytes(range(32))
ALNUM = string.ascii_letters + string.digits


def github_token(letters: str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8") -> str:
    """A text in the form of a token of GitHub's."""
    return "gh" + "p_" + letters


def opaque(length: int) -> str:
    """A text as a key is that nothing but its name gives away."""
    return ("Kq82LmZp91XaWm73TnYr20CbHd65" * 2)[:length]


def aws_key() -> str:
    """A text in the form of a key of Amazon's."""
    return "AK" + "IA" + "Z2X7Q5T3R6P4M2N7"


def private_key(*, line: str = "\n") -> str:
    """A text in the form of a private key."""
    body = ["MIIEpAIBAAKCAQEA" + str(number) * 48 for number in range(4)]
    dashes = "-" * 5
    return line.join([f"{dashes}BEGIN RSA PRIVATE KEY{dashes}", *body,
                      f"{dashes}END RSA PRIVATE KEY{dashes}"])  # fmt: skip


# What tokens in manuals have in them; hypothesis tries words that it finds in the code.
_IN_MANUALS = ("example", "placeholder", "redacted", "your-", "xxxx")


def tokens() -> st.SearchStrategy[str]:
    """Tokens of some providers with anything random in them, and nothing that stands for one."""

    def is_random(text: str) -> bool:
        lower = text.lower()
        return len(set(text[-16:])) > 6 and not any(word in lower for word in _IN_MANUALS)

    def of(start: str, signs: str, length: int) -> st.SearchStrategy[str]:
        return st.text(signs, min_size=length, max_size=length).filter(is_random).map(start.__add__)

    return st.one_of(
        of("gh" + "p_", ALNUM, 36),
        of("glp" + "at-", ALNUM, 20),
        of("sk-" + "ant-api03-", ALNUM + "_-", 95),
        of("AK" + "IA", string.ascii_uppercase + "234567", 16),
        of("np" + "m_", ALNUM, 36),
        of("dop_" + "v1_", "0123456789abcdef", 64),
    )
