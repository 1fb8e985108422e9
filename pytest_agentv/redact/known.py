"""Secrets that were found once in a session: they are secrets wherever else they stand in it."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pytest_agentv.redact.rules import TOKENS
from pytest_agentv.redact.spans import MARK, Span
from pytest_agentv.redact.values import is_name
from pytest_agentv.redact.words import any_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# Shorter values, and words, stand in texts that have nothing to do with the secret.
_SHORTEST = 8
_LONGEST = 512
_MOST = 4096


class KnownValues:
    """The values, each with the rule by which it was found."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        # Patterns of all values, with how many each is of: more than the next one. So a new value
        # makes few of them be compiled again.
        self._patterns: list[tuple[int, re.Pattern[str]]] = []

    def __len__(self) -> int:
        return len(self._rules)

    def learn(self, value: str, rule: str) -> bool:
        """Remember a value, unless it is too short or too much a word to be only that."""
        is_new = (
            _SHORTEST <= len(value) <= _LONGEST
            and value not in self._rules
            and len(self._rules) < _MOST
            and MARK not in value
            and not is_name(value)
        )
        if is_new:
            self._rules[value] = rule
        return is_new

    def late(self) -> list[str]:
        """Values that are known by their names or places, and not by their own form."""
        by_form = {one.id for one in TOKENS}
        return [value for value, rule in self._rules.items() if rule not in by_form]

    def since(self, count: int) -> list[str]:
        """What was learned after so many others."""
        return list(islice(self._rules, count, None))

    def spans(self, text: str) -> Iterator[Span]:
        """Where known values are in a text."""
        self._compile()
        # Of what the patterns find next the first counts, and of several there the longest.
        nearest = [found for _, pattern in self._patterns if (found := pattern.search(text))]
        while nearest:
            found = min(nearest, key=_place)
            yield Span(found.start(), found.end(), self._rules[found.group()])
            nearest = list(filter(None, (_from(one, found.end()) for one in nearest)))

    def _compile(self) -> None:
        size = len(self._rules) - sum(count for count, _ in self._patterns)
        if size:
            while self._patterns and self._patterns[-1][0] <= size:
                size += self._patterns.pop()[0]
            values = self.since(len(self._rules) - size)
            self._patterns.append((size, re.compile(any_of(values))))


def _place(found: re.Match[str]) -> tuple[int, int]:
    return found.start(), -found.end()


def _from(found: re.Match[str], position: int) -> re.Match[str] | None:
    """What a pattern found, or finds then, if that may begin at a position at the earliest."""
    return found if found.start() >= position else found.re.search(found.string, position)
