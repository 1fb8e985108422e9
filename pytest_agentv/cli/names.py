"""Names of sessions that a command is given: as arguments, or with ``-`` on standard input."""

from __future__ import annotations

import sys

import click

_STANDARD_INPUT = "-"


def names_given(*names: str) -> list[str]:
    """The names, each once; for ``-`` those on the lines of standard input."""
    found = []
    for name in names:
        found += _lines() if name == _STANDARD_INPUT else [name]
    return list(dict.fromkeys(found))


def _lines() -> list[str]:
    try:
        lines = [line.rstrip("\r\n") for line in sys.stdin]
    except UnicodeDecodeError as exc:
        raise click.UsageError("what comes on standard input is no text.") from exc
    found = [line for line in lines if line.strip()]
    if not found:
        raise click.UsageError("there is no name of a session on standard input.")
    return found
