"""The history of a model: every request with its whole prompt, every response."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.adapters.aider.edits import edits_in
from pytest_agentv.adapters.clock import from_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pytest_agentv.adapters.told import Told

REQUEST = re.compile(r"(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*)\s*")
_ROLE = re.compile(r"(SYSTEM|USER|ASSISTANT|TOOL|FUNCTION)(?: (.*))?")
_NEXT = "-------"
# What Aider says in place of a person.
_INJECTED = (
    "I added these files to the chat:",
    "# Fix any",
    "The LLM did not conform",
    "# 1 SEARCH/REPLACE block",
    "Output from ",
    "I ran this command:",
    "I used your suggested commit message",
)
# What Aider appends to a prompt.
_RULES = re.compile(
    r"(?<!\n)\n+(?:# \*SEARCH/REPLACE block\* Rules:|# File editing rules:"
    r"|To suggest changes to a file you MUST return)"
)
_INJECTED_BLOCKS = re.compile(r"# \d+ SEARCH/REPLACE blocks? failed")


class Requests:
    """Reads the requests and responses of a model's history."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._role = ""
        self._texts: list[str] = []
        self._line = 1
        self._user: tuple[int, str] | None = None
        self._last_response = ""

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read it all."""
        time: datetime | None = None
        is_response = False
        for number, line in lines:
            if found := REQUEST.fullmatch(line):
                self._end(time, is_response=is_response)
                is_response, time = found[1] == "LLM RESPONSE", from_text(found[2])
            elif line == _NEXT:
                self._end_message()
            elif found := _ROLE.fullmatch(line):
                if found[1] != self._role:
                    self._end_message()
                    self._role, self._line = found[1], number
                self._texts.append(found[2] or "")
            elif line.strip():
                self._told.drift.note("line without a role", number)
        self._end(time, is_response=is_response)

    def _end_message(self) -> None:
        """Of a request the last thing a person says is new; all else was said before."""
        if self._role == "USER":
            self._user = self._line, "\n".join(self._texts)
        self._role, self._texts = "", []

    def _end(self, time: datetime | None, *, is_response: bool) -> None:
        if is_response:
            text = "\n".join(self._texts)
            self._told.assistant(text, line=self._line, time=time)
            self._last_response = text.strip()
            for path, content in edits_in(text).items():
                self._told.call("edit", {"path": path, "content": content}, line=self._line)
        else:
            self._end_message()
            if self._user is not None:
                line, text = self._user
                rules = _RULES.search(text)
                text = text if rules is None else text[: rules.start()]
                self._told.left_out["rules of editing"] += rules is not None
                self._told.user(text, origin=self._origin(text), line=line, time=time)
        self._role, self._texts, self._user = "", [], None

    def _origin(self, text: str) -> str:
        """An architect's plan is given to an editor as if a person had typed it."""
        is_plan = bool(self._last_response) and text.strip() == self._last_response
        is_injected = text.startswith(_INJECTED) or _INJECTED_BLOCKS.match(text)
        return "injected" if is_plan or is_injected else "human"
