"""Text in text: what a text says once its escapes are undone, and where each character stood."""

from __future__ import annotations

import base64
import binascii
import html
import re
from codecs import getincrementaldecoder
from typing import NamedTuple

from pytest_agentv.redact.spans import Span

# Deeper than so, nobody escapes.
_LAYERS = 4

ESCAPE = re.compile(
    r"""\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|["'`\\/nrtbf0]|\r?\n[ \t]*)
    |%[0-9A-Fa-f]{2}
    |&(?:quot|apos|amp|lt|gt|\#[0-9]{2,5}|\#[xX][0-9A-Fa-f]{2,4});
    |\x1b\[[0-9;?]{0,20}[A-Za-z]""",
    re.VERBOSE,
)
# Escapes that can hide letters; the others only stand around them.
_HIDING = re.compile(r"\\u(?:00[0-7]|04|[3-9A-Da-d])|\\x[0-7]|%[2-7][0-9A-Fa-f]|&#|\x1b\[")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "0": "\0"}


_SIGNS = ("\\", "%", "&", "\x1b")


class View(NamedTuple):
    """A text made from another one; ``offsets`` says where each character came from."""

    text: str
    offsets: list[int]

    def back(self, span: Span) -> Span:
        """The span in the text that this one was made from."""
        return Span(self.offsets[span.start], self.offsets[span.end], span.rule)


def views(text: str) -> list[View]:
    """What a text says with one layer of escapes undone, with two, and so on."""
    result: list[View] = []
    view = View(text, [])
    while len(result) < _LAYERS and any(sign in view.text for sign in _SIGNS):
        following = _undone(view, first=not result)
        if following is None:
            break
        result.append(following)
        view = following
    return result


def hides_letters(text: str) -> bool:
    """Whether a text has escapes that can stand for letters and digits."""
    # Not any(), which costs more than the four looks.
    has_sign = "\\" in text or "%" in text or "&" in text or "\x1b" in text
    return has_sign and _HIDING.search(text) is not None


def _undone(view: View, *, first: bool) -> View | None:
    text = view.text
    pieces: list[str] = []
    offsets: list[int] = []
    end = 0
    for found in ESCAPE.finditer(text):
        start = found.start()
        meant = _meaning(found.group())
        pieces += (text[end:start], meant)
        offsets += range(end, start) if first else view.offsets[end:start]
        if meant:
            offsets.append(start if first else view.offsets[start])
        end = found.end()
    if not end:
        return None
    pieces.append(text[end:])
    offsets += range(end, len(text) + 1) if first else view.offsets[end:]
    return View("".join(pieces), offsets)


def _meaning(escape: str) -> str:
    if escape[0] == "%":
        return bytes.fromhex(escape[1:]).decode("latin-1")
    if escape[0] == "&":
        return html.unescape(escape)[:1]
    if escape[0] == "\x1b" or escape[-1] in " \t\n":
        return ""
    if escape[1] in "ux":
        return chr(int(escape[2:], base=16))  # noqa: FURB166 (the prefix is an escape, not a number's)
    return _PLAIN.get(escape[1], escape[1])


# Long enough to hold a secret with a name.
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}", re.ASCII)
_WRAPPED = re.compile(
    r"(?:^|(?<=[\"'\s:=>]))(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]*(?:[0-9]{1,6}[ \t:|\u2192]+)?[+ ]?){1,4096}[A-Za-z0-9+/]{1,76}={0,2}",
    re.ASCII | re.MULTILINE,
)
_PRINTABLE = frozenset(b"\t\n\r" + bytes(range(32, 127)) + bytes(range(128, 256)))
_SAMPLE = 64


class Decoded(NamedTuple):
    """A part of a text that is base64 of another text."""

    start: int
    end: int
    text: str


def base64_in(text: str) -> list[Decoded]:
    """All parts of a text that are base64 of a text; images and the like are not."""
    found = [
        Decoded(match.start(), match.end(), inner)
        for match in _BASE64.finditer(text)
        if (inner := _decoded(match.group())) is not None
    ]
    if "\n" in text:
        for match in _WRAPPED.finditer(text):
            whole = re.sub(r"\s+(?:[0-9]{1,6}[ \t:|\u2192]+)?[+ ]?", "", match.group())
            inner = _decoded(whole)
            if inner is not None:
                found.append(Decoded(match.start(), match.end(), inner))
    return found


def _decoded(run: str) -> str | None:
    raw = run.rstrip("=").translate(_STANDARD)
    if len(raw) % 4 == 1:
        raw = raw[:-1]  # cut off somewhere
    head = _bytes(raw[:_SAMPLE])
    if head is None or not _PRINTABLE.issuperset(head):
        return None
    try:
        # Its last character may be cut off.
        getincrementaldecoder("utf-8")().decode(head)
        whole = head if len(raw) <= _SAMPLE else _bytes(raw)
        return None if whole is None else whole.decode("utf-8")
    except UnicodeDecodeError:
        return None


_STANDARD = str.maketrans("-_", "+/")


def _bytes(raw: str) -> bytes | None:
    try:
        return base64.b64decode(raw + "=" * (-len(raw) % 4))
    except (binascii.Error, ValueError):
        return None
