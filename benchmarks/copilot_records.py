"""The events of a Copilot session (1.0.64): envelope, keys, their order, ids and time.

Every event names the one before it, but some of those were never stored. Events of a sub-agent
carry its id. Knows nothing about what is said in the session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from session_file import SessionFile
from synthetic_text import ROOT, quoted

if TYPE_CHECKING:
    from random import Random

    from copilot_tools import Exchange

_VERSION = "1.0.64"
_NOT_STORED = 0.04
"""Share of events whose parent was shown but never stored."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one model: `cached` and `cache_write` are in `input`, `reasoning` in `output`."""

    requests: int = 0
    input: int = 0
    cached: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            self.requests + other.requests,
            self.input + other.input,
            self.cached + other.cached,
            self.cache_write + other.cache_write,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )

    def json(self) -> str:
        """Return it as a shutdown event states it."""
        return (
            f'{{"requests":{{"count":{self.requests},"cost":{self.requests // 9}}},'
            f'"usage":{{"inputTokens":{self.input},"outputTokens":{self.output},'
            f'"cacheReadTokens":{self.cached},"cacheWriteTokens":{self.cache_write},'
            f'"reasoningTokens":{self.reasoning}}},"totalNanoAiu":0}}'
        )


@dataclass(frozen=True)
class Speaker:
    """Who works: the main agent, or a sub-agent in the name of the call that started it."""

    model: str
    interaction_id: str
    agent_id: str | None = None

    @property
    def parent_call(self) -> str:
        """Return the key that the data of a sub-agent's events end with."""
        return f',"parentToolCallId":"{self.agent_id}"' if self.agent_id else ""


