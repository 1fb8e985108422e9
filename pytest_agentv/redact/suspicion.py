"""Which lines of a text may hold a secret: a few looks at all of it, made for speed.

A line is suspicious for a run of characters as long as a token that begins like one, that is base64
of a text, or that a name stands before; for a word as ``password``; for escapes that may hide any
of these. What is not suspicious here is never looked at by any rule.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.redact.layers import base64_in, hides_letters, views
from pytest_agentv.redact.names import name_pattern
from pytest_agentv.redact.privatekeys import SIGNS
from pytest_agentv.redact.tokens import tokens_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.redact.known import KnownValues

# A secret without a name has a run of at least so many of these characters.
_RUN = 14
_RUN_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~:!$%|-"
_CLASSES = bytes(97 if one in _RUN_CHARS else 32 for one in range(256))
_RUN_OF_CLASS = b"a" * _RUN
# How far before a run its name may begin.
_NAME_REACH = 80
# Names of secrets that may be short, and signs of places where they may stand without a name.
_WORDS = (
    "passw", "secret", "pwd", "pass", "credential", "api_key", "apikey", "api-key", "auth",
    "bearer", "cookie", "sudo", "://", " -u", " -p", "identified", "token", *SIGNS,
)  # fmt: skip
# What must follow on the line of such a word, or the line ends with what opens a value.
_VALUE = re.compile(r"[=:,>(| ]\s*[^\s=:,>(|]{4}|[:=>|\\,(\[{\"'`-]\s*$")
_DIGIT = re.compile(r"[0-9]")
_LETTERS = re.compile(r"[A-Za-z0-9+/_-]{20}")


def suspicious_lines(text: str, known: KnownValues, *, everything: bool = False) -> set[str]:
    """The lines of a text that may hold a secret."""
    if everything:
        return set(text.split("\n"))
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    return {_line(text, at) for at in _places(text, lower, known)} | _escaped(text, known)


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)]


def _places(text: str, lower: str, known: KnownValues) -> Iterator[int]:
    for word in _WORDS:
        at = lower.find(word)
        while at >= 0:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if _VALUE.search(text, at + len(word), end):
                yield at
                at = end  # the rest of the line is no news
            at = lower.find(word, max(at, 0) + len(word))
    yield from _run_places(text, lower)
    yield from (one.start for one in known.spans(text))


def _run_places(text: str, lower: str) -> Iterator[int]:
    classes = text.encode("ascii", "replace").translate(_CLASSES)
    names = name_pattern()
    at = classes.find(_RUN_OF_CLASS)
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(classes) if end < 0 else end
        run = text[at:end]
        if _DIGIT.search(run):
            line = lower.rfind("\n", 0, at)
            if names.search(lower, max(line, at - _NAME_REACH, 0), end) or _is_token(text, at, run):
                yield at
        elif _LETTERS.search(run) and _is_token(text, at, run):
            yield at
        at = classes.find(_RUN_OF_CLASS, end)


def _is_token(text: str, at: int, run: str) -> bool:
    if next(tokens_in(run), None) is not None:
        return True
    # The letter of an escape, as in \nghp_…, is no part of the run.
    if at and text[at - 1] == "\\" and next(tokens_in(run[1:]), None) is not None:
        return True
    return bool(base64_in(run))


def _escaped(text: str, known: KnownValues) -> set[str]:
    """Lines that are suspicious once their escapes are undone."""
    if not hides_letters(text):
        return set()
    return {
        line
        for line in text.split("\n")
        if hides_letters(line)
        and any(
            next(_places(view.text, view.text.lower(), known), None) is not None
            for view in views(line)
        )
    }
