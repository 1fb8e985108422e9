"""Simple commands of a line for PowerShell, where quotes and escapes are not those of a shell.

As for shells, rather too many commands are found than too few where a line cannot be read for sure.
One pass; only a text that computes is read again, and texts in texts need twice as many quotes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pytest_agentv.graders.shell_parts import (
    STAND_IN,
    Scanned,
    SimpleCommand,
    Word,
    cut_roughly,
)
from pytest_agentv.graders.shell_pipes import fed_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# After so many words and marks the rest of a line is cut at every mark.
_MAX_TOKENS = 50_000

_PLAIN = re.compile(r"[^\s'\"`;&|(){}#<>@]+")
_IN_QUOTES = re.compile(r"[^\"`]+")
_REDIRECTION = re.compile(r"(?:[0-9*]?>>?(?:&[0-9])?|<)")
_HERE = re.compile(r"@(['\"])[ \t]*\r?\n")
_ASSIGNED = re.compile(r"[$\[][^=\s]*?[-+*/%]?=(?P<value>.*)", re.DOTALL)
_OPERATORS = frozenset({"=", "+=", "-=", "*=", "/=", "??="})
_RESERVED = frozenset({"return", "do", "try", "else", "finally", "begin", "process", "end", "!"})
# Methods by which a value runs something.
_STARTS = re.compile(r"\]::(?:start|create)$|\.invoke\w*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\$?\(|\)")
_VALUE = re.compile(r"[$@\[(\d\"'-]")


def scanned_powershell(line: str) -> Scanned:
    """The simple commands of a line."""
    scanner = _Scanner(line)
    scanner.run()
    return Scanned(scanner.commands, [])


def _computed(text: str) -> Iterator[str]:
    """What stands in brackets behind a dollar."""
    depth = start = 0
    for found in _BRACKETS.finditer(text):
        if found[0] == ")":
            depth = max(0, depth - 1)
            if depth == 0 and start:
                yield text[start : found.start()]
                start = 0
        elif depth or found[0] == "$(":
            depth += 1
            start = start or found.end()
    if start:
        yield text[start:]


class _Scanner:
    def __init__(self, line: str) -> None:
        self.commands: list[SimpleCommand] = []
        self._line = line
        self._position = 0
        self._command = SimpleCommand()
        self._word: list[str] | None = None
        self._word_start = 0
        # The first word is in quotes, and so a value unless it is called.
        self._is_quoted = False
        self._is_called = False
        self._is_target = False
        self._endless: set[str] = set()

    def run(self) -> None:
        """Read the whole line."""
        tokens = 0
        while self._position < len(self._line) and tokens < _MAX_TOKENS:
            tokens += 1
            self._read()
        self._end_command()
        if self._position < len(self._line):
            self.commands += cut_roughly(self._line[self._position :])

    def _read(self) -> None:
        found = _PLAIN.match(self._line, self._position)
        if found is None:
            mark = self._line[self._position]
            self._readers.get(mark, _Scanner._blank)(self, mark)
            return
        is_stream = found[0].isdigit() and self._line.startswith(">", found.end())
        if not is_stream:
            self._add(found[0])
        self._position = found.end()

    def _blank(self, _: str) -> None:
        self._end_word()
        self._position += 1

    def _escape(self, _: str) -> None:
        after = self._position + 1
        following = (
            "\r\n" if self._line.startswith("\r\n", after) else self._line[after : after + 1]
        )
        if following in ("\n", "\r", "\r\n"):
            self._end_word()
        else:
            self._add(following)
        self._position += 1 + len(following)

    def _hash(self, mark: str) -> None:
        if self._word is None:
            self._skip_to("\n")
        else:
            self._add(mark)
            self._position += 1

    def _add(self, text: str) -> None:
        if self._word is None:
            self._word, self._word_start = [], self._position
        self._word.append(text)

    def _skip_to(self, end: str, *, behind: bool = False) -> None:
        found = self._line.find(end, self._position)
        self._position = len(self._line) if found < 0 else found + len(end) * behind

    def _redirect(self, _: str) -> None:
        if self._line.startswith("<#", self._position):
            self._skip_to("#>", behind=True)
            return
        self._end_word()
        found = _REDIRECTION.match(self._line, self._position)
        length = len(found[0]) if found else 1
        self._is_target = found is not None and "&" not in found[0]
        self._position += length

    def _here_string(self, mark: str) -> None:
        found = _HERE.match(self._line, self._position)
        end = -1 if found is None else self._find(f"\n{found[1]}@", found.end() - 1)
        if found is None or end < 0:
            self._add(mark)
            self._position += 1
            return
        self._take(self._line[found.end() : end], is_plain=found[1] == "'")
        self._position = end + 3

    def _quote(self, mark: str) -> None:
        start = self._position + 1
        end = self._end_of_quote(mark, start)
        if end < 0:
            # Nobody knows what is a text from here on.
            self._end_command()
            self.commands += cut_roughly(self._line[start:])
            self._position = len(self._line)
            return
        text = self._line[start:end].replace(mark * 2, mark)
        self._take(text, is_plain=mark == "'")
        self._position = end + 1

    def _end_of_quote(self, mark: str, position: int) -> int:
        """Where a text ends; a mark written twice is a part of it."""
        line = self._line
        while position < len(line):
            if mark == '"' and (found := _IN_QUOTES.match(line, position)):
                position = found.end()
            elif mark == "'":
                position = line.find(mark, position)
                if position < 0:
                    return -1
            if line.startswith(mark * 2, position) or line.startswith("`", position):
                position += 2
            elif line.startswith(mark, position):
                return position
        return -1

    def _take(self, text: str, *, is_plain: bool) -> None:
        """A text in quotes is a part of a word; what it computes may run a command."""
        if self._word is None and not self._command.words:
            self._is_quoted = True
        self._add(text)
        if not is_plain and "$(" in text:
            for part in _computed(text):
                self.commands += scanned_powershell(part).commands

    def _find(self, end: str, start: int) -> int:
        """Where a text is; what is not there is looked for once."""
        found = -1 if end in self._endless else self._line.find(end, start)
        if found < 0:
            self._endless.add(end)
        return found

    def _end_word(self) -> None:
        if self._word is None:
            return
        text = "".join(self._word)
        self._word = None
        command = self._command
        command.end = self._position
        if self._is_target:
            self._is_target = False
            return
        if not command.words and not self._is_quoted:
            assigned = _ASSIGNED.fullmatch(text)
            if assigned is not None:
                text = assigned["value"]
            if not text or text.lower() in _RESERVED:
                return
            if text == ".":
                self._is_called = True
                return
        if text in _OPERATORS and len(command.words) == 1 and command.words[0].text[:1] in "$[":
            self._restart()  # what is assigned follows
            return
        if command.start < 0:
            command.start = self._word_start
        command.words.append(Word(text, self._word_start))

    def _restart(self) -> None:
        self._command = SimpleCommand()
        self._is_quoted = self._is_called = False

    def _separate(self, mark: str) -> None:
        if self._line.startswith("{}", self._position):
            self._add("{}")  # where xargs puts what it reads
            self._position += 2
            return
        is_double = self._line.startswith(("||", "&&"), self._position)
        if mark == "(" and self._is_called and self._word is None and not self._command.words:
            self._add(STAND_IN)  # what is called is computed
        self._end_command(is_pipe=mark == "|" and not is_double)
        self._is_called = mark == "&" and not is_double
        self._position += 2 if is_double else 1

    def _end_command(self, *, is_pipe: bool = False) -> None:
        self._end_word()
        command = self._command
        if command.words:
            command.raw = self._line[command.start : command.end]
            first = command.words[0].text
            is_value = self._is_quoted or _VALUE.match(first) is not None
            command.is_value = is_value and not self._is_called and not _STARTS.search(first)
            self.commands.append(command)
        self._restart()
        if is_pipe and command.words:
            self._command = fed_by(command)

    # What to do with each mark that is no part of a plain word; others are blanks.
    _readers: ClassVar[dict[str, Callable[[_Scanner, str], None]]] = {
        **dict.fromkeys("\n;|&(){}", _separate),
        **dict.fromkeys("'\"", _quote),
        **dict.fromkeys("<>", _redirect),
        "`": _escape,
        "#": _hash,
        "@": _here_string,
    }
