"""A session as a tree: what sub-agents did stands below the call that started them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pytest_agentv.transcript.model import Message, ToolCall, Transcript

# Agents may start agents; deeper ones stand on the main thread, so that no tree is endless.
_DEEPEST = 20


@dataclass(slots=True)
class AgentNode:
    """What one sub-agent did."""

    agent_id: str
    depth: int
    messages: list[MessageNode | AgentNode] = field(default_factory=list)


@dataclass(slots=True)
class CallNode:
    """A tool call, and the agents that it is known to have started."""

    call: ToolCall
    agents: list[AgentNode] = field(default_factory=list)


@dataclass(slots=True)
class MessageNode:
    """A message with its number, counted from 1; agents of which one call is not known."""

    number: int
    message: Message
    calls: list[CallNode]
    agents: list[AgentNode] = field(default_factory=list)


Node: TypeAlias = MessageNode | AgentNode


def tree_of(transcript: Transcript) -> list[Node]:
    """The main thread of a session, with everything below it."""
    return _Planter().plant(transcript)


class _Planter:
    """Puts each message where it belongs."""

    def __init__(self) -> None:
        self._main: list[Node] = []
        self._agents: dict[str, AgentNode] = {}
        # By their ids: some clients name an agent by the call that started it.
        self._calls: dict[str, tuple[CallNode, int]] = {}
        self._last: MessageNode | None = None

    def plant(self, transcript: Transcript) -> list[Node]:
        for number, message in enumerate(transcript.output, 1):
            node = MessageNode(number, message, [CallNode(call) for call in message.tool_calls])
            agent = None if message.agent_id is None else self._agent(message.agent_id)
            (self._main if agent is None else agent.messages).append(node)
            for one in node.calls:
                if one.call.id is not None:
                    self._calls.setdefault(one.call.id, (one, 0 if agent is None else agent.depth))
            self._last = node
        return self._main

    def _agent(self, agent_id: str) -> AgentNode:
        if agent_id not in self._agents:
            place, depth = self._place(agent_id)
            self._agents[agent_id] = agent = AgentNode(agent_id, depth + 1)
            place.append(agent)
        return self._agents[agent_id]

    def _place(self, agent_id: str) -> tuple[list[AgentNode] | list[Node], int]:
        """Where a new agent belongs, and how deep that is.

        Adapters put its messages right after the message that started it, where that is known.
        """
        if agent_id in self._calls:
            call, depth = self._calls[agent_id]
            return (call.agents, depth) if depth < _DEEPEST else (self._main, 0)
        last = self._last
        tasks = [one for one in last.calls if one.call.kind == "task"] if last else []
        if last is None or not tasks:
            return self._main, 0
        by = last.message.agent_id
        depth = 0 if by is None else self._agents[by].depth
        if depth >= _DEEPEST:
            return self._main, 0
        # Of several calls nobody knows which one it was.
        return (tasks[0].agents if len(tasks) == 1 else last.agents), depth
