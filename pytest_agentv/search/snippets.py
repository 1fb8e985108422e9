"""The part of a text that says why it was found, with what was found in it marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.search.tokens import folded, is_boundary, taken_apart, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.search.query import Term

LENGTH = 240
# Of what stands before the first match.
_LEAD = 60
_CUT = "…"
# More matches in a text say nothing more.
_MOST_MARKS = 500
_BLANKS = re.compile(r"\s+")


class Snippet(NamedTuple):
    """A part of a text on one line, and where in it matches stand."""

    text: str
    marks: tuple[tuple[int, int], ...]


def snippet(text: str, terms: Sequence[Term], *, length: int = LENGTH) -> Snippet:
    """The part that has most of the terms; the beginning, if none is there."""
    marks = sorted(set(_marks(text, terms)))
    start = _best_start(marks, length)
    end = min(start + length, len(text))
    start, end = _to_words(text, start, end)
    pieces, shown = [], []
    if start > 0:
        pieces.append(_CUT)
    place = start
    for first, last, _ in marks:
        if first < place or first >= end:
            continue
        pieces.append(_on_one_line(text[place:first]))
        before = sum(map(len, pieces))
        pieces.append(_on_one_line(text[first : min(last, end)]))
        shown.append((before, before + len(pieces[-1])))
        place = min(last, end)
    pieces.append(_on_one_line(text[place:end]))
    if end < len(text):
        pieces.append(_CUT)
    return Snippet("".join(pieces).rstrip(), tuple(shown))


def _marks(text: str, terms: Sequence[Term]) -> Iterator[tuple[int, int, int]]:
    """Where terms stand, and which."""
    flat = folded(text)
    for number, term in enumerate(terms):
        expression = _expression(term)
        if expression is None:
            continue
        count = 0
        for match in expression.finditer(flat):
            if not is_boundary(text, match.start()):
                continue
            end = match.end()
            if not term.is_prefix and not is_boundary(text, end):
                continue
            yield match.start(), end, number
            count += 1
            if count == _MOST_MARKS:
                break


def _expression(term: Term) -> re.Pattern[str] | None:
    words = words_of(taken_apart(term.text))
    if not words:
        return None
    return re.compile(r"[\W_]*".join(map(re.escape, words)))


def _best_start(marks: Sequence[tuple[int, int, int]], length: int) -> int:
    """Where a part begins that holds the most different terms, the first such."""
    best, most = 0, 0
    room = length - _LEAD
    for number, (start, _, _) in enumerate(marks):
        within = set()
        for other_start, _, term in marks[number:]:
            if other_start >= start + room:
                break
            within.add(term)
        if len(within) > most:
            best, most = start, len(within)
    return max(best - _LEAD, 0)


def _to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The same part without half a word at either end, if that does not take much."""
    if start:
        blank = text.find(" ", start, start + 20)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", end - 20, end)
        end = blank if blank > start else end
    return start, end


def _on_one_line(text: str) -> str:
    return _BLANKS.sub(" ", text)
