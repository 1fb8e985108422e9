"""The public names as a user's own code has them: mypy checks this file, a test runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_agentv
from pytest_agentv import (
    Adapter,
    AgentvError,
    Attachment,
    Drift,
    Head,
    Message,
    ReadOptions,
    SessionError,
    SessionRef,
    SessionStream,
    SessionSummary,
    Source,
    Tail,
    TokenUsage,
    ToolCall,
    Transcript,
    TranscriptError,
    Usage,
    dumps,
    hookimpl,
    load,
    read_heads,
    read_transcripts,
    write_stream,
)
from pytest_agentv.testing import AdapterCheck, check_adapter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from typing_extensions import assert_type
else:

    def assert_type(value: Any, _: Any) -> Any:
        return value


class EchoStream:
    """A stream that an author of an adapter writes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def head(self) -> Head:
        return Head(source=Source(provider="echo-cli"), input="hello")

    def messages(self) -> Iterator[Message]:
        yield Message(role="user", origin="human", content="hello")
        yield Message(
            role="assistant",
            content=self._path.name,
            usage=Usage(input=1, output=2),
            tool_calls=(ToolCall(tool="echo", kind="shell", args={"command": "echo"}),),
            attachments=(Attachment(kind="image", size=3),),
        )

    @property
    def tail(self) -> Tail:
        return Tail(token_usage=TokenUsage(input=1, output=2), drift={"odd": 1})


class EchoAdapter:
    """An adapter that an author of a plugin writes."""

    name = "echo"
    provider = "echo-cli"
    tested = ("1.0", "1.0")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        return Path(environ["HOME"]) if "HOME" in environ else None

    def claims(self, path: Path) -> bool:
        return path.suffix == ".echo"

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        for path in (project or home).glob("*.echo"):
            yield SessionRef(path.stem, path, size=1, modified=0.0)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        return SessionSummary(first_prompt="hello", project=str(ref.path.parent))

    def read(self, ref: SessionRef, options: ReadOptions) -> SessionStream:
        assert_type(options.include_subagents, bool)
        if not ref.path.exists():
            raise SessionError("is gone")
        return EchoStream(ref.path)


@hookimpl
def agentv_adapters() -> Iterable[Adapter]:
    return [EchoAdapter()]


def read_one(path: Path) -> Transcript:
    """Read a session through the plugin's own hook."""
    (adapter,) = agentv_adapters()
    assert_type(adapter, Adapter)
    stream = adapter.read(SessionRef(path.stem, path), ReadOptions(include_subagents=True))
    assert_type(stream, SessionStream)
    return assert_type(load(stream), Transcript)


def ask(transcript: Transcript) -> list[str]:
    """Ask everything that can be asked."""
    assert_type(transcript.test_id, "str | None")
    assert_type(transcript.source.provider, str)
    assert_type(transcript.output, "tuple[Message, ...]")
    assert_type(transcript.token_usage, "TokenUsage | None")
    assert_type(transcript.cost_usd, "float | None")
    assert_type(transcript.drift, "dict[str, int]")
    assert_type(transcript.final_answer, "str | None")
    assert_type(transcript.prompts, "tuple[str, ...]")
    assert_type(transcript.messages(role="user", origin="human"), "tuple[Message, ...]")
    calls = transcript.tool_calls("shell", command="echo*", status="unknown")
    assert_type(calls, "tuple[ToolCall, ...]")
    call = calls[0]
    assert_type(call.command, "str | None")
    assert_type(call.paths, "tuple[str, ...]")
    assert_type(call.failed, bool)
    assert_type(call.is_tool("echo"), bool)
    message = assert_type(transcript.message_of(call), Message)
    assert_type(transcript.before(call), "tuple[Message | ToolCall, ...]")
    assert_type(transcript.after(message), "tuple[Message | ToolCall, ...]")
    assert_type(transcript.between(message, call), "tuple[Message | ToolCall, ...]")
    return [call.tool, message.content]


def write(file: BinaryIO, path: Path) -> tuple[int, int]:
    """Stream a session into a file."""
    written = write_stream(file, EchoStream(path), test_id="t")
    return written.messages, written.tool_calls


def read_back(path: Path, transcript: Transcript) -> tuple[list[Transcript], list[Head]]:
    """Write a transcript and read it and its head."""
    path.write_bytes(assert_type(dumps(transcript), bytes))
    return list(read_transcripts(path)), list(read_heads(path))


def refuse(path: Path) -> str:
    """See an error as a user sees it."""
    try:
        return str(list(read_transcripts(path)))
    except TranscriptError as error:
        return error.message
    except AgentvError as error:
        return str(error)


checks: AdapterCheck = check_adapter
drift: Drift = pytest_agentv.Drift()
