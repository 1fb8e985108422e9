"""Entries of a session as they are printed: for people, as Markdown, or as a line of JSON each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.cli.console import put, put_json_line
from pytest_agentv.cli.screen import is_plain, screen_width, show
from pytest_agentv.report.arguments import given
from pytest_agentv.report.clean import clean, one_line
from pytest_agentv.report.figures import duration, moment
from pytest_agentv.report.markdown import code, fence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_agentv.views.entries import Entry

_STYLES = {
    "user": "bold green",
    "assistant": "bold cyan",
    "system": "bold yellow",
    "tool_call": "bold blue",
    "tool_result": "blue",
}
# What people talk about is shown at more length than what tools print.
_SAID_LENGTH, _SAID_LINES = 4_000, 60
_TOOL_LENGTH, _TOOL_LINES = 1_000, 12
_THOUGHT_LENGTH, _THOUGHT_LINES = 400, 4
_INDENT = "  "


def printer(format_: str, *, full: bool) -> Callable[[Entry], None]:
    """What prints an entry in a format; with ``full`` nothing is left out for people."""
    if format_ == "json":
        return _put_as_json
    return _put_as_markdown if format_ == "markdown" else _TextPrinter(full=full)


class _TextPrinter:
    """Entries for people: in colours on a screen, plain in a pipe."""

    def __init__(self, *, full: bool) -> None:
        self._full = full
        self._is_first = True

    def __call__(self, entry: Entry) -> None:
        blank = [] if self._is_first else [""]
        self._is_first = False
        heading = _heading(entry)
        body = [*self._body(entry)]
        if is_plain():
            put("\n".join([*blank, heading, *body]))
            return
        from rich.text import Text  # noqa: PLC0415 (only for somebody who looks)

        shown = Text("\n".join([*blank, ""]))
        shown.append(heading, _STYLES.get(entry.role, "bold"))
        shown.append("".join(f"\n{line}" for line in body))
        show(shown, width=screen_width() or len(heading))

    def _body(self, entry: Entry) -> Iterator[str]:
        is_of_tool = entry.tool_call is not None or entry.tool_result is not None
        if entry.thinking:
            yield f"{_INDENT}(thinking)"
            yield from self._lines(entry.thinking, _THOUGHT_LENGTH, _THOUGHT_LINES)
        text = entry.text
        if entry.tool_call is not None and (self._full or not text):
            text = given(entry.tool_call.input)
        if text and entry.thinking:
            yield ""
        if text and is_of_tool:
            yield from self._lines(text, _TOOL_LENGTH, _TOOL_LINES)
        elif text:
            yield from self._lines(text, _SAID_LENGTH, _SAID_LINES)

    def _lines(self, text: str, length: int, most: int) -> Iterator[str]:
        kept = text if self._full else "\n".join(text[:length].split("\n", most)[:most])
        yield from (f"{_INDENT}{line}".rstrip() for line in clean(kept).rstrip("\n").split("\n"))
        left_out = len(text.rstrip()) - len(kept)
        if left_out > 0:
            yield f"{_INDENT}… {left_out:,} more characters; --full shows them"


def _put_as_json(entry: Entry) -> None:
    put_json_line(msgspec.to_builtins(entry))


def _put_as_markdown(entry: Entry) -> None:
    """A heading, and below it every text as code: nothing in it is a heading, a link or HTML."""
    parts = [f"## {' '.join(map(code, _facts(entry)))}"]
    if entry.thinking:
        parts += ["Thinking:", _fenced(entry.thinking)]
    text = entry.text if entry.tool_call is None else given(entry.tool_call.input)
    if text:
        parts.append(_fenced(text))
    put("\n\n".join(parts) + "\n")


def _fenced(text: str) -> str:
    ticks = fence(text)
    return f"{ticks}text\n{text.rstrip()}\n{ticks}"


def _heading(entry: Entry) -> str:
    return _INDENT.join(_facts(entry))


def _facts(entry: Entry) -> list[str]:
    """Who it was, when, and what is known besides."""
    who = entry.role if entry.origin in (None, "human") else f"{entry.role} ({entry.origin})"
    facts = [who, moment(entry.timestamp, form="%Y-%m-%d %H:%M:%S")]
    if entry.tool_call is not None:
        facts.append(entry.tool_call.name)
    elif entry.tool_result is not None:
        result = entry.tool_result
        facts += [result.name, result.status]
        facts.append(None if result.exit_code is None else f"exit {result.exit_code}")
        facts.append(duration(result.duration_ms))
    else:
        facts.append(entry.model)
    facts.append(None if entry.agent_id is None else f"agent {entry.agent_id}")
    return [one_line(fact, limit=80) for fact in facts if fact]
