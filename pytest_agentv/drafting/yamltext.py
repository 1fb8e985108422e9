"""Eval files as text: values that read back as they are, whatever a session held.

What is no plain word is quoted, and every character that is not printable is escaped. So no text
of a session can leave its place, be a template, steer a terminal or be a command to a CI system.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.scalars import Ambiguous, plain_scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WORD = re.compile(r"\.?[A-Za-z_][A-Za-z0-9_./-]*")
_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
# What the logs of CI systems take for a command: the second may stand anywhere in a line.
_CI_LINE = re.compile(r"^\s*::", re.MULTILINE)
_CI_COMMAND = re.compile(r"#(?=#[A-Za-z]*\[)")
_HIGHEST_SHORT = 0xFFFF
_BRACES = "{{ '{{' }}"


def literal(text: str) -> str:
    """A text in which no template is seen, though it may hold two braces."""
    return text.replace("{{", _BRACES)


def scalar(value: str | float) -> str:
    """A text or a number as it stands in YAML."""
    if not isinstance(value, str):
        return repr(value)
    return value if _is_plain(value) else f'"{_escaped(value)}"'


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def text_lines(key: str, text: str) -> Iterator[str]:
    """A key with a text, which keeps its lines if they can stand as they are."""
    lines = text.split("\n")
    if (
        len(lines) == 1
        or not all(map(str.isprintable, lines))
        # The first line says how far the block is indented, the last one how it ends.
        or not (lines[0].strip() and lines[-1].strip())
        or lines[0].startswith(" ")
        or _CI_LINE.search(text)
        or _CI_COMMAND.search(text)
    ):
        yield f"{scalar(key)}: {scalar(text)}"
        return
    yield f"{scalar(key)}: |-"
    yield from (f"  {line}" if line else "" for line in lines)


def entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """An entry of a list; one that holds a list itself takes a line for each of its members."""
    if not any(isinstance(value, list) for value in entry.values()):
        # The short form, which is one key, needs no braces.
        yield f"- {flow(entry)[1:-1]}" if len(entry) == 1 else f"- {flow(entry)}"
        return
    mark = "- "
    for key, value in entry.items():
        if isinstance(value, list):
            yield f"{mark}{scalar(key)}:"
            yield from (f"    - {flow(one)}" for one in value)
        else:
            yield f"{mark}{scalar(key)}: {flow(value)}"
        mark = "  "


def _is_plain(text: str) -> bool:
    if _WORD.fullmatch(text) is None:
        return False
    try:
        return bool(plain_scalar(text) == text)
    except Ambiguous:
        return False


def _escaped(text: str) -> str:
    # Half a character is none; eval files cannot hold one.
    whole = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
    return _CI_COMMAND.sub(r"\\x23", "".join(map(_character, whole)))


def _character(one: str) -> str:
    if one in _ESCAPES:
        return _ESCAPES[one]
    if one.isprintable():
        return one
    code = ord(one)
    return f"\\u{code:04x}" if code <= _HIGHEST_SHORT else f"\\U{code:08x}"
