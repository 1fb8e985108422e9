"""Transcripts that Cursor keeps: what was said, and which tools were called.

They have nothing of what came back. They are lines of JSON, before 2026 a text for people.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.elements import split_elements
from pytest_agentv.adapters.records import RecordFile, shown
from pytest_agentv.adapters.values import blocks_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.told import Told

_FOLDER = re.compile(r"^Workspace Path: (\S.{0,4095})$", re.MULTILINE)
_CONTEXT = re.compile(r"\s*<[a-z_-]{1,64}>")
_REDACTED = "[REDACTED]"
_PASSED = ("turn_ended", "metadata")

_SPEAKER = re.compile(r"(user|assistant|A):\s*")
_MARKER = re.compile(r"\[(Thinking|Tool call|Tool result)\] ?(.*)")
_ARGUMENT = re.compile(r"  (\w{1,64}): ?(.*)")


class _Message(msgspec.Struct, gc=False):
    content: Any = None


class Line(msgspec.Struct, gc=False):
    """A record of a transcript."""

    role: str | None = None
    message: _Message | None = None
    type: str | None = None
    status: str | None = None
    error: Any = None


def read_lines(path: Path, told: Told, *, agent_id: str | None = None) -> None:
    """Tell a transcript in lines of JSON."""
    with RecordFile(path, Line, told.drift) as file:
        for (_, _, line), record in file.records():
            content = record.message.content if record.message else None
            if record.role == "user":
                hear(told, text_of(content), line, agent_id)
            elif record.role == "assistant":
                _say(told, content, line, agent_id)
            elif record.type == "turn_ended" and record.status == "error":
                told.system(text_of(record.error) or "The turn ended with an error.", line=line)
            elif record.type in _PASSED:
                told.left_out[f"{record.type} record"] += 1
            else:
                told.drift.note(f"record type {shown(record.type or record.role)}", line)


def hear(told: Told, text: str, line: int, agent_id: str | None = None) -> None:
    """What a person typed stands in a tag of its own; around it is context."""
    if told.cwd is None and (found := _FOLDER.search(text)):
        told.cwd = found[1].strip()
    context, queries = split_elements(text, "user_query")
    if queries:
        told.left_out["context of a prompt"] += bool(context.strip())
        told.user("\n\n".join(queries), line=line, agent_id=agent_id)
    else:
        origin = "injected" if _CONTEXT.match(text) else "human"
        told.user(text, origin=origin, line=line, agent_id=agent_id)


def _say(told: Told, content: Any, line: int, agent_id: str | None) -> None:
    objects = blocks_of(content)
    texts = [text_of(block) for block in objects if block.get("type") == "text"]
    told.left_out["redacted text"] += sum(text.strip() == _REDACTED for text in texts)
    thoughts = [text_of(one.get("thinking")) for one in objects if one.get("type") == "thinking"]
    told.assistant(
        "\n\n".join(text for text in texts if text and text.strip() != _REDACTED),
        thinking="\n\n".join(filter(None, thoughts)) or None,
        line=line,
        agent_id=agent_id,
    )
    for block in objects:
        kind = block.get("type")
        if kind == "tool_use" and isinstance(block.get("name"), str):
            id_ = block.get("id")
            named = id_ if isinstance(id_, str) else None
            told.call(block["name"], block.get("input"), id=named, line=line)
        elif kind == "tool_result":
            call = told.waiting()
            if call is None:
                told.drift.note("tool result without a call", line)
                continue
            flag = block.get("is_error")
            is_error = flag if isinstance(flag, bool) else None
            told.answer(call, text_of(block.get("content")), is_error=is_error)
        elif kind not in ("text", "thinking"):
            told.drift.note(f"content of type {shown(kind)}", line)


class Text:
    """Tells a transcript that is a text: speakers, thoughts and calls stand on lines."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._speaker = ""
        self._line = 1
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[tuple[int, str, dict[str, str]]] = []
        self._results: list[list[str]] = []
        # Where the next line belongs.
        self._into: list[str] = self._texts
        self._argument: str | None = None

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read it all."""
        for number, line in lines:
            if found := _SPEAKER.fullmatch(line):
                self._end()
                self._speaker, self._line = found[1], number
            elif self._speaker != "user" and (found := _MARKER.fullmatch(line)):
                self._mark(found[1], found[2].strip(), number)
            elif self._argument is not None:
                self._add_argument(line)
            else:
                if not line.strip() and self._into is not self._texts:
                    self._into = self._texts  # a blank line ends thoughts and results
                self._into.append(line)
        self._end()

    def _mark(self, kind: str, rest: str, line: int) -> None:
        self._argument = None
        if kind == "Thinking":
            self._into = self._thoughts
            self._thoughts.append(rest)
        elif kind == "Tool call":
            self._calls.append((line, rest, {}))
            self._results.append([])
            self._argument = ""
        elif self._results:
            self._into = self._results[-1]

    def _add_argument(self, line: str) -> None:
        arguments = self._calls[-1][2]
        if found := _ARGUMENT.fullmatch(line):
            self._argument = found[1]
            arguments[found[1]] = found[2]
        elif self._argument:
            arguments[self._argument] += f"\n{line}"

    def _end(self) -> None:
        text = "\n".join(self._texts).strip()
        if self._speaker == "user":
            if text:
                hear(self._told, text, self._line)
        elif text or self._calls or self._thoughts:
            thinking = "\n".join(self._thoughts).strip()
            self._told.assistant(text, thinking=thinking or None, line=self._line)
            for (line, name, arguments), result in zip(self._calls, self._results, strict=True):
                given = {key: value.rstrip("\n") for key, value in arguments.items()}
                call = self._told.call(name or "unknown", given, line=line)
                output = "\n".join(result).strip()
                if output:
                    self._told.answer(call, output)
        self._texts, self._thoughts, self._calls, self._results = [], [], [], []
        self._into, self._argument = self._texts, None
