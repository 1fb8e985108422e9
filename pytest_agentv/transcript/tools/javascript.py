"""The calls that a piece of JavaScript makes on one object, as far as its text alone says.

Nothing is run and nothing is guessed: an argument that is no literal is None, and a use of the
object that is no plain call makes the whole code unclear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.transcript.tools.javascript_tokens import (
    CLOSING,
    END,
    MARK,
    NAME,
    OPENING,
    TEXT,
    VALUE,
    tokens_of,
)

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.javascript_tokens import Token

# Arguments of tools are flat; what is nested deeper than this is not looked at.
_MAX_DEPTH = 8

# Ways to reach an object without its name.
_HIDDEN_ACCESS = frozenset({"eval", "Function", "globalThis", "constructor", "Reflect"})


class Call(NamedTuple):
    """One call, with its first argument as JSON data; what is no literal is None."""

    name: str
    argument: Any


class Calls(NamedTuple):
    """All calls on an object, and all literal texts of the code."""

    calls: list[Call]
    texts: list[str]
    clear: bool  # whether these are surely all calls


def calls_on(target: str, code: str) -> Calls:
    """The calls of methods of ``target`` in JavaScript code."""
    tokens, clear = tokens_of(code)
    calls: list[Call] = []
    for position, token in enumerate(tokens):
        if token[0] != NAME:
            continue
        if token[1] in _HIDDEN_ACCESS:
            clear = False
        elif token[1] == target and tokens[position - 1] not in ((MARK, "."), (MARK, "?.")):
            name, after = _method(tokens, position + 1)
            if name is not None:
                calls.append(Call(name, _argument(tokens, after, target)))
            elif not _only_looked_at(tokens, position):
                clear = False
    return Calls(calls, [text for kind, text in tokens if kind == TEXT], clear)


def _method(tokens: list[Token], position: int) -> tuple[str | None, int]:
    """The name in ``.name`` or ``["name"]`` and where the code goes on; None for any other use."""
    first, second, third = tokens[position : position + 3]
    if first == (MARK, "?.") and second == (MARK, "["):
        return _method(tokens, position + 1)
    if first[0] == MARK and first[1] in (".", "?.") and second[0] == NAME:
        return second[1], position + 2
    if first == (MARK, "[") and second[0] == TEXT and third == (MARK, "]"):
        return second[1], position + 3
    return None, position


def _only_looked_at(tokens: list[Token], position: int) -> bool:
    """Whether the names of the methods are asked for, as in ``Object.keys(target)``."""
    before = tokens[max(position - 2, 0) : position]
    if before[-1:] in ([(NAME, "typeof")], [(NAME, "in")]):
        return True
    return before == [(NAME, "keys"), (MARK, "(")] and tokens[position + 1] == (MARK, ")")


def _argument(tokens: list[Token], position: int, target: str) -> Any:
    """The first argument of the call that begins at a position, None if it is not all literal."""
    if tokens[position] == (MARK, "?."):
        position += 1
    if tokens[position] != (MARK, "("):
        return None
    literal = _Literal(tokens, position + 1, target)
    try:
        return literal.value((",", ")"), 0)
    except _NoLiteralError:
        return None


class _NoLiteralError(Exception):
    """The argument holds something that makes all of it unknown."""


class _Literal:
    """Reads one literal out of tokens.

    It stops at another use of the target: so no token is read for more than one call.
    """

    def __init__(self, tokens: list[Token], position: int, target: str) -> None:
        self._tokens = tokens
        self._position = position
        self._target = target

    def value(self, ends: tuple[str, ...], depth: int) -> Any:
        """The value up to one of the marks in ``ends``, None if it is an expression."""
        kind, text = token = self._tokens[self._position]
        found: Any = None
        if kind == TEXT:
            self._position += 1
            found = text
        elif token == (MARK, "{") and depth < _MAX_DEPTH:
            self._position += 1
            found = self._object(depth + 1)
        elif token == (MARK, "[") and depth < _MAX_DEPTH:
            self._position += 1
            found = self._list(depth + 1)
        return found if self._skip(ends) else None

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._at("}"):
            kind, key = self._tokens[self._position]
            self._position += 1
            if kind not in (NAME, TEXT, VALUE):
                # A computed name or the fields of another object: they may be any field.
                raise _NoLiteralError
            if self._at(":"):
                found[key] = self.value((",", "}"), depth)
            else:
                found[key] = None  # the short form takes the value of a variable
                self._skip((",", "}"))
            self._at(",")
        return found

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while not self._at("]"):
            found.append(self.value((",", "]"), depth))
            self._at(",")
        return found

    def _at(self, mark: str) -> bool:
        """Whether a mark stands here; it is passed if so."""
        if self._tokens[self._position] != (MARK, mark):
            return False
        self._position += 1
        return True

    def _skip(self, ends: tuple[str, ...]) -> bool:
        """Go to the next of some marks outside all brackets; whether it stood right here."""
        start = self._position
        open_brackets = 0
        while True:
            token = self._tokens[self._position]
            if token in (END, (NAME, self._target)):
                raise _NoLiteralError
            if token[0] == MARK:
                if not open_brackets and token[1] in ends:
                    return self._position == start
                open_brackets += (token[1] in OPENING) - (token[1] in CLOSING)
            self._position += 1
