"""Writing to people and to pipes: nothing out of a session may steer a terminal or a CI log."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any

import click

from pytest_agentv.report.clean import clean

# C0 and C1 controls except tab and newline, DEL, the marks that turn text around, surrogates.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
# What GitHub, Azure and TeamCity take for a command anywhere in a line.
_CI_COMMAND = re.compile(r"(##[A-Za-z]*)\[")


def say(text: str) -> None:
    """Tell a person something: standard error, so that a pipe gets results only."""
    click.echo(clean(text), err=True)


def put(text: str) -> None:
    """Print a result."""
    click.echo(clean(text))


def put_json(value: Any) -> None:
    """Print a result as JSON."""
    click.echo(json_text(value))


def put_json_line(value: Any) -> None:
    """Print one of many results as JSON, on a line of its own."""
    click.echo(json_text(value, indent=None))


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """A value as JSON for standard output or error."""
    import json  # noqa: PLC0415 (most commands print no JSON)

    text = json.dumps(value, indent=indent, ensure_ascii=not _is_utf8(), allow_nan=False)
    # Escaped, not replaced: what a program reads is exact, and yet nothing steers a terminal.
    escaped = _UNPRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return _CI_COMMAND.sub(r"\1\\u005b", escaped)


def count(number: int, noun: str) -> str:
    """So many of something, in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def open_missing_streams() -> None:
    """Give a program that was started without standard streams, as by some daemons, empty ones."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 (stays open)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def tolerate_few_characters() -> None:
    """Print what the output's encoding has no character for as `?` instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def shows_progress() -> bool:
    """Whether somebody is watching."""
    return sys.stderr.isatty()


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
