"""The clients whose sessions are to be broken: how each writes what all of them write.

A conversation is four records for every client: prompt, call, result, answer. So one test fits
them all, down to the numbers of lines.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import claude_sessions
import codex_sessions
import copilot_sessions
from hostile_sessions import line, lines

from pytest_agentv import ReadOptions, Transcript, dumps, load, read_transcripts
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
from pytest_agentv.adapters.codex.adapter import CodexAdapter
from pytest_agentv.adapters.copilot.adapter import CopilotAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from hostile_sessions import Json

    from pytest_agentv import SessionStream
    from pytest_agentv.adapters.base import Adapter

# Where raw JSON is put into a record that was written with this instead.
_PLACE = "\u2702"


@dataclass(frozen=True)
class Vendor:
    """A client, and its records."""

    name: str
    client: str
    adapter: Adapter
    # The records of a whole conversation: its prompt, the output of its call.
    write: Callable[[str, str], list[Json | bytes]]
    # One more prompt, and one more message of its own, whoever says it; numbered, because a
    # record that comes twice is taken for a copy.
    write_prompt: Callable[[str, int], Json | bytes]
    write_step: Callable[[str, int], Json | bytes]
    # A call with an id and arguments, and its result.
    write_call: Callable[[str, Any], Json | bytes]
    write_result: Callable[[str, str], Json | bytes]
    # Whether arguments are a text that holds JSON.
    quotes_arguments: bool = False

    def __str__(self) -> str:
        return self.name

    def conversation(self, prompt: str = "Build the shop", output: str = "built") -> list[Json]:
        """Prompt, call, result, answer: one record each."""
        return [_object(record) for record in self.write(prompt, output)]

    def prompt(self, words: str = "Now test it", number: int = 0) -> Json:
        """One more prompt."""
        return _object(self.write_prompt(words, number))

    def step(self, words: str, number: int) -> Json:
        """One more message."""
        return _object(self.write_step(words, number))

    def call(self, call_id: str, arguments: Any) -> Json:
        """A response that is one call of a shell."""
        return _object(self.write_call(call_id, arguments))

    def result(self, call_id: str, output: str) -> Json:
        """What a call returned."""
        return _object(self.write_result(call_id, output))

    def call_line(self, arguments: bytes, call_id: str = "toolu_9") -> bytes:
        """The line of a call whose arguments are JSON as it is given."""
        if self.quotes_arguments:
            return line(self.call(call_id, arguments.decode()))
        mark = json.dumps(_PLACE, ensure_ascii=False).encode()
        return line(self.call(call_id, _PLACE)).replace(mark, arguments)

    def around(self, middle: bytes) -> bytes:
        """The conversation with something between its call and its result."""
        records = self.conversation()
        return lines(records[:2]) + middle + lines(records[2:])

    def opened(self, path: Path, *, include_subagents: bool = False) -> SessionStream:
        """A session file as a stream."""
        options = ReadOptions(include_subagents=include_subagents)
        return self.adapter.read(refs_of(self.adapter, path)[0], options)

    def imported(self, session: Path | bytes, *, include_subagents: bool = False) -> Transcript:
        """A session, read; what is written of it must be readable again, and the same."""
        with tempfile.TemporaryDirectory() as folder:
            path = session if isinstance(session, Path) else Path(folder) / "session.jsonl"
            if isinstance(session, bytes):
                path.write_bytes(session)
            transcript = load(self.opened(path, include_subagents=include_subagents))
            written = Path(folder) / "written.jsonl"
            written.write_bytes(dumps(transcript))
            (again,) = read_transcripts(written)
            assert dumps(again) == dumps(transcript)
        return transcript


def _object(record: Json | bytes) -> Json:
    assert isinstance(record, dict)
    return record


def _claude(prompt: str, output: str) -> list[Json | bytes]:
    session = claude_sessions.Session()
    session.prompt(prompt)
    noted = {"durationMs": 1500}
    session.call("toolu_1", "Bash", {"command": "make"}, output, noted=noted)
    session.response("msg_2", claude_sessions.text("The shop is built."))
    return session.records


def _claude_prompt(words: str, number: int) -> Json | bytes:
    session = claude_sessions.Session()
    session.prompt(words, uuid=f"0000ffff-0000-4000-8000-{number:012}")
    return session.records[0]


def _claude_step(words: str, number: int) -> Json | bytes:
    session = claude_sessions.Session()
    session.response(f"step_{number}", claude_sessions.text(words), uuid=f"step {number}")
    return session.records[0]


def _claude_call(call_id: str, arguments: Any) -> Json | bytes:
    session = claude_sessions.Session()
    block = claude_sessions.tool_use(call_id, "Bash", arguments)
    session.response(f"of {call_id}", block, uuid=f"call {call_id}")
    return session.records[0]


def _claude_result(call_id: str, output: str) -> Json | bytes:
    session = claude_sessions.Session()
    session.tool_result(call_id, output, uuid=f"result {call_id}")
    return session.records[0]


def _codex_session() -> codex_sessions.Session:
    session = codex_sessions.Session()
    session.records.clear()
    return session


def _codex(prompt: str, output: str) -> list[Json | bytes]:
    session = _codex_session()
    session.user(prompt)
    session.wait(0.9)
    session.function("toolu_1", "exec_command", {"cmd": "make"})
    session.wait(0.9)
    session.output("toolu_1", output)
    session.wait(0.9)
    session.message("assistant", "The shop is built.")
    return session.records


def _codex_prompt(words: str, number: int) -> Json | bytes:
    session = _codex_session()
    session.message("user", words, id=f"prompt_{number}")
    return session.records[0]


def _codex_call(call_id: str, arguments: Any) -> Json | bytes:
    session = _codex_session()
    session.function(call_id, "exec_command", arguments)
    return session.records[0]


def _codex_result(call_id: str, output: str) -> Json | bytes:
    session = _codex_session()
    session.output(call_id, output)
    return session.records[0]


def _copilot(prompt: str, output: str) -> list[Json | bytes]:
    session = copilot_sessions.Session()
    session.user(prompt, transformedContent=None)
    session.assistant("", copilot_sessions.request("toolu_1", "bash", {"command": "make"}))
    session.tool_complete("toolu_1", output)
    session.assistant("The shop is built.")
    return session.events


def _copilot_prompt(words: str, number: int) -> Json | bytes:
    session = copilot_sessions.Session()
    return session.event("user.message", {"content": words}, id=f"prompt {number}")


def _copilot_step(words: str, number: int) -> Json | bytes:
    session = copilot_sessions.Session()
    data = {"messageId": f"step {number}", "content": words, "toolRequests": []}
    return session.event("assistant.message", data, id=f"step {number}")


def _copilot_call(call_id: str, arguments: Any) -> Json | bytes:
    session = copilot_sessions.Session()
    request = copilot_sessions.request(call_id, "bash", arguments)
    return session.assistant("", request, messageId=f"of {call_id}")


def _copilot_result(call_id: str, output: str) -> Json | bytes:
    return copilot_sessions.Session().tool_complete(call_id, output)


CLAUDE = Vendor(
    "claude", "Claude Code", ClaudeAdapter(),
    _claude, _claude_prompt, _claude_step, _claude_call, _claude_result,
)  # fmt: skip
CODEX = Vendor(
    "codex", "Codex", CodexAdapter(),
    _codex, _codex_prompt, _codex_prompt, _codex_call, _codex_result, quotes_arguments=True,
)  # fmt: skip
COPILOT = Vendor(
    "copilot", "Copilot", CopilotAdapter(),
    _copilot, _copilot_prompt, _copilot_step, _copilot_call, _copilot_result,
)  # fmt: skip
VENDORS = (CLAUDE, CODEX, COPILOT)
