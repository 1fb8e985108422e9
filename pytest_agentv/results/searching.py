"""Searching what was said and done in a session: texts only, never keys or metadata.

Texts are searched line by line, as grep does: a line that fits is one match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from pytest_agentv.graders.patterns import SearchClock, compiled, search
from pytest_agentv.graders.phrases import excerpt
from pytest_agentv.graders.scopes import texts_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import TypeAlias

    from pytest_agentv.transcript.model import Message, Transcript

    # Beginning and end of what is found in each line of a text.
    Finder: TypeAlias = Callable[[str], Iterator[tuple[int, int]]]

Part = Literal["text", "thinking", "tool-input", "tool-output"]
PARTS: tuple[Part, ...] = get_args(Part)
# Whose words the parts of a message are; its text is of the message's own role.
_ROLE_OF = {"thinking": "assistant", "tool-input": "assistant", "tool-output": "tool"}
ROLES = ("user", "assistant", "system", "tool")

# For all searches of one command that are not quick.
_SECONDS = 20.0


class Match(NamedTuple):
    """A line that fits, and where it stands."""

    # Number of the message from 1, line of the session.
    message: int
    line: int | None
    role: str
    part: Part
    tool: str | None
    agent_id: str | None
    excerpt: str


class _Text(NamedTuple):
    text: str
    part: Part
    line: int | None
    tool: str | None = None


def finder(pattern: str, *, is_regex: bool, ignore_case: bool) -> Finder:
    """How to search for a pattern; raises ValueError if it is none.

    What it gives raises NotGradable if a search takes too much time.
    """
    if not is_regex:
        return _literal(re.compile(re.escape(pattern), re.IGNORECASE if ignore_case else 0))
    flags = "i" if ignore_case else ""
    compiled(pattern, flags=flags)
    clock = SearchClock(_SECONDS)

    def find(text: str) -> Iterator[tuple[int, int]]:
        start = 0
        for line in text.split("\n"):
            if found := search(pattern, line, flags=flags, stopwatch=clock):
                yield start + found[0], start + found[1]
            start += len(line) + 1

    return find


def matches(
    transcript: Transcript,
    find: Finder,
    *,
    roles: Collection[str] = (),
    parts: Collection[str] = (),
) -> Iterator[Match]:
    """Every line of a transcript that fits, in order; of some roles and parts, if any are named."""
    for number, message in enumerate(transcript.output, 1):
        for text, part, line, tool in _texts(message):
            role = _ROLE_OF.get(part, message.role)
            if (roles and role not in roles) or (parts and part not in parts):
                continue
            for start, end in find(text):
                shown = excerpt(text, start, end)
                yield Match(number, line, role, part, tool, message.agent_id, shown)


def _literal(pattern: re.Pattern[str]) -> Finder:
    def find(text: str) -> Iterator[tuple[int, int]]:
        found = pattern.search(text)
        while found:
            yield found.span()
            following = text.find("\n", found.end())
            found = pattern.search(text, following) if following >= 0 else None

    return find


def _texts(message: Message) -> Iterator[_Text]:
    if message.thinking:
        yield _Text(message.thinking, "thinking", message.line)
    if message.content:
        yield _Text(message.content, "text", message.line)
    for call in message.tool_calls:
        for text in texts_in(call.input):
            yield _Text(text, "tool-input", call.line, call.tool)
        if call.output:
            yield _Text(call.output, "tool-output", call.line, call.tool)