class Recorder(SessionFile):
    """Appends events to one file and keeps the parent chain."""

    def __init__(self, out: BinaryIO, rng: Random, *, session_id: str | None) -> None:
        super().__init__(out, rng, session_id=session_id)
        self._last: str | None = None

    def event(self, kind: str, data: str, *, agent_id: str | None = None) -> None:
        """Append an event; `data` is its keys and values."""
        event_id = self.uuid()
        parent = self.uuid() if self._last and self.rng.random() < _NOT_STORED else self._last
        above = "null" if parent is None else f'"{parent}"'
        agent = f'"agentId":"{agent_id}",' if agent_id else ""
        self.write(
            f'"type":"{kind}","data":{{{data}}},{agent}"id":"{event_id}",'
            f'"timestamp":"{self.timestamp()}","parentId":{above}'
        )
        self._last = event_id

    def context(self) -> str:
        """Return where the session runs."""
        return (
            f'"context":{{"cwd":"{ROOT}","gitRoot":"{ROOT}","branch":"main",'
            f'"headCommit":"{self.rng.getrandbits(160):040x}"}},"alreadyInUse":false,'
            '"remoteSteerable":false'
        )

    def start(self) -> None:
        """Append the first event; it does not name the model."""
        self.event(
            "session.start",
            f'"sessionId":"{self.session_id}","version":1,"producer":"copilot-agent",'
            f'"copilotVersion":"{_VERSION}","startTime":"{self.timestamp()}",'
            f'"contextTier":null,{self.context()}',
        )

    def resume(self, model: str) -> None:
        """Append that the session was opened again."""
        self.event(
            "session.resume",
            f'"resumeTime":"{self.timestamp()}","eventCount":{self.records},'
            f'"selectedModel":"{model}",{self.context()}',
        )

    def shutdown(self, metrics: dict[str, Usage], *, model: str, context: int) -> None:
        """Append the end of one run, with the tokens of this run only."""
        used = ",".join(f'"{name}":{usage.json()}' for name, usage in metrics.items())
        self.event(
            "session.shutdown",
            '"shutdownType":"routine","totalPremiumRequests":1,"totalNanoAiu":0,'
            f'"totalApiDurationMs":{self.rng.randint(9_000, 900_000)},'
            f'"sessionStartTime":{self.unix_ms() - self.clock},'
            f'"eventsFileSizeBytes":{self.size},"codeChanges":{{"linesAdded":12,'
            f'"linesRemoved":3,"filesModified":["{ROOT}/README.md"]}},'
            f'"modelMetrics":{{{used}}},"currentModel":"{model}","currentTokens":{context},'
            '"systemTokens":8702,"conversationTokens":94,"toolDefinitionsTokens":4426',
        )

    def hook(self, kind: str, fields: str, *, agent_id: str | None = None) -> None:
        """Append the start and the end of a hook; `fields` are what it was told."""
        invocation = self.uuid()
        head = f'"hookInvocationId":"{invocation}","hookType":"{kind}"'
        self.event(
            "hook.start",
            f'{head},"input":{{"sessionId":"{agent_id or self.session_id}",'
            f'"timestamp":{self.unix_ms()},"cwd":"{ROOT}",{fields}}}',
            agent_id=agent_id,
        )
        self.wait(300)
        self.event("hook.end", f'{head},"success":true', agent_id=agent_id)

    def call(self, speaker: Speaker, exchange: Exchange, *, call_id: str, turn: int) -> None:
        """Append that a tool runs now."""
        self.event(
            "tool.execution_start",
            f'"toolCallId":"{call_id}","toolName":"{exchange.name}",'
            f'"arguments":{exchange.arguments},"model":"{speaker.model}","turnId":"{turn}"'
            f"{exchange.start_fields}{speaker.parent_call}",
            agent_id=speaker.agent_id,
        )

    def hook_before(self, speaker: Speaker, exchange: Exchange, *, call_id: str) -> None:
        """Append the hook that sees a call before it runs."""
        self.hook(
            "preToolUse",
            f'"toolCalls":[{{"id":"{call_id}","name":"{exchange.name}",'
            f'"args":{quoted(exchange.arguments)}}}]',
            agent_id=speaker.agent_id,
        )

    def hook_after(self, speaker: Speaker, exchange: Exchange) -> None:
        """Append the hook that sees a call and, twice, its result."""
        self.hook(
            "postToolUse",
            f'"toolName":"{exchange.name}","toolArgs":{quoted(exchange.arguments)},'
            f'"toolResult":{{"textResultForLlm":"{exchange.content}","resultType":"success",'
            f'"sessionLog":"{exchange.detailed}","toolTelemetry":{exchange.telemetry}}}',
            agent_id=speaker.agent_id,
        )

    def result(
        self, speaker: Speaker, exchange: Exchange, *, call_id: str, turn: int, denied: bool = False
    ) -> None:
        """Append what came of a call: a result, or an error and no result."""
        if denied:
            outcome = (
                '"success":false,"error":{"message":"The user rejected this tool call.",'
                '"code":"denied"}'
            )
        elif exchange.error:
            outcome = (
                f'"success":false,"error":{{"message":"{exchange.error}","code":"failure"}},'
                f'"toolTelemetry":{exchange.telemetry}'
            )
        else:
            outcome = (
                f'"success":true,"result":{{"content":"{exchange.content}",'
                f'"detailedContent":"{exchange.detailed}"}},"toolTelemetry":{exchange.telemetry}'
            )
        self.event(
            "tool.execution_complete",
            f'"toolCallId":"{call_id}","model":"{speaker.model}",'
            f'"interactionId":"{speaker.interaction_id}","turnId":"{turn}",'
            f"{outcome}{speaker.parent_call}",
            agent_id=speaker.agent_id,
        )

    def permission(self, exchange: Exchange, *, call_id: str, denied: bool) -> None:
        """Append that a person was asked, and what the answer was."""
        request, about = self.uuid(), quoted(exchange.arguments)
        self.event(
            "permission.requested",
            f'"requestId":"{request}","permissionRequest":{{"kind":"shell",'
            f'"toolCallId":"{call_id}","fullCommandText":{about},"intention":"Run it",'
            '"commands":[{"identifier":"git","readOnly":false}],"possiblePaths":[],'
            '"possibleUrls":[],"hasWriteFileRedirection":false,"canOfferSessionApproval":false},'
            f'"promptRequest":{{"kind":"commands","fullCommandText":{about},'
            '"intention":"Run it","commandIdentifiers":["git"],"canOfferSessionApproval":false,'
            f'"toolCallId":"{call_id}"}}',
        )
        self.wait(9_000)
        answer = "denied-interactively-by-user" if denied else "approved"
        self.event(
            "permission.completed",
            f'"requestId":"{request}","toolCallId":"{call_id}","result":{{"kind":"{answer}"}}',
        )
