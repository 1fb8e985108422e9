"""Finding secrets by their own form: one look at how words begin, then the patterns that fit."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pytest_agentv.redact.rules import TOKENS
from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import is_example_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.redact.rule import Token

# Not within a word, and not within base64 for URLs either; a line of a diff may begin with a sign.
_BOUNDARY = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][_-])"
_WORD = re.compile(r"[A-Za-z0-9]+", re.ASCII)


class _Table:
    """The rules by the first two letters of what they find, and those without a beginning."""

    def __init__(self) -> None:
        self.by_start: dict[str, list[tuple[str, Token]]] = {}
        for rule in TOKENS:
            for start in rule.starts:
                self.by_start.setdefault(start[:2], []).append((start, rule))
        inner = [rule for rule in TOKENS if not rule.starts]
        self.inner = tuple(rule for rule in inner if len(rule.inside) > 1)
        self.shapes = tuple(rule for rule in inner if len(rule.inside) == 1)


@cache
def _table() -> _Table:
    return _Table()


@cache
def _compiled(rule: Token) -> re.Pattern[str]:
    # ASCII: what stands for letters and digits in tokens is that alone.
    return re.compile(_BOUNDARY + rule.pattern, re.ASCII)


def tokens_in(text: str) -> Iterator[Span]:
    """All tokens in a text, examples of manuals left out."""
    table = _table()
    by_start = table.by_start
    end = 0
    for word in _WORD.finditer(text):
        at = word.start()
        rules = by_start.get(text[at : at + 2])
        if rules is None or at < end:
            continue
        for start, rule in rules:
            if text.startswith(start, at):
                match = _compiled(rule).match(text, at)
                if match is not None and not is_example_token(match.group()):
                    end = match.end()
                    yield Span(at, end, rule.id)
                    break
    yield from _holding(table.inner, text)


def shapes_in(text: str) -> Iterator[Span]:
    """Tokens that have no word of their own at all, only a shape."""
    return _holding(_table().shapes, text)


def _holding(rules: tuple[Token, ...], text: str) -> Iterator[Span]:
    has_dollar = "$" in text
    for rule in rules:
        if (has_dollar or rule.inside[0] != "$") and rule.inside in text:
            for match in _compiled(rule).finditer(text):
                if not is_example_token(match.group()):
                    yield Span(match.start(), match.end(), rule.id)
