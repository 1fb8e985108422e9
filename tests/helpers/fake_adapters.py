"""An adapter for a made-up vendor: it keeps its contract, or breaks the part a test asks for.

A session is a file of JSON lines, ``{"fake": "user", "text": "hello"}``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv import (
    Head,
    Message,
    ReadOptions,
    SessionError,
    SessionRef,
    SessionSummary,
    Source,
    Tail,
    ToolCall,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SESSION = b"""\
{"fake": "user", "text": "List the files"}
{"fake": "assistant", "text": "a.txt is there"}
"""


@dataclass(frozen=True)
class FakeStream:
    """A session that was read."""

    head: Head
    conversation: tuple[Message, ...]
    tail: Tail = field(default_factory=Tail)

    def messages(self) -> Iterator[Message]:
        return iter(self.conversation)


class FakeAdapter:
    """Reads sessions of a vendor that does not exist."""

    tested = ("1.0", "1.0")

    def __init__(self, name: str = "fake", *, marker: str = "fake") -> None:
        """``marker`` is the key by which it knows its records."""
        self.name = name
        self.provider = f"{name}-cli"
        self._marker = marker

    def home(self, environ: Mapping[str, str]) -> Path | None:
        del environ
        return None

    def claims(self, path: Path) -> bool:
        return any(self._records(path.read_bytes()))

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        del home, project
        return iter(())

    def summarize(self, ref: SessionRef) -> SessionSummary:
        del ref
        return SessionSummary()

    def read(self, ref: SessionRef, options: ReadOptions) -> FakeStream:
        del options
        records = list(self._records(ref.path.read_bytes()))
        if not records:
            raise SessionError("holds no message")
        messages = tuple(self.message(record) for record in records)
        prompts = [one.content for one in messages if one.origin == "human"]
        first = prompts[0] if prompts else None
        return FakeStream(Head(source=Source(provider=self.provider), input=first), messages)

    def message(self, record: dict[str, Any]) -> Message:
        """One record as a message; the assistant's makes a call."""
        if record[self._marker] == "user":
            return Message(role="user", origin="human", content=record["text"])
        return Message(role="assistant", content=record["text"], tool_calls=(self.call(),))

    def call(self) -> ToolCall:
        return ToolCall(
            tool="sh",
            kind="shell",
            input={"cmd": "ls"},
            args={"command": "ls"},
            output="a.txt",
            status="ok",
            exit_code=0,
        )

    def _records(self, content: bytes) -> Iterator[dict[str, Any]]:
        for line in content.split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and self._marker in record:
                yield record


class Changed(FakeAdapter):
    """Its calls and messages have fields that a test puts in."""

    def __init__(
        self, *, message: dict[str, Any] | None = None, call: dict[str, Any] | None = None
    ) -> None:
        super().__init__()
        self._message = message or {}
        self._call = call or {}

    def message(self, record: dict[str, Any]) -> Message:
        message = super().message(record)
        if message.role == "user":
            return message
        return msgspec.structs.replace(message, **self._message)

    def call(self) -> ToolCall:
        return msgspec.structs.replace(super().call(), **self._call)
