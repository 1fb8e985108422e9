"""Finding the secrets of a text.

Most lines of a session hold nothing that could be a secret. So a few cheap looks at all lines
together pick those that may hold one, and only there the rules are tried.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from pytest_agentv.redact import manifests
from pytest_agentv.redact.assignments import assigned_in
from pytest_agentv.redact.known import KnownValues
from pytest_agentv.redact.layers import base64_in, hides_letters, views
from pytest_agentv.redact.privatekeys import SIGNS, private_keys_in
from pytest_agentv.redact.spans import Span, merged
from pytest_agentv.redact.structures import structures_in
from pytest_agentv.redact.suspicion import suspicious_lines
from pytest_agentv.redact.tokens import shapes_in, tokens_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.redact.settings import RedactSettings

# Lines before and after a suspicious one that go with it: a name may stand on the line before.
_BEFORE, _AFTER = 1, 3
# So many of them, and no longer ones, are remembered as clean.
_REMEMBERED = 20_000
_REMEMBERED_LENGTH = 200
# Base64 in base64 in …
_DEPTH = 3
_BEGINS = re.compile("|".join(SIGNS), re.IGNORECASE)
# Longer texts are looked at piece by piece; a secret is shorter than what two pieces share.
_PIECE = 16_384
_SHARED = 4_096


class Scanner:
    """Finds secrets, and remembers those it found."""

    def __init__(self, settings: RedactSettings) -> None:
        self._settings = settings
        # Suspicious lines with those around them, in which nothing was found.
        self._clean: set[str] = set()
        self.known = KnownValues()

    def suspicious(self, lines: Iterable[str]) -> set[str]:
        """Which lines may hold a secret, or a part of one."""
        return suspicious_lines("\n".join(lines), self.known)

    def spans(self, text: str, lines: list[str], hot: set[str]) -> list[Span]:
        """Where the secrets of a text are, of whose lines some are suspicious."""
        found = list(self._in_segments(text, lines, hot)) if hot else []
        if self._settings.rules:
            found += self._own(text)
        if not found:
            return found
        accepts = self._settings.accepts
        found = [one for one in merged(found, text) if accepts(one.rule, text[one.start : one.end])]
        for one in found:
            self.learn(text[one.start : one.end], one.rule)
        return found

    def learn(self, value: str, rule: str) -> None:
        """Take a value for a secret from now on."""
        if self.known.learn(value, rule):
            self._clean.clear()

    def _own(self, text: str) -> Iterator[Span]:
        yield from self._settings.own_spans(text)
        for view in views(text[:_PIECE]):
            yield from map(view.back, self._settings.own_spans(view.text))

    def _in_segments(self, text: str, lines: list[str], hot: set[str]) -> Iterator[Span]:
        lower = "\n".join(hot).lower()
        if any(sign in lower for sign in SIGNS):
            yield from private_keys_in(text)
        elif hides_letters(lower):
            yield from _hidden_keys(text)
        if manifests.SIGN.search(lower):
            yield from _manifests(text)
        elif hides_letters(lower):
            yield from _hidden_manifests(text)
        for start, segment in _segments(lines, hot):
            if segment in self._clean:
                continue
            found = list(self._examined(segment, _DEPTH))
            if not found and len(segment) < _REMEMBERED_LENGTH:
                if len(self._clean) > _REMEMBERED:
                    self._clean.clear()
                self._clean.add(segment)
            yield from (Span(start + a, start + b, rule) for a, b, rule in found)

    def _examined(self, text: str, depth: int) -> Iterator[Span]:
        for at in range(0, max(1, len(text) - _SHARED), _PIECE - _SHARED):
            piece = text[at : at + _PIECE]
            for view in [None, *views(piece)]:
                for span in self._rules(piece if view is None else view.text, depth):
                    start, end, rule = span if view is None else view.back(span)
                    yield Span(at + start, at + end, rule)

    def _rules(self, text: str, depth: int) -> Iterator[Span]:
        yield from tokens_in(text)
        yield from shapes_in(text)
        yield from structures_in(text, text.lower())
        yield from assigned_in(text)
        yield from self.known.spans(text)
        if depth:
            for start, end, inner in base64_in(text):
                found = merged(self._examined(inner, depth - 1), inner)
                wide = next(chain(found, private_keys_in(inner), _manifests(inner)), None)
                if wide is not None:
                    yield Span(start, end, wide.rule)


def _hidden_keys(text: str) -> Iterator[Span]:
    """Private keys of which even the first line is written in escapes."""
    for view in views(text):
        if _BEGINS.search(view.text):
            yield from map(view.back, private_keys_in(view.text))
            return


def _manifests(text: str) -> Iterator[Span]:
    """Values of Kubernetes secrets, also where ends of lines and quotes are escaped."""
    if manifests.SIGN.search(text.lower()) is None:
        return
    yield from manifests.manifest_values_in(text)
    for view in views(text):
        yield from map(view.back, manifests.manifest_values_in(view.text))


def _hidden_manifests(text: str) -> Iterator[Span]:
    """The same, where every letter is written in escapes."""
    for view in views(text):
        if manifests.SIGN.search(view.text.lower()):
            yield from map(view.back, manifests.manifest_values_in(view.text))


def _segments(lines: list[str], hot: set[str]) -> Iterator[tuple[int, str]]:
    """Suspicious lines with those around them, joined, and where each begins."""
    start = end = offset = at = 0
    for number, line in enumerate(lines):
        if line in hot:
            if number - _BEFORE > end or not end:
                if end:
                    yield at, "\n".join(lines[start:end])
                start = max(number - _BEFORE, end)
                at = offset - sum(len(one) + 1 for one in lines[start:number])
            end = min(number + 1 + _AFTER, len(lines))
        offset += len(line) + 1
    if end:
        yield at, "\n".join(lines[start:end])
