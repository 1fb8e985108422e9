"""Synthetic Codex sessions, record by record, in the keys and shapes the client writes.

Ids and times are made up but always the same, so a test can name them.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_agentv import Transcript

    # The fixture that reads a session, or a file of one.
    Read: TypeAlias = Callable[..., Transcript]

Json: TypeAlias = dict[str, Any]

START = datetime(2026, 3, 5, 12, tzinfo=timezone.utc)
MODEL = "gpt-5.3-codex"
CONTEXT = "<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>"


def uuid7(time: datetime, end: int = 1) -> str:
    """An id that begins with a time, as those of threads and turns do."""
    stamp = f"{int(time.timestamp() * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-7000-8000-{end:012x}"


SESSION_ID = uuid7(START)


def tokens(input_: int, output: int, *, cached: int = 0, reasoning: int = 0, **fields: int) -> Json:
    return {
        "input_tokens": input_,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input_ + output,
        **fields,
    }


def said(transcript: Transcript) -> list[tuple[str, str]]:
    """Who said what: a user message by its origin, any other by its role."""
    return [(message.origin or message.role, message.content) for message in transcript.output]


def ran(output: str, code: int = 0, seconds: str = "0.5") -> str:
    """The output of a command, as the tool `exec_command` gives it."""
    return (
        f"Chunk ID: a1b2c3\nWall time: {seconds} seconds\nProcess exited with code {code}\n"
        f"Original token count: 12\nOutput:\n{output}"
    )


def goes_on(output: str, session: int = 7) -> str:
    """The output of a command that is still running."""
    return (
        "Chunk ID: a1b2c3\nWall time: 10.0 seconds\n"
        f"Process running with session ID {session}\nOriginal token count: 12\nOutput:\n{output}"
    )


class Session:
    """A session file in the making; every method appends records.

    ``fields`` of a method replace a payload's keys or add to them.
    """

    def __init__(
        self,
        session_id: str = SESSION_ID,
        *,
        version: str = "0.140.0",
        cwd: str = "/home/dev/shop",
        git_branch: str = "main",
        model: str = MODEL,
        start: datetime = START,
        step: float = 0.1,
        **meta: Any,
    ) -> None:
        self.session_id = session_id
        self.model = model
        self.cwd = cwd
        self.now = start
        self._step = step
        self.records: list[Json | bytes] = []
        self.total = tokens(0, 0)
        self._turns = 0
        head = {
            "id": session_id,
            "timestamp": self.time(),
            "cwd": cwd,
            "originator": "codex-tui",
            "cli_version": version,
            "source": "cli",
            "model_provider": "openai",
            "base_instructions": {"text": "You are Codex."},
            "git": {"commit_hash": "0" * 40, "branch": git_branch},
        }
        self.record("session_meta", **{**head, **meta})

    def wait(self, seconds: float) -> None:
        """Let time pass; each record takes one step anyhow."""
        self.now += timedelta(seconds=seconds)

    def time(self) -> str:
        return f"{self.now.isoformat(timespec='milliseconds')[:-6]}Z"

    def record(self, type_: str, *, wrapper: Json | None = None, **payload: Any) -> None:
        wrapped = {"timestamp": self.time(), "type": type_, "payload": payload}
        self.records.append({**wrapped, **(wrapper or {})})
        self.wait(self._step)

    def raw(self, line: bytes) -> None:
        """Append a line as it is."""
        self.records.append(line)

    def item(self, type_: str, **fields: Any) -> None:
        self.record("response_item", type=type_, **fields)

    def event(self, type_: str, **fields: Any) -> None:
        self.record("event_msg", type=type_, **fields)

    def turn_id(self) -> str:
        return uuid7(self.now, self._turns)

    def turn(self) -> None:
        """What stands before a prompt."""
        self._turns += 1
        self.event("task_started", turn_id=self.turn_id(), model_context_window=258_400)
        self.record(
            "turn_context", cwd=self.cwd, model=self.model, summary="auto", approval_policy="never"
        )

    def message(self, role: str, *texts: str, **fields: Any) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text} for text in texts]
        self.item("message", **{"role": role, "content": content, **fields})

    def user(self, *texts: str) -> None:
        """A message of the user's role without an event, as injected ones are."""
        self.message("user", *texts)

    def prompt(self, text: str) -> None:
        self.user(text)
        self.event("user_message", message=text, images=[], local_images=[])

    def ask(self, text: str) -> None:
        """A turn and its prompt."""
        self.turn()
        self.prompt(text)

    def thought(self, *summary: str) -> None:
        for text in summary:
            self.event("agent_reasoning", text=text)
        parts = [{"type": "summary_text", "text": text} for text in summary]
        self.item("reasoning", summary=parts, content=None, encrypted_content="gAAAAA")

    def answer(self, text: str, **fields: Any) -> None:
        self.event("agent_message", message=text)
        self.message("assistant", text, **fields)

    def function(self, call_id: str, name: str, arguments: Any, **fields: Any) -> None:
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        self.item("function_call", name=name, arguments=written, call_id=call_id, **fields)

    def output(self, call_id: str, output: Any) -> None:
        self.item("function_call_output", call_id=call_id, output=output)

    def custom(self, call_id: str, name: str, text: str) -> None:
        self.item("custom_tool_call", status="completed", call_id=call_id, name=name, input=text)

    def custom_output(self, call_id: str, output: Any) -> None:
        self.item("custom_tool_call_output", call_id=call_id, output=output)

    def run(self, call_id: str, command: str, output: Any) -> None:
        """A command and its output."""
        self.function(call_id, "exec_command", {"cmd": command, "workdir": self.cwd})
        self.output(call_id, output)

    def count(self, total: Json, last: Json | None = None) -> None:
        info = {"total_token_usage": total, "last_token_usage": last or total}
        self.event("token_count", info=info, rate_limits=None)

    def used(self, last: Json) -> None:
        """The tokens of a response, added to the total so far."""
        self.total = {name: count + last.get(name, 0) for name, count in self.total.items()}
        self.count(self.total, last)

    def done(self, text: str | None = None) -> None:
        self.event("task_complete", turn_id=self.turn_id(), last_agent_message=text)

    def name(self) -> str:
        return f"rollout-{self.now:%Y-%m-%dT%H-%M-%S}-{self.session_id}.jsonl"

    def write(self, path: Path, *, final_newline: bool = True) -> Path:
        """Write the file, with the folders above it."""
        return write_lines(path, self.records, final_newline=final_newline)

    def write_in(self, folder: Path) -> Path:
        """Write the file under the name that the client gives it."""
        return self.write(folder / self.name())


def write_lines(path: Path, records: list[Json | bytes], *, final_newline: bool = True) -> Path:
    lines = [
        record
        if isinstance(record, bytes)
        else json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
        for record in records
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(lines) + (b"\n" if final_newline else b""))
    return path


def bare_session(*items: Json) -> list[Json | bytes]:
    """The records of a session of the first versions: no wrappers, no times."""
    head = {
        "id": "5e550000-0000-4000-8000-000000000001",
        "timestamp": "2025-08-23T17:12:10.588Z",
        "instructions": None,
        "git": {"commit_hash": "0" * 40, "branch": "main"},
    }
    return [head, {"record_type": "state"}, *items]
