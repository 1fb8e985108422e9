"""Text that may leave the process: for terminals, CI logs, XML and other processes alike.

What stands in a session or an eval file is foreign. It must not steer a terminal, be a command
to a CI system, make XML ill-formed, or keep pytest-xdist from sending a report.
"""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline, DEL, what turns text around or begins a line for some
# programs only, surrogates, and the two characters that XML lacks besides.
_UNSAFE = re.compile(
    r"\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# GitHub takes `::name …::` for a command at the beginning of a line, after any blanks, and
# `##[name …]` anywhere (actions/runner, ActionCommand.cs). Azure has `##vso[`, TeamCity
# `##teamcity[`. Without the last character of the match there is none of them.
_CI_COMMAND = re.compile(r"^[^\S\n]*:(?=:)|#(?=#[A-Za-z]*\[)", re.MULTILINE)

# Who breaks lines anew does it at blanks, and within words that are longer than a line: pytest's
# narrowest has 32 characters. Of three colons each is put apart, or the last two are a command.
_NARROWEST = 32
_WRAPPED_COMMAND = re.compile(r"(?<!\S):{2,}")
_LONG_WORD = re.compile(rf"\S{{{_NARROWEST},}}")
_LATE_COMMAND = re.compile(r"(?<!:):{2,}(?=[A-Za-z])")

_LINE_LENGTH = 500
# How much of a text is looked at to fill one line: blanks are many and vanish.
_BLANKS = 8
# Shorter ends than this say nothing; then the text is only cut off.
_SHORTEST_ENDS = 20
_HIGHEST_BYTE = 0xFF
_HIGHEST_SHORT = 0xFFFF
_SURROGATES = range(0xD800, 0xE000)


def clean(text: str, *, limit: int | None = None) -> str:
    r"""The same text with everything dangerous made visible, as ``\x1b``.

    Of a text longer than ``limit`` characters the middle is left out, and a count stands there.
    """
    if limit is None:
        return _harmless(text)
    if len(text) <= limit and text.isprintable() and "::" not in text and "##" not in text:
        return text  # as most are: results clean several of every assertion
    # Cleaning makes a text shorter by half at most, by its ``\r\n``: these ends are enough, and
    # a text of many megabytes costs no more than its ends.
    length = 2 * limit
    between = max(len(text) - 2 * length, 0)
    if between:
        text = text[:length] + text[len(text) - length :]
    harmless = _harmless(text)
    if len(harmless) <= limit:
        return harmless
    return _without_middle(harmless, limit=limit, between=between)


def wrappable(text: str) -> str:
    """Clean text whose lines others may break anew, as pytest does with reasons at ``-vv``."""
    text = clean(text)
    if "::" not in text:
        return text
    text = _WRAPPED_COMMAND.sub(_apart, text)
    return _LONG_WORD.sub(lambda word: _LATE_COMMAND.sub(_apart, word.group()), text)


def is_text(text: str) -> bool:
    """Whether a text can be encoded: names of files need not be."""
    return not any(ord(one) in _SURROGATES for one in text)


def one_line(text: str, *, limit: int = _LINE_LENGTH) -> str:
    """Clean text on one line; what is too long is cut off at the end."""
    if len(text) <= limit and text.isprintable() and "::" not in text and "##" not in text:
        return " ".join(text.split())  # as most are
    looked_at = text[: _BLANKS * limit]
    line = _harmless(" ".join(looked_at.split()))
    return _cut_off(line if len(looked_at) == len(text) else f"{line}…", limit=limit)


def visible(text: str) -> str:
    """The same text with everything made visible that steers its reader or cannot be encoded.

    For pages: what CI systems take for a command is text like any other there.
    """
    if text.isprintable():  # nothing unsafe is, by Python's word
        return text  # as most names and figures are
    return _UNSAFE.sub(lambda match: _visible(match.group()), text)


def _harmless(text: str) -> str:
    # The line ends before the commands: a carriage return may stand between newline and `::`.
    shown = visible(text)
    return _CI_COMMAND.sub(r"\g<0> ", shown) if "::" in shown or "##" in shown else shown


def _apart(colons: re.Match[str]) -> str:
    return " ".join(colons.group())


def _visible(character: str) -> str:
    if character == "\r\n":
        return "\n"
    code = ord(character)
    if code in _SURROGATES:
        return "\N{REPLACEMENT CHARACTER}"
    if code <= _HIGHEST_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _HIGHEST_SHORT else f"\\U{code:08x}"


def _without_middle(text: str, *, limit: int, between: int) -> str:
    room = limit - len(_left_out(len(text) + between))
    if room < _SHORTEST_ENDS:
        return _cut_off(text, limit=limit)
    tail = room // 2
    head = room - tail
    # On the same line on both sides: a part of a line must not become the beginning of one.
    return text[:head] + _left_out(len(text) - room + between) + text[-tail:]


def _left_out(count: int) -> str:
    return f" … {count:,} characters left out … "


def _cut_off(text: str, *, limit: int) -> str:
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"[:limit]
