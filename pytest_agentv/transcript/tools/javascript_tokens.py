"""Cuts JavaScript into tokens; texts in quotes come decoded.

It takes one pass and time in proportion to the code, however broken that is. The one hard question
is whether a slash divides or begins a regular expression, which may hold quotes. Where the token
before does not answer it, the code is said to be not clear.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.jsontext import well_formed

if TYPE_CHECKING:
    from typing import TypeAlias

Token: TypeAlias = tuple[str, str]

# Kinds of tokens. A value is a number, a regular expression, or a template with code in it.
NAME, TEXT, MARK, VALUE = "name", "text", "mark", "value"
END: Token = (MARK, "")
OPENING = frozenset({"(", "[", "{", "${"})
CLOSING = frozenset({")", "]", "}"})

# Longer or finer-grained code is not read: models write some hundred lines, and one hostile cell
# must not take seconds. A long text in quotes is one token.
MAX_CODE = 1 << 20
MAX_TOKENS = 100_000

_TOKEN = re.compile(
    r"[\s\ufeff]*(?:((?:[^\W\d]|\$)[\w$]*)|(\d[\w.]*)|//[^\n\r\u2028\u2029]*"
    r"|(<!--|-->|\?\.|\.\.\.|\+\+|--|=>|/\*|[^\s\w]))?"
)
_IS_NAME, _IS_NUMBER, _IS_MARK = 1, 2, 3
# A name may be written with escapes, and old scripts know comments of HTML.
_UNCLEAR_MARKS = frozenset({"\\", "<!--", "-->"})
_PLAIN_MARKS = frozenset(".,:;=?+-*<>!&|%~^@#") | {"?.", "...", "=>"}
_TEXT_STOPS = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]")}
_TEMPLATE_STOP = re.compile(r"[`\\]|\$\{")
_REGEX_STOP = re.compile(r"[/\\\[\]\n]")
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))"
)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
    "\n": "", "\r\n": "", "\r": "", "\u2028": "", "\u2029": "",
}  # fmt: skip
_LAST_CHARACTER = 0x10FFFF

# A slash after these begins a regular expression, though it divides after other names.
_BEFORE_REGEX = frozenset(
    {
        "await", "case", "delete", "do", "else", "in", "instanceof", "new",
        "of", "return", "throw", "typeof", "void", "yield",
    }
)  # fmt: skip
# And so it does after the condition of these.
_WITH_CONDITION = frozenset({"if", "while", "for", "with"})
_STRING_RAW = [(NAME, "String"), (MARK, "."), (NAME, "raw")]


def tokens_of(code: str) -> tuple[list[Token], bool]:
    """Tokens without blanks and comments, and whether all of the code was understood.

    Three end marks stand behind them, so that a look ahead needs no look at the length.
    """
    scanner = _Scanner(code)
    clear = len(code) <= MAX_CODE and scanner.run()
    return [*scanner.tokens, END, END, END], clear


class _Scanner:
    def __init__(self, code: str) -> None:
        self.tokens: list[Token] = []
        self._code = code
        self._position = 0
        # Per open bracket: itself, and whether a slash behind the closing one divides.
        self._open: list[tuple[str, bool]] = []
        # Whether a slash here divides; None if that is not known.
        self._after_value: bool | None = False
        self._clear = True

    def run(self) -> bool:
        """Read all code; whether it was understood."""
        end = len(self._code)
        while (
            self._position < end
            and len(self.tokens) < MAX_TOKENS
            and (found := _TOKEN.match(self._code, self._position))
        ):
            self._position = found.end()
            kind = found.lastindex
            if kind == _IS_NAME:
                self._add(NAME, found[1], after_value=found[1] not in _BEFORE_REGEX)
            elif kind == _IS_NUMBER:
                self._add(VALUE, found[2], after_value=True)
            elif kind == _IS_MARK:
                self._mark(found[3])
        return self._clear and not self._open and self._position >= end

    def _add(self, kind: str, text: str, *, after_value: bool | None) -> None:
        self.tokens.append((kind, text))
        self._after_value = after_value

    def _mark(self, mark: str) -> None:
        if mark in _PLAIN_MARKS:
            self._add(MARK, mark, after_value=False)
        elif mark in _TEXT_STOPS:
            self._quoted(mark)
        elif mark == "`":
            self._template(is_rest=False)
        elif mark == "/*":
            self._comment()
        elif mark == "/" and self._after_value is False:
            self._regex()
        elif mark in OPENING:
            self._opening(mark)
        elif mark in CLOSING:
            self._closing(mark)
        else:
            self._add_unsure(mark)

    def _add_unsure(self, mark: str) -> None:
        if mark in _UNCLEAR_MARKS or (mark == "/" and self._after_value is None):
            self._clear = False
        # A counter may stand before a value or behind it.
        self._add(MARK, mark, after_value=None if mark in ("++", "--") else False)

    def _opening(self, mark: str) -> None:
        kind, before = self.tokens[-1] if self.tokens else END
        self._open.append((mark, not (kind == NAME and before in _WITH_CONDITION)))
        self._add(MARK, mark, after_value=False)

    def _closing(self, mark: str) -> None:
        opening, divides = self._open.pop() if self._open else ("", True)
        # An object may end here or a block.
        self._add(MARK, mark, after_value=None if mark == "}" else divides)
        if opening == "${":
            self._template(is_rest=True)

    def _comment(self) -> None:
        end = self._code.find("*/", self._position)
        if end < 0:
            self._clear = False
        self._position = len(self._code) if end < 0 else end + 2

    def _quoted(self, quote: str) -> None:
        end = self._end(_TEXT_STOPS[quote])
        self._add(TEXT, _decoded(self._code[self._position : end]), after_value=True)
        self._position = end + 1

    def _template(self, *, is_rest: bool) -> None:
        """The text of a template up to its end, or up to code inside it."""
        is_raw = not is_rest and self.tokens[-3:] == _STRING_RAW
        is_tagged = not is_raw and self._after_value is True
        end = self._end(_TEMPLATE_STOP)
        text = self._code[self._position : end]
        has_code = self._code.startswith("${", end)
        if is_raw:
            del self.tokens[-3:]  # they are a part of the literal
        kind = VALUE if is_rest or is_tagged or has_code else TEXT
        self._add(kind, text if is_raw else _decoded(text), after_value=True)
        self._position = end + 1
        if has_code:
            self._position += 1
            self._opening("${")

    def _regex(self) -> None:
        in_class = False
        position = self._position
        while found := _REGEX_STOP.search(self._code, position):
            stop = found[0]
            position = found.end() + (stop == "\\")
            if stop == "\n" or (stop == "/" and not in_class):
                break
            in_class = stop == "[" or (in_class and stop != "]")
        if found is None or found[0] == "\n":
            self._clear = False
        self._position = position
        self._add(VALUE, "", after_value=True)

    def _end(self, stops: re.Pattern[str]) -> int:
        """Where a text ends that begins here."""
        position = self._position
        while found := stops.search(self._code, position):
            if found[0] != "\\":
                return found.start()
            position = found.end() + 1
        self._clear = False
        return len(self._code)


def _decoded(text: str) -> str:
    if "\\" not in text:
        return text
    return well_formed(_ESCAPE.sub(_character, text))


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code is None:
        return _ESCAPED.get(escape[4], escape[4])
    number = int(code, 16)
    return chr(number) if number <= _LAST_CHARACTER else "\ufffd"
