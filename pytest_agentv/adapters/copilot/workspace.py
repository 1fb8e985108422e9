"""The file ``workspace.yaml`` that lies beside a session's events: where it runs and its name.

It is a dozen flat lines that the client writes itself. They are taken apart here, because a YAML
engine costs more than all of the rest at start-up and more care with hostile input.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "workspace.yaml"
_MAX_SIZE = 1 << 16
_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(?:[ \t]+(.*))?\Z")
_BLOCK = re.compile(r"[|>][+-]?[0-9]?[ \t]*\Z")
_NOTHING = ("", "~", "null")


class Workspace(msgspec.Struct):
    """What the file says, as far as it is of use."""

    cwd: str | None = None
    git_root: str | None = None
    branch: str | None = None
    name: str | None = None
    summary: str | None = None


def workspace_of(path: Path) -> Workspace:
    """The workspace of a session whose events are in a folder of their own."""
    if path.name != "events.jsonl":
        return Workspace()
    try:
        with open_regular(path.with_name(_NAME)) as file:
            text = file.read(_MAX_SIZE).decode("utf-8-sig", "replace")
    except (SessionError, OSError):
        return Workspace()
    values = _values(text)
    return Workspace(**{name: values.get(name) for name in Workspace.__struct_fields__})


def _values(text: str) -> dict[str, str | None]:
    entries: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.split("\n"):
        key = _KEY.match(line.rstrip("\r"))
        if key is not None:
            lines = entries[key[1]] = [key[2] or ""]
        else:  # the next line of a longer text; before the first key of none
            lines.append(line.strip())
    return {key: _scalar(first, rest) for key, (first, *rest) in entries.items()}


def _scalar(first: str, rest: list[str]) -> str | None:
    """A text from the line with its key and those after it."""
    if _BLOCK.match(first):
        return ("\n" if first.startswith("|") else " ").join(rest).strip() or None
    value = " ".join([first, *rest]).strip()
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        return _unquoted(value)
    value = value.partition(" #")[0].rstrip()
    return None if value in _NOTHING else value


def _unquoted(value: str) -> str:
    try:
        return msgspec.json.decode(value, type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError):  # an escape that only YAML has
        return value[1:-1]
