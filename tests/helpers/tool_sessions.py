"""Sessions that are nothing but tool calls, each said in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv import Message, Source, ToolCall, Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

_ARGUMENT = {"shell": "command", "read": "path", "edit": "path", "write": "path", "search": "query"}
_NATIVE = {
    "claude-cli": {"shell": "Bash", "read": "Read", "edit": "Edit", "write": "Write"},
    "codex-cli": {"shell": "exec_command", "read": "read_file", "edit": "apply_patch"},
    "copilot-cli": {"shell": "bash", "read": "view", "edit": "edit", "write": "create"},
}
_KEYS = {"Read": "file_path", "Edit": "file_path", "Write": "file_path", "exec_command": "cmd"}


def made(said: str, *, provider: str = "claude-cli", **fields: Any) -> ToolCall:
    """A call by its kind and its argument, as in ``shell npm test``, in a client's words."""
    kind, _, argument = said.partition(" ")
    tool = _NATIVE[provider].get(kind, kind)
    name = _ARGUMENT.get(kind, "query")
    args = {name: argument} if argument else {}
    native = {_KEYS.get(tool, name): argument} if argument else {}
    return ToolCall(**{"tool": tool, "kind": kind, "input": native, "args": args, **fields})


def calls(
    *said: str | ToolCall, provider: str = "claude-cli", cwd: str | None = None
) -> Transcript:
    """A session with one call in each message; message 1 is the prompt."""
    every = [made(one, provider=provider) if isinstance(one, str) else one for one in said]
    return Transcript(
        source=Source(provider=provider, cwd=cwd), output=(_PROMPT, *_messages(every))
    )


def _messages(every: Sequence[ToolCall]) -> list[Message]:
    return [Message(role="assistant", tool_calls=(one,)) for one in every]


_PROMPT = Message(role="user", origin="human", content="Do it", line=1)
