"""Simple commands of a shell line: what stands between ``&&``, ``|``, ``;`` and brackets.

Quotes, substitutions, comments and here-documents are understood as shells do. Where a line cannot
be read for sure, rather too many commands are found than too few: none may hide. One pass, without
recursion, because lines come from sessions and may be long or broken on purpose.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pytest_agentv.graders.shell_parts import (
    STAND_IN,
    Document,
    Level,
    Scanned,
    SimpleCommand,
    Word,
    cut_roughly,
    end_of_dollar_quote,
    unescaped,
)
from pytest_agentv.graders.shell_pipes import fed_by

if TYPE_CHECKING:
    from collections.abc import Callable

# After so many words and marks the rest of a line is cut at every mark, quotes or not.
MAX_TOKENS = 50_000
# Deeper substitutions are read as if they stood in a row.
_MAX_DEPTH = 16
# Each search for the end of a here-document that has none looks at all of the line.
_MAX_ENDLESS = 10

_PLAIN = re.compile(r"[^\s'\"\\`$()<>;&|#]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_REDIRECTION = re.compile(r"<<<|<<-?|>>|>\||[<>]&|<>|[<>]")
_END_OF_LINE = re.compile(r"\n")
_END_IN_BACKTICKS = re.compile(r"[\n`]")
_ESCAPED_IN_QUOTES = frozenset('"\\$`')


def scanned(line: str, *, is_text: bool = False) -> Scanned:
    """The simple commands of a line; of a text, those of its substitutions only."""
    scanner = _Scanner(line, is_text=is_text)
    scanner.run()
    return Scanned(scanner.commands, scanner.texts)


class _Scanner:
    def __init__(self, line: str, *, is_text: bool) -> None:
        self.commands: list[SimpleCommand] = []
        self.texts: list[str] = []
        self._line = line
        self._position = 0
        self._is_text = is_text
        self._levels = [Level(in_quotes=is_text)]
        self._level = self._levels[0]
        self._awaited: list[Document] = []
        self._endless = 0
        self._quote_start = 0
        self._has_no_quote = False

    def run(self) -> None:
        """Read the whole line."""
        end = len(self._line)
        tokens = 0
        while self._position < end and tokens < MAX_TOKENS:
            tokens += 1
            if self._level.in_quotes:
                self._read_quoted()
            else:
                self._read()
        is_open = any(level.in_quotes for level in self._levels[self._is_text :])
        while len(self._levels) > 1:
            self._end_command()
            self._close()
        if not self._is_text:
            self._end_command()
        if is_open or self._position < end:
            start = self._quote_start if is_open else self._position
            # No shell runs a line with an open quote.
            self.commands += cut_roughly(self._line[start:], are_values=self._position >= end)

    def _read_quoted(self) -> None:
        found = _PLAIN_IN_QUOTES.match(self._line, self._position)
        if found:
            self._add(found[0])
            self._position = found.end()
            return
        mark = self._line[self._position]
        if mark == '"' and not (self._is_text and len(self._levels) == 1):
            self._level.in_quotes = False
            self._position += 1
        elif mark == "\\":
            after = self._line[self._position + 1 : self._position + 2]
            self._add(
                "" if after == "\n" else after if after in _ESCAPED_IN_QUOTES else f"\\{after}"
            )
            self._position += 2
        elif mark == "`":
            self._backtick()
        elif self._line.startswith("$(", self._position):
            self._open(2, ")")
        else:
            self._add(mark)
            self._position += 1

    def _read(self) -> None:
        found = _PLAIN.match(self._line, self._position)
        if found:
            self._add(found[0])
            self._position = found.end()
            return
        mark = self._line[self._position]
        if mark.isspace() and mark != "\n":
            self._end_word()
            self._position += 1
        else:
            self._readers[mark](self, mark)

    def _add(self, text: str, *, is_quoted: bool = False) -> None:
        level = self._level
        if level.word is None:
            level.word, level.word_start = [], self._position
            level.is_quoted = False
        level.word.append(text)
        level.is_quoted = level.is_quoted or is_quoted

    def _quote(self, mark: str) -> None:
        after = self._position + 1
        if mark == "\\":
            following = self._line[after : after + 1]
            if following == "`" and self._level.closer == "`":
                self._end_command()  # a substitution inside another one
            elif following != "\n":
                self._add(following, is_quoted=True)
            self._position = after + 1
        elif mark == '"':
            self._add("", is_quoted=True)
            self._level.in_quotes = True
            self._quote_start = after
            self._position = after
        else:
            end = -1 if self._has_no_quote else self._line.find("'", after)
            self._has_no_quote = end < 0
            self._add("'" if end < 0 else self._line[after:end], is_quoted=True)
            self._position = after if end < 0 else end + 1

    def _dollar(self, _: str = "") -> None:
        if self._line.startswith("$(", self._position):
            self._open(2, ")")
        elif self._line.startswith("$'", self._position):
            self._dollar_quote()
        else:
            self._add("$")
            self._position += 1

    def _dollar_quote(self) -> None:
        start = self._position + 2
        end = end_of_dollar_quote(self._line, start)
        if end is None:
            self._has_no_quote = True
            self._add("$")
            self._position += 1
        else:
            self._add(unescaped(self._line[start:end]), is_quoted=True)
            self._position = end + 1

    def _hash(self, _: str = "") -> None:
        if self._level.word is not None:
            self._add("#")
            self._position += 1
            return
        # Between backticks a comment ends with them.
        ends = _END_IN_BACKTICKS if self._level.closer == "`" else _END_OF_LINE
        found = ends.search(self._line, self._position)
        self._position = len(self._line) if found is None else found.start()

    def _backtick(self, _: str = "") -> None:
        if self._level.closer == "`":
            self._level.in_quotes = False
            self._end_command()
            self._position += 1
            self._close()
        else:
            self._open(1, "`")

    def _open(
        self,
        length: int,
        closer: str,
        *,
        is_part: bool = True,
        is_list: bool = False,
        fed: SimpleCommand | None = None,
    ) -> None:
        """A list in brackets; as a part of a word it is a substitution."""
        if len(self._levels) >= _MAX_DEPTH:
            self._level.in_quotes = False
            self._end_command()
            self._position += length
            return
        if is_part:
            self._add(STAND_IN)
        self._position += length
        # What is substituted in arithmetic is a list of commands again.
        is_arithmetic = (self._level.is_arithmetic and not is_part) or (
            closer == ")" and self._line.startswith("(", self._position)
        )
        self._level = Level(closer, is_arithmetic=is_arithmetic, is_list=is_list, fed=fed)
        self._levels.append(self._level)

    def _bracket(self, mark: str) -> None:
        level = self._level
        is_list = level.word is not None and level.word[-1].endswith("=")
        if mark == ")" and level.cases:
            level.end_pattern()
        command = level.command
        self._end_command()
        if mark == "(":
            fed = None if command.words else command
            self._open(1, ")", is_part=False, is_list=is_list, fed=fed)
            return
        self._position += 1
        if level.closer == ")" and not level.cases:
            self._close()

    def _close(self) -> None:
        self._levels.pop()
        self._level = self._levels[-1]

    def _redirect(self, _: str = "") -> None:
        level = self._level
        if self._line.startswith(("<(", ">("), self._position):
            self._open(2, ")")
            return
        if level.word is not None and not level.is_quoted and "".join(level.word).isdigit():
            level.word = None  # the number of what is redirected
        self._end_word()
        if level.is_arithmetic:
            self._position += 1
            return
        found = _REDIRECTION.match(self._line, self._position)
        level.redirection = found[0] if found else ""
        self._position += len(level.redirection)

    def _end_word(self) -> None:
        level = self._level
        if level.word is None:
            return
        text = "".join(level.word)
        level.word = None
        level.command.end = self._position
        redirection, level.redirection = level.redirection, ""
        if redirection == "<<<" or (redirection == "<" and text == STAND_IN):
            level.command.documents = [text]
        elif redirection.startswith("<<"):
            tabs = redirection.endswith("-")
            # Of several documents, and of a document and a pipe, the last one is read.
            level.command.documents = []
            awaited = Document(text, tabs, level.is_quoted, level.command.documents)
            self._awaited.append(awaited)
        elif not redirection:
            if level.command.start < 0:
                level.command.start = level.word_start
            level.command.words.append(Word(text, level.word_start))
            if not level.is_quoted:
                level.count_case(text)

    def _end_command(self, *, is_pipe: bool = False) -> None:
        self._end_word()
        level = self._level
        level.redirection = ""
        command = level.command
        if command.words:
            command.raw = self._line[command.start : command.end]
            command.is_value = command.is_value or level.is_arithmetic or level.is_list
            self.commands.append(command)
        level.command = fed_by(command) if is_pipe else level.next()

    def _end_command_by(self, mark: str) -> None:
        if mark == "&" and self._line.startswith("&>", self._position):
            self._end_word()
            self._position += 1
            return
        is_pipe = mark == "|" and not self._line.startswith("||", self._position)
        self._end_command(is_pipe=is_pipe)
        doubled = ("|&",) if is_pipe else (mark * 2,)
        self._position += 2 if self._line.startswith(doubled, self._position) else 1

    def _end_line(self, _: str = "") -> None:
        self._end_word()
        # What a pipe leads to may stand on another line.
        if self._level.command.words or self._level.command.feeder is None:
            self._end_command()
        self._position += 1
        awaited, self._awaited = self._awaited, []
        for document in awaited:
            self._read_document(document)

    def _read_document(self, document: Document) -> None:
        if self._endless >= _MAX_ENDLESS:
            return
        found = document.last_line.search(self._line, self._position - 1)
        if found is None:
            # No text of a document then: it is read as commands, which is the safe side.
            self._endless += 1
            return
        text = self._line[self._position : max(self._position, found.start())]
        document.texts.append(text)
        if not document.is_literal and ("$(" in text or "`" in text):
            self.texts.append(text)
        self._position = found.end()

    # What to do with each mark that is no part of a plain word.
    _readers: ClassVar[dict[str, Callable[[_Scanner, str], None]]] = {
        "\n": _end_line,
        **dict.fromkeys("'\"\\", _quote),
        **dict.fromkeys(";&|", _end_command_by),
        **dict.fromkeys("<>", _redirect),
        **dict.fromkeys("()", _bracket),
        "`": _backtick,
        "$": _dollar,
        "#": _hash,
    }
