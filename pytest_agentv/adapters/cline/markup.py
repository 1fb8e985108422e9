"""The texts of the older eras.

Calls are tags in what the model says, results and prompts stand in what it is told.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from pytest_agentv.adapters.cline.tools import TOOLS
from pytest_agentv.adapters.elements import split_elements

# A tag opens a call if a parameter follows: a model may also speak of a tool.
_OPENING = re.compile(rf"<({'|'.join(sorted(TOOLS))})>(?=\s*<\w+>)|<(thinking)>")
_PARAMETER = re.compile(r"\s*<(\w{1,64})>")
# Values that may hold tags themselves: they end at the last closing tag.
_LONG_VALUES = frozenset({"content", "diff", "result", "response"})
_NESTED = frozenset({"args", "file"})
_MAX_DEPTH = 4
_INTERRUPTED = re.compile(r"(?<!\s)\s*\[Response interrupted by [^\]\n]{0,200}\]\s*\Z")

_HEADING = re.compile(r"\[(\w{1,64})(?=\]| for |\. )")
_HEADING_END = "] Result:"
_NOT_RUN = re.compile(r"Tool \[(\w{1,64})\] was not executed")

_TYPED = ("task", "feedback", "user_message", "answer")
_USER_INPUT = re.compile(r"<user_input[^<>]{0,80}>(.*?)</user_input>", re.DOTALL)
_SURROUNDINGS, _SURROUNDINGS_END = "<environment_details>", "</environment_details>"
# What the client adds to nearly every message, besides.
_REMINDERS = ("# task_progress", "# TODO LIST", "# Todo List", "REMINDERS\n")
_INJECTED = (
    "[TASK RESUMPTION]",
    "[ERROR]",
    "[NOTE]",
    "[[NOTE]",
    "Files attached by the user",
    "(The user did not provide",
    "<file_content",
    "<folder_content",
    "<explicit_instructions",
    "New instructions for task continuation",
    "New message to respond to",
)


class Spoken(NamedTuple):
    """What a model says: texts, thoughts, and calls with their parameters."""

    texts: list[str]
    thoughts: list[str]
    calls: list[tuple[str, dict[str, Any]]]


def spoken(text: str) -> Spoken:
    """Take a response apart."""
    found = Spoken([], [], [])
    text = _INTERRUPTED.sub("", text)
    position = 0
    while opening := _OPENING.search(text, position):
        tag = opening[1] or opening[2]
        _add(found.texts, text[position : opening.start()])
        end = text.find(f"</{tag}>", opening.end())
        # Without an end the response was cut off; the client ran such calls.
        body = text[opening.end() : end] if end >= 0 else text[opening.end() :]
        position = end + len(tag) + 3 if end >= 0 else len(text)
        if tag == "thinking":
            _add(found.thoughts, body)
        else:
            found.calls.append((tag, _parameters(body)))
    _add(found.texts, text[position:])
    return found


def _add(texts: list[str], text: str) -> None:
    if text.strip():
        texts.append(text.strip())


def _parameters(body: str, depth: int = 0) -> dict[str, Any]:
    """The tags of a call as an object; a tag that comes again makes a list."""
    found: dict[str, Any] = {}
    position = 0
    while opening := _PARAMETER.match(body, position):
        name, start = opening[1], opening.end()
        closing = f"</{name}>"
        end = body.rfind(closing, start) if name in _LONG_VALUES else body.find(closing, start)
        raw = body[start:end] if end >= 0 else body[start:]
        position = end + len(closing) if end >= 0 else len(body)
        is_nested = name in _NESTED or (name == "diff" and raw.lstrip().startswith("<content>"))
        value: Any = raw.strip("\r\n") if name in _LONG_VALUES else raw.strip()
        if is_nested and depth < _MAX_DEPTH:
            value = _parameters(raw, depth + 1)
        if name not in found:
            found[name] = value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]
    return found


def headed(text: str) -> tuple[str, str] | None:
    """The tool that a result is of, and what it says in the same text."""
    heading = _HEADING.match(text)
    if heading is None:
        return None
    end = text.find(_HEADING_END, heading.end())
    return (heading[1], text[end + len(_HEADING_END) :].strip("\r\n")) if end >= 0 else None


def not_run(text: str) -> str | None:
    """The tool that a text says was not run, because another one had been."""
    found = _NOT_RUN.match(text)
    return None if found is None else found[1]


def typed_in(text: str) -> list[str]:
    """What a person typed, by the tags that the client puts around it."""
    _, typed = split_elements(text, *_TYPED)
    return typed


def has_more(text: str) -> bool:
    """Whether a text holds more than what a person typed, and the words that introduce it."""
    rest, _ = split_elements(text, *_TYPED)
    return "<" in rest


def without_wrapping(text: str) -> str:
    """A prompt of the newest era without the tag around it."""
    found = _USER_INPUT.match(text.strip())
    return text if found is None else found[1].strip()


def split_surroundings(text: str) -> tuple[str, str]:
    """A text, and what the client says of the editor behind it."""
    if not text.rstrip().endswith(_SURROUNDINGS_END):
        return text, ""
    start = text.rfind(_SURROUNDINGS)
    return (text[:start], text[start:]) if start >= 0 else (text, "")


def is_reminder(text: str) -> bool:
    """Whether the client adds a text again and again."""
    return text.lstrip().startswith(_REMINDERS)


def is_injected(text: str) -> bool:
    """Whether the client says something in place of a person."""
    return text.lstrip().startswith(_INJECTED)
