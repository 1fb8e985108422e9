"""What a session tells of itself and of its conversation, whichever way it is written.

An adapter reads records in their order and says here what they mean; ``ToldSession`` makes a
stream of it. Calls are paired with their results by id where ids are good for that, else in the
order in which they were made.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.clock import elapsed, timestamp
from pytest_agentv.adapters.conversation import Conversation, OpenCall, OpenMessage, Result
from pytest_agentv.adapters.spending import Spending, cost_of
from pytest_agentv.adapters.values import parsed_arguments, status_of
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.records import Drift
    from pytest_agentv.transcript.model import TokenUsage, Usage

# How many calls may wait for a result that does not come.
_MAX_WAITING = 1000


class Told:
    """A session as far as it was read."""

    def __init__(self, drift: Drift, provider: str = "") -> None:
        self.drift = drift
        self.provider = provider
        self.conversation = Conversation()
        self.left_out: Counter[str] = Counter()
        self.session_id: str | None = None
        self.version: str | None = None
        self.model: str | None = None
        self.title: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.started: datetime | None = None
        self.ended: datetime | None = None
        # The first prompt a person typed.
        self.opening: str | None = None
        # Tokens of the responses; ``usage`` where the session states a total of its own.
        self.spending = Spending()
        self.usage: TokenUsage | None = None
        self.duration_ms: int | None = None
        self.cost_usd: float | None = None
        self._waiting: deque[OpenCall] = deque(maxlen=_MAX_WAITING)

    def typed(self, text: str) -> None:
        """A person typed a text."""
        if self.opening is None:
            self.opening = text.strip() or None

    def at(self, time: datetime | None) -> None:
        """Something happened at a time: the session began no later, and ended no earlier."""
        if time is None:
            return
        if self.started is None or elapsed(time, self.started):
            self.started = time
        if self.ended is None or elapsed(self.ended, time):
            self.ended = time
        self.duration_ms = elapsed(self.started, self.ended) or None

    def user(
        self,
        text: str,
        *,
        origin: str = "human",
        line: int | None = None,
        time: datetime | None = None,
        id: str | None = None,  # noqa: A002 (it is called so everywhere)
        size: int | None = None,
        agent_id: str | None = None,
    ) -> OpenMessage:
        """What a person typed, or was put in as if (``origin``: human, injected, command)."""
        if origin == "human" and agent_id is None:
            self.typed(text)
        return self._begin(
            OpenMessage(
                "user",
                line,
                len(text) if size is None else size,
                id=id,
                origin=origin,
                timestamp=timestamp(time),
                agent_id=agent_id,
                texts=[text],
            ),
            time,
        )

    def assistant(
        self,
        text: str = "",
        *,
        thinking: str | None = None,
        line: int | None = None,
        time: datetime | None = None,
        id: str | None = None,  # noqa: A002
        model: str | None = None,
        usage: Usage | None = None,
        size: int | None = None,
        agent_id: str | None = None,
    ) -> OpenMessage:
        """One response of the model; its calls follow."""
        if agent_id is None:  # what sub-agents spend is theirs
            self.model = self.model or model
            self.spending.add(usage)
        return self._begin(
            OpenMessage(
                "assistant",
                line,
                len(text) if size is None else size,
                id=id,
                model=model,
                timestamp=timestamp(time),
                usage=usage,
                agent_id=agent_id,
                texts=[text],
                thoughts=[thinking] if thinking else [],
            ),
            time,
        )

    def system(
        self, text: str, *, line: int | None = None, time: datetime | None = None
    ) -> OpenMessage:
        """What neither said: an error of the service, for instance. A system prompt is left out."""
        message = OpenMessage("system", line, len(text), timestamp=timestamp(time), texts=[text])
        return self._begin(message, time)

    def call(
        self,
        tool: str,
        arguments: Any,
        *,
        id: str | None = None,  # noqa: A002
        line: int | None = None,
        time: datetime | None = None,
        namespace: str | None = None,
    ) -> OpenCall:
        """A call of the current message; ``arguments`` may be a text of JSON."""
        arguments = parsed_arguments(arguments, self.drift, line or 1)
        kind, args = describe(tool, arguments, self.provider, namespace)
        call = OpenCall(id, line, tool, kind, arguments, args, timestamp(time), time)
        if self.conversation.current is None:
            self.assistant(line=line, time=time)
        self.conversation.call(call, is_new=True)
        self._waiting.append(call)
        return call

    def waiting(self, id: str | None = None, *, tool: str | None = None) -> OpenCall | None:  # noqa: A002
        """The call that a result is for: by id, else the first of a tool, or of all that wait."""
        if id is not None:
            return next((call for call in self._waiting if call.id == id), None)
        return next((call for call in self._waiting if tool in (None, call.tool)), None)

    def answer(
        self,
        call: OpenCall,
        output: str | None,
        *,
        status: str | None = None,
        exit_code: int | None = None,
        is_error: bool | None = None,
        time: datetime | None = None,
        duration_ms: int | None = None,
    ) -> None:
        """The result of a call. Without ``status`` exit code and flag decide; neither: unknown."""
        source = None if duration_ms is None else "tool"
        if duration_ms is None:
            duration_ms = elapsed(call.called, time)
            source = None if duration_ms is None else "timestamps"
        if exit_code and status in (None, "ok", "unknown"):
            status = "error"
        result = Result(
            output if output is not None or status not in (None, "ok", "error") else "",
            status or status_of(exit_code, is_error=is_error),
            exit_code,
            duration_ms,
            source,
        )
        self.conversation.answer(call, result, size=len(output or ""))
        for index, one in enumerate(self._waiting):
            if one is call:  # two calls may be equal in every field
                del self._waiting[index]
                break
        self.at(time)

    def costs(self, usd: Any, line: int | None = None) -> None:
        """A response cost so much, or all of them; None if the session does not say."""
        cost = cost_of(usd)
        if cost is not None:
            self.cost_usd = (self.cost_usd or 0.0) + cost
        elif usd is not None:
            self.drift.note("impossible cost", line or 1)

    def _begin(self, message: OpenMessage, time: datetime | None) -> OpenMessage:
        self.conversation.begin(message)
        self.at(time)
        return message
