"""What a command line is read into: words, simple commands, and what is open while it is read."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Words that a command may stand behind.
RESERVED = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "coproc", "function"}
)
# Stands for what a substitution prints.
STAND_IN = "$(…)"

# So many reserved words may stand in a row.
_MAX_RESERVED = 5
_CASES = {"case": 1, "esac": -1}
_ROUGH_MARKS = re.compile(r"[;&|\n(){}`\"']+")
# Words that are told apart where a line is cut roughly.
_ROUGH_WORDS = 50
_IN_DOLLAR_QUOTES = re.compile(r"['\\]")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,6})|0?([0-7]{1,3})|(.))",
    re.DOTALL,
)
_ESCAPED = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
}


class Word(NamedTuple):
    """A word without its quotes, and where it begins in the line."""

    text: str
    start: int


class SimpleCommand:
    """One program with its arguments, redirections left out."""

    def __init__(
        self, documents: list[str] | None = None, feeder: SimpleCommand | None = None
    ) -> None:
        self.words: list[Word] = []
        # As it is written, from the first word on, and where that is; empty if it has none.
        self.raw = ""
        self.start = -1
        self.end = -1
        # What it reads: here-documents, here-strings, what an ``echo`` before it in a pipe says.
        self.documents = [] if documents is None else documents
        # The command before it in a pipe.
        self.feeder = feeder
        # Its first word is a value, no program: in arithmetic, in a list, in a pattern.
        self.is_value = False


class Scanned(NamedTuple):
    """The commands of a line, and texts in which there may be substitutions."""

    commands: list[SimpleCommand]
    texts: list[str]


class Level:
    """A list of commands: the line itself, or what stands in brackets."""

    def __init__(
        self,
        closer: str = "",
        *,
        in_quotes: bool = False,
        is_arithmetic: bool = False,
        is_list: bool = False,
        fed: SimpleCommand | None = None,
    ) -> None:
        self.closer = closer
        self.in_quotes = in_quotes
        # There `<<` is no here-document.
        self.is_arithmetic = is_arithmetic
        # The values of an array.
        self.is_list = is_list
        # What stands for the brackets in a pipe: its input is that of all commands in them.
        self._fed = None if fed is None or fed.feeder is None else fed
        self.command = self.next()
        self.word: list[str] | None = None
        self.word_start = 0
        self.is_quoted = False
        # The redirection whose target comes next.
        self.redirection = ""
        # How many ``case`` are open, in which a bracket ends a pattern.
        self.cases = 0

    def next(self) -> SimpleCommand:
        """A command without words that no pipe leads to, unless one leads to all of the list."""
        fed = self._fed
        return SimpleCommand() if fed is None else SimpleCommand(fed.documents, fed.feeder)

    def count_case(self, word: str) -> None:
        """A word was read; as the first one of a command it may begin or end a ``case``."""
        words = self.command.words
        if word not in _CASES or len(words) > _MAX_RESERVED:
            return
        if all(one.text in RESERVED for one in words[:-1]):
            self.cases = max(0, self.cases + _CASES[word])

    def end_pattern(self) -> None:
        """A bracket was read in a ``case``: what stands before it, ``a|b``, is a pattern."""
        command: SimpleCommand | None = self.command
        while command is not None:
            command.is_value = True
            command = command.feeder


class Document(NamedTuple):
    """A here-document whose text is still to come."""

    end: str
    may_have_tabs: bool
    is_literal: bool
    # Where its text goes: what is read by its command, and by those that it is handed on to.
    texts: list[str]

    @property
    def last_line(self) -> re.Pattern[str]:
        """What ends it."""
        tabs = r"\t*" if self.may_have_tabs else ""
        return re.compile(rf"\n{tabs}{re.escape(self.end)}\r?(?=\n|\Z)")


def made_of(texts: Iterable[str], like: SimpleCommand) -> SimpleCommand:
    """A command of these words that reads what another one reads."""
    command = SimpleCommand(like.documents, like.feeder)
    command.start = position = 0
    for text in texts:
        command.words.append(Word(text, position))
        position += len(text) + 1
    command.raw = " ".join(word.text for word in command.words)
    return command


def cut_roughly(text: str, *, are_values: bool = False) -> Iterator[SimpleCommand]:
    """Commands of a text that nobody can read for sure: every piece between any marks."""
    for piece in dict.fromkeys(_ROUGH_MARKS.split(text)):
        command = SimpleCommand()
        command.is_value = are_values
        command.raw = piece.strip()
        command.start = start = 0
        for word in command.raw.split(maxsplit=_ROUGH_WORDS):
            start = command.raw.index(word, start)
            command.words.append(Word(word, start))
            start += len(word)
        if command.words:
            yield command


def end_of_dollar_quote(line: str, position: int) -> int | None:
    """Where a text that began with ``$'`` ends; None if it does not."""
    while found := _IN_DOLLAR_QUOTES.search(line, position):
        if found[0] == "'":
            return found.start()
        position = found.end() + 1
    return None


def unescaped(text: str) -> str:
    r"""A text in which ``\n``, ``\x72`` and such are what they stand for."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    byte, short, long, octal, letter = found.groups()
    if letter is not None:
        return _ESCAPED.get(letter, letter)
    code = int(octal, 8) if octal else int(byte or short or long, 16)
    return chr(code) if code <= sys.maxunicode else found[0]
