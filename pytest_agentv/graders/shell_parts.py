"""What a command line is read into: words, simple commands, and what is open while it is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUGH_MARKS = re.compile(r"[;&|\n(){}`\"']+")
# Words that are told apart where a line is cut roughly.
_ROUGH_WORDS = 50


class Word(NamedTuple):
    """A word without its quotes, and where it begins in the line."""

    text: str
    start: int


class SimpleCommand:
    """One program with its arguments, redirections left out."""

    def __init__(self, documents: list[str] | None = None) -> None:
        self.words: list[Word] = []
        # As it is written, from the first word on, and where that is; empty if it has none.
        self.raw = ""
        self.start = -1
        self.end = -1
        # What it reads: here-documents, here-strings, what an ``echo`` before it in a pipe says.
        self.documents = [] if documents is None else documents


class Level:
    """A list of commands: the line itself, or what stands in brackets."""

    def __init__(
        self, closer: str = "", *, in_quotes: bool = False, is_arithmetic: bool = False
    ) -> None:
        self.closer = closer
        self.in_quotes = in_quotes
        # There `<<` is no here-document.
        self.is_arithmetic = is_arithmetic
        self.command = SimpleCommand()
        self.word: list[str] | None = None
        self.word_start = 0
        self.is_quoted = False
        # The redirection whose target comes next.
        self.redirection = ""


class Document(NamedTuple):
    """A here-document whose text is still to come."""

    end: str
    may_have_tabs: bool
    is_literal: bool
    command: SimpleCommand


def cut_roughly(text: str) -> Iterator[SimpleCommand]:
    """Commands of a text that nobody can read for sure: every piece between any marks."""
    for piece in dict.fromkeys(_ROUGH_MARKS.split(text)):
        command = SimpleCommand()
        command.raw = piece.strip()
        command.start = start = 0
        for word in command.raw.split(maxsplit=_ROUGH_WORDS):
            start = command.raw.index(word, start)
            command.words.append(Word(word, start))
            start += len(word)
        if command.words:
            yield command
