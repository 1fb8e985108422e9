"""Finding secrets by their own form: one look for how any of them begins, then its own pattern."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pytest_agentv.redact.rules import TOKENS
from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import is_example_token
from pytest_agentv.redact.words import any_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.redact.rule import Token

_BOUNDARY = r"(?<![A-Za-z0-9])"


class _Starts:
    """All beginnings of tokens, and which rules may fit after each."""

    def __init__(self) -> None:
        words = {word for one in TOKENS for word in one.starts}
        self.pattern = re.compile(_BOUNDARY + any_of(sorted(words)))
        self.rules = {
            word: tuple(
                one
                for one in TOKENS
                if any(word.startswith(start) for start in one.starts)
            )
            for word in words
        }  # fmt: skip
        self.inner = tuple(one for one in TOKENS if not one.starts)


@cache
def _starts() -> _Starts:
    return _Starts()


@cache
def _compiled(rule: Token) -> re.Pattern[str]:
    # ASCII: what stands for letters and digits in tokens is that alone.
    return re.compile(_BOUNDARY + rule.pattern, re.ASCII)


def tokens_in(text: str) -> Iterator[Span]:
    """All tokens in a text, examples of manuals left out."""
    starts = _starts()
    end = 0
    for found in starts.pattern.finditer(text):
        at = found.start()
        if at < end:
            continue
        for rule in starts.rules[found.group()]:
            match = _compiled(rule).match(text, at)
            if match is not None and not is_example_token(match.group()):
                end = match.end()
                yield Span(at, end, rule.id)
                break
    for rule in starts.inner:
        if rule.inside in text:
            for match in _compiled(rule).finditer(text):
                if not is_example_token(match.group()):
                    yield Span(match.start(), match.end(), rule.id)
