"""One run of a chat history: Markdown for people, with what was typed, said and shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.adapters.aider.edits import edits_in
from pytest_agentv.adapters.aider.runs import PROMPT, SHOWN, Lines
from pytest_agentv.adapters.spending import usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pytest_agentv.adapters.conversation import OpenMessage
    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

_TOKENS = re.compile(
    r"Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?"
    r", ([\d.,]+[kM]?) received\."
)
_COST = re.compile(r"Cost: \$[\d.]+ (?:message|send), \$([0-9]{1,9}(?:\.[0-9]{1,20})?) session\.")
_MODEL = re.compile(r"(?:Main model|Models?): (\S+)(?: with|,|$)")
_VERSION = re.compile(r"Aider v(\d\S*)")
_EDITED, _RUNNING = "Applied edit to ", "Running "
# A question of the console, answered in words that it did not expect.
_QUESTION = re.compile(r"\? \(Y\)es/\(N\)o")
_COMMANDS = ("/", "!")


class Chat:
    """Reads one run of a chat history."""

    def __init__(self, told: Told, time: datetime | None) -> None:
        self._told = told
        self._time = time
        self._prompt: list[str] = []
        self._answer: list[str] = []
        self._line = 1
        # A response whose tokens may still be stated, and the one said last.
        self._pending: tuple[int, str] | None = None
        self._message: OpenMessage | None = None
        self._costs_known = True

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read it all."""
        whose = Lines()
        for number, line in lines:
            kind = whose.kind_of(line)
            if kind == "typed":
                self._say()
                self._line = self._line if self._prompt else number
                self._prompt.append(line[len(PROMPT) :].rstrip())
            elif kind == "shown":
                self._hear()
                self._say()
                self._shown(line.removeprefix(SHOWN.rstrip()).strip(), number)
            else:
                self._hear()
                if line.strip() or self._answer:
                    self._line = self._line if self._answer else number
                    self._answer.append(line)
        self._hear()
        self._say()
        self._respond()
        self._told.started = self._told.ended = self._time
        if not self._costs_known:
            self._told.cost_usd = None

    def _hear(self) -> None:
        if not self._prompt:
            return
        self._respond()
        text = "\n".join(self._prompt)
        is_command = text.startswith(_COMMANDS) or _QUESTION.search(text)
        self._told.user(text, origin="command" if is_command else "human", line=self._line)
        self._prompt, self._message = [], None

    def _say(self) -> None:
        text = "\n".join(self._answer).strip("\n")
        self._answer = []
        if text.strip():
            self._respond()
            self._pending = self._line, text

    def _respond(self, usage: Usage | None = None) -> None:
        """What was said is a response, now that it is known whether its tokens are stated."""
        if self._pending is not None:
            line, text = self._pending
            self._message = self._told.assistant(
                text, line=line, model=self._told.model, usage=usage
            )
            self._pending = None

    def _shown(self, text: str, line: int) -> None:
        """A line of the console."""
        told = self._told
        if found := _TOKENS.match(text):
            self._respond(_usage(found))
            self._cost(text[found.end() :], is_expected=True)
        elif text.startswith("Cost: "):
            self._cost(text, is_expected=False)
        elif text.startswith((_EDITED, _RUNNING)):
            self._respond()
            self._done(text, line)
        elif found := _MODEL.match(text):
            told.model = found[1].rstrip(",")
        elif found := _VERSION.match(text):
            told.version = found[1]
        else:
            told.left_out["line of the console"] += 1

    def _done(self, text: str, line: int) -> None:
        """Something was done for the last response; what a person asked for is none of its."""
        message = self._message
        if message is None:
            self._told.left_out["line of the console"] += 1
        elif text.startswith(_EDITED):
            path = text.removeprefix(_EDITED)
            content = edits_in("\n".join(message.texts)).get(path)
            given = {"path": path} if content is None else {"path": path, "content": content}
            self._told.answer(self._told.call("edit", given, line=line), text, status="ok")
        else:
            self._told.call("shell", {"command": text.removeprefix(_RUNNING)}, line=line)

    def _cost(self, text: str, *, is_expected: bool) -> None:
        """The cost of the run so far; if a response has none, it is unknown."""
        found = _COST.search(text)
        if found is not None:
            self._told.cost_usd = float(found[1])
            self._costs_known = True
        elif is_expected:
            self._costs_known = False


def _usage(found: re.Match[str]) -> Usage | None:
    """Tokens of a response, rounded as the console rounds them."""
    return usage_of(
        input=_number(found[1]),
        cache_write=_number(found[2]),
        cached=_number(found[3]),
        output=_number(found[4]),
    )


def _number(text: str | None) -> int | None:
    if not text:
        return None
    factor = {"k": 1000, "M": 1_000_000}.get(text[-1], 1)
    try:
        return round(float(text.rstrip("kM").replace(",", "")) * factor)
    except (ValueError, OverflowError):
        return None
