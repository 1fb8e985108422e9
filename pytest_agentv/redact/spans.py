"""Where in a text something was found, and the text with all of it replaced."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# What stands for a find is never looked at again.
PLACEHOLDER = re.compile(
    r"\[REDACTED:[A-Za-z0-9_.-]{1,80}(?:, [0-9]{1,12} characters, [0-9]{1,12} lines)?\]"
    r"|(?<![A-Za-z0-9])(?:email|host|ip|path|user)-[0-9a-f]{12}(?![0-9A-Za-z])"
)
MARK = "[REDACTED:"
_LONGEST = 140
PSEUDONYM = re.compile(r"(?:email|host|ip|path|user)-[0-9a-f]{12}")


class Span(NamedTuple):
    """A find: where, and by which rule."""

    start: int
    end: int
    rule: str


def placeholder(rule: str) -> str:
    """What stands where a secret was."""
    return f"{MARK}{rule}]"


def merged(spans: Iterable[Span], text: str) -> list[Span]:
    """Spans in order that touch neither each other nor a placeholder.

    Of those that overlap, the first found gives its name to all that they cover together.
    """
    result: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if result and span.start < result[-1].end:
            last = result[-1]
            if span.end > last.end:
                result[-1] = last._replace(end=span.end)
        else:
            result.append(span)
    if MARK in text or PSEUDONYM.search(text):
        result = [part for span in result for part in _around(span, text)]
    return [span for span in result if span.end > span.start]


def _around(span: Span, text: str) -> list[Span]:
    """The parts of a span that are no placeholders already."""
    parts = []
    start = span.start
    # A placeholder may begin before the span.
    for found in PLACEHOLDER.finditer(text, max(0, span.start - _LONGEST)):
        if found.end() <= start:
            continue
        if found.start() >= span.end:
            break
        if found.start() > start:
            parts.append(Span(start, found.start(), span.rule))
        start = found.end()
    if start < span.end:
        parts.append(Span(start, span.end, span.rule))
    # Quotes and operators that are left between placeholders are no secrets.
    return [one for one in parts if re.search(r"\w{3}", text[one.start : one.end])]
