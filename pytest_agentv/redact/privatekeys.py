"""Finding private keys: in PEM and its kin, on many lines or on one, with numbers or signs before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.redact.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

# Any of these in small letters, or there is no private key.
SIGNS = ("private key", "putty-user-key-file", "private-lines")

_BEGIN = re.compile(
    r"-{2,5}\s?BEGIN (?P<kind>[A-Z0-9 ]{0,60}?)PRIVATE KEY(?: BLOCK)?\s?-{2,5}", re.IGNORECASE
)
_END = re.compile(r"-{2,5}\s?END [A-Z0-9 ]{0,60}?PRIVATE KEY(?: BLOCK)?\s?-{0,5}", re.IGNORECASE)
# What can stand in a key whose lines end with escapes.
_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{1,4096}|\\{1,4}[nr]|[ \t\"',:+-]|%[0-9A-Fa-f]{2}){1,4000}")
_LEAST = 16
_FAR = 20_000
_LINE = r"(?:[ \t]*(?:[0-9]{1,6}[ \t]*[→|\t:]|[+>-])?[ \t]*)"
_KEY_LINE = re.compile(
    rf"{_LINE}(?:[A-Za-z0-9+/=]{{16,76}}|[A-Za-z0-9+/]{{0,75}}={{1,2}}|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset):[^\n]{{1,120}}|)(?=\r?\n|$)"
)
_PUTTY = re.compile(
    rf"Private-Lines:\s*[0-9]{{1,4}}(?P<secret>(?:(?:\r?\n|\\n){_LINE}[A-Za-z0-9+/=]{{1,80}}){{1,400}})(?:(?:\r?\n|\\n){_LINE}Private-MAC:\s*(?P<mac>[0-9a-f]{{32,128}}))?",
    re.IGNORECASE,
)


def private_keys_in(text: str) -> Iterator[Span]:
    """All private keys of a text, also those whose end or beginning was cut off."""
    position = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < position:
            continue
        end = _END.search(text, begin.end(), begin.end() + _FAR)
        position = _open_end(text, begin.end()) if end is None else end.end()
        if sum(map(str.isalnum, text[begin.end() : end.start() if end else position])) >= _LEAST:
            yield Span(begin.start(), position, "private-key")
    yield from _cut_off(text)
    for found in _PUTTY.finditer(text):
        yield Span(found.start("secret"), found.end(), "private-key")


def _open_end(text: str, start: int) -> int:
    """Where a key ends that has no end: after the last line that can be part of it."""
    end = text.find("\n", start)
    if end < 0 or text[start:end].strip():
        body = _BODY.match(text, start, start + _FAR)
        return body.end() if body else start
    while end >= 0:
        following = _KEY_LINE.match(text, end + 1)
        if following is None:
            break
        start = following.end()
        end = start if text[start : start + 1] == "\n" else -1
    return start


def _cut_off(text: str) -> Iterator[Span]:
    """Keys of which only the end is left."""
    position = 0
    for end in _END.finditer(text):
        start = max(position, end.start() - _FAR)
        before = text[start : end.start()]
        cut = before.rfind("-----")
        if cut >= 0 and "BEGIN" in before[cut - 80 if cut > 80 else 0 : cut + 5]:
            position = end.end()
            continue
        lines = before.split("\n")
        kept = len(lines) - 1
        while kept > 0 and re.fullmatch(rf"{_LINE}[A-Za-z0-9+/=]{{16,76}}\r?", lines[kept - 1]):
            kept -= 1
        if kept < len(lines) - 1:
            yield Span(end.start() - len("\n".join(lines[kept:])), end.end(), "private-key")
        position = end.end()
