"""Calls as the adapters make them: of each client's tools, with what became of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_agentv import Message, Source, ToolCall, Transcript, read_transcripts
from pytest_agentv.transcript.tools import describe

CLIENTS = ("claude-cli", "codex-cli", "copilot-cli")
CWD = "/home/dev/shop"
_EXAMPLES = Path(__file__).parents[2] / "examples" / "transcripts" / "login-limit"
# The same session of every client.
EXAMPLES = {path.stem: path for path in sorted(_EXAMPLES.glob("*.jsonl"))}


def made(
    tool: str, native: Any = None, *, of: str = "claude-cli", status: str = "ok", **fields: Any
) -> ToolCall:
    """A call of a client's tool, with its kind and canonical arguments; it was answered."""
    kind, args = describe(tool, native, of)
    fields.setdefault("output", None if status == "unknown" else "")
    return ToolCall(tool=tool, kind=kind, input=native, args=args, status=status, **fields)


def ran(command: str, *, of: str = "claude-cli", **fields: Any) -> ToolCall:
    """A command, run by the shell tool of a client."""
    if of == "codex-cli":
        return made("exec_command", {"cmd": command}, of=of, **fields)
    return made("bash" if of == "copilot-cli" else "Bash", {"command": command}, of=of, **fields)


def session_of(
    *calls: ToolCall, of: str = "claude-cli", cwd: str | None = CWD, agent_id: str | None = None
) -> Transcript:
    """A session that made some calls, each in a message of its own."""
    messages = (
        Message(role="assistant", tool_calls=(call,), agent_id=agent_id, line=number)
        for number, call in enumerate(calls, 10)
    )
    prompt = Message(role="user", origin="human", content="Do it", line=1)
    return Transcript(source=Source(provider=of, cwd=cwd), output=(prompt, *messages))


def example(client: str) -> Transcript:
    """The example session of a client, as it was imported."""
    (transcript,) = read_transcripts(EXAMPLES[client])
    return transcript
