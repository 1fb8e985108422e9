"""Sub-agents of a session: in files of their own, or as side chains in the session's file.

Their messages come right after the message whose call spawned them; those whose call is unknown
come last. Which call it was, the call's result says, or a progress record, or a side file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from pytest_agentv.transcript.model import Message

    Reader: TypeAlias = Callable[[], Iterator[Message]]

_PREFIX = "agent-"
_FOLDER = "subagents"
_MAX_META = 1 << 20
# Agents may spawn agents; a longer chain than this is no real one, its end is told last.
_MAX_NESTING = 20


class _Meta(msgspec.Struct, rename="camel"):
    tool_use_id: str | None = None


class SubAgents:
    """The sub-agents of one session, each told once."""

    def __init__(self, find: Callable[[str], Reader | None]) -> None:
        """``find`` looks for an agent that was not made known."""
        self._find = find
        self._told_already: set[str] = set()
        self._readers: dict[str, Reader] = {}
        self._of_call: dict[str, list[str]] = {}
        self._of_prompt: dict[str, list[str]] = {}
        self._nesting = 0

    def add(self, agent: str, read: Reader, *, prompt: str | None = None) -> None:
        """Make an agent known; ``prompt`` is what it was told, where nothing better links it."""
        self._readers[agent] = read
        if prompt is not None:
            self._of_prompt.setdefault(prompt, []).append(agent)

    def link(self, agent: str, call_id: str) -> None:
        """Note that a call spawned an agent."""
        agents = self._of_call.setdefault(call_id, [])
        if agent not in agents:
            agents.append(agent)

    def after(self, message: Message) -> Iterator[Message]:
        """Messages of the agents that a message's calls spawned."""
        for call in message.tool_calls:
            for agent in self._of_call.get(call.id or "", ()):
                yield from self._told(agent)
            # Side chains of old versions name no call; each call gets the next one it fits.
            waiting = self._of_prompt.get(call.args.get("content", ""))
            if waiting and call.kind == "task":
                yield from self._told(waiting.pop(0))

    def rest(self) -> Iterator[Message]:
        """Messages of all agents not told yet."""
        for agent in sorted(self._readers):
            yield from self._told(agent)

    def _told(self, agent: str) -> Iterator[Message]:
        if self._nesting >= _MAX_NESTING or agent in self._told_already:
            return
        read = self._readers.pop(agent, None) or self._find(agent)
        if read is None:
            return
        self._told_already.add(agent)
        self._nesting += 1
        for message in read():
            # What an agent was told is no person's prompt.
            origin = "injected" if message.origin == "human" else message.origin
            yield msgspec.structs.replace(message, agent_id=agent, origin=origin)
            yield from self.after(message)
        self._nesting -= 1


def session_folder(file: Path) -> Path:
    """The folder of a session, by its file or by that of one of its sub-agents."""
    if file.name.startswith(_PREFIX):
        for folder in file.parents:
            if folder.name == _FOLDER:
                return folder.parent
    return file.with_suffix("")


def agent_files(session: Path) -> dict[str, Path]:
    """Files of the sub-agents of a session, by agent id."""
    folder = session.with_suffix("") / _FOLDER
    paths = sorted(folder.glob(f"**/{_PREFIX}*.jsonl"))
    return {path.stem.removeprefix(_PREFIX): path for path in reversed(paths)}


def sibling_agent_file(session: Path, agent: str) -> Path | None:
    """The file of an agent beside its session, where versions before 2.1 put it."""
    path = session.parent / f"{_PREFIX}{agent}.jsonl"
    return path if agent.isalnum() and path.is_file() else None


def spawning_call(agent_file: Path) -> str | None:
    """The id of the call that spawned an agent, if a side file says so."""
    try:
        with open_regular(agent_file.with_suffix(".meta.json")) as file:
            return msgspec.json.decode(file.read(_MAX_META), type=_Meta).tool_use_id
    except (SessionError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
