"""Tool calls. Each appears three times: requested by the model, started, completed.

The request has the arguments and the order, the start the time, the completion the result. A
call that was never requested is made up from its start, so that none is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import milliseconds, timestamp
from pytest_agentv.adapters.conversation import OpenCall
from pytest_agentv.adapters.copilot import PROVIDER
from pytest_agentv.adapters.copilot.records import ResultRecord, ToolRequest
from pytest_agentv.adapters.copilot.results import attachment_of, permission_status, result_of
from pytest_agentv.adapters.copilot.shells import Shells
from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.adapters.values import json_text, parsed_arguments
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.copilot.records import Binary, Data
    from pytest_agentv.adapters.told import Told

# How many questions may wait for an answer, or answers for the end of their call.
_MAX_WAITING = 1000
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Calls:
    """The calls of one session, in the conversation that they are part of."""

    def __init__(self, told: Told) -> None:
        self._conversation = told.conversation
        self._drift = told.drift
        self._left_out = told.left_out
        self.shells = Shells(told.conversation)
        # Calls of sub-agents that are left out, and tools that a person ran.
        self._ignored = RecentIds()
        self._by_user = RecentIds()
        # Calls as they were told: ids, tools and arguments.
        self._told = RecentIds()
        # Calls of which it is known whose server answers them.
        self._served = RecentIds()
        # When a person was asked, and about which call, by the id of the question; how long they
        # took since the call began, by call.
        self._asked: dict[str, tuple[datetime | None, str | None]] = {}
        self._waited: dict[str, int] = {}

    def requested(
        self, request: ToolRequest, line: int, time: datetime | None, stamp: str | None
    ) -> None:
        """The model asks for a call; ``stamp``: the time as transcripts write it."""
        if request.name is None:
            self._drift.note("tool call without a name", line)
            return
        arguments = parsed_arguments(request.arguments, self._drift, line)
        kind, args = describe(request.name, arguments, PROVIDER, request.mcp_server_name)
        call = OpenCall(
            request.tool_call_id, line, request.name, kind, arguments, args, stamp, time
        )
        is_copy = not self._told.add((call.id, call.tool, json_text(arguments)))
        if not self._conversation.call(call) and (is_copy or not self._is_another(call)):
            self._left_out["repeated tool call"] += 1

    def _is_another(self, call: OpenCall) -> bool:
        """Tell a call whose id was used before, unless it is told already; whether it is not.

        Some servers number the calls of each response anew.
        """
        conversation = self._conversation
        message = conversation.current
        if message is None or any(one.id == call.id for one in message.calls):
            return False
        if conversation.unanswered(call.id) is not None:
            return False
        return conversation.call(call, is_new=True)

    def made_up(self, data: Data, line: int, time: datetime | None) -> None:
        """A call that nobody requested begins."""
        request = ToolRequest(
            data.tool_call_id, data.tool_name, self._arguments(data, line), data.mcp_server_name
        )
        self.requested(request, line, time, timestamp(time))

    def started(self, time: datetime | None, data: Data) -> bool:
        """A call begins; whether it is known."""
        call = self._conversation.unanswered(data.tool_call_id)
        if call is None:
            return self.is_known(data.tool_call_id)
        if time is not None:
            call.called = time
            self._waited.pop(call.id or "", None)
        server = data.mcp_server_name
        if server is not None and self._conversation.is_open(call) and self._served.add(call.id):
            # Some versions name the server here only.
            call.kind, call.args = describe(call.tool, call.input, PROVIDER, server)
        return True

    def completed(self, size: int, time: datetime | None, data: Data) -> bool:
        """A call ends; whether it is one that waits for that."""
        call = self._conversation.unanswered(data.tool_call_id)
        if call is None:
            return False
        waited = self._waited.pop(call.id or "", 0)
        result = result_of(data, call, time, waited)
        self.shells.returned(call, result)
        self._conversation.answer(call, result, size=size)
        if isinstance(data.result, ResultRecord) and data.result.binary_results_for_llm:
            self._attach(call, data.result.binary_results_for_llm)
        return True

    def asked(self, time: datetime | None, data: Data) -> None:
        """A person is asked whether a call may be made."""
        if data.request_id is not None:
            about = data.permission_request
            asked = (time, None if about is None else about.tool_call_id)
            _remember(self._asked, data.request_id, asked)

    def decided(self, time: datetime | None, data: Data) -> None:
        """The person answers."""
        asked, about = self._asked.pop(data.request_id or "", (None, None))
        call = self._conversation.unanswered(data.tool_call_id or about)
        if call is None or call.id is None:
            return
        if asked is not None and call.called is not None:
            asked = max(asked, call.called)
        if asked is not None and time is not None and time > asked:
            waited = milliseconds(asked, time) + self._waited.get(call.id, 0)
            _remember(self._waited, call.id, waited)
        answer = data.result.kind if isinstance(data.result, ResultRecord) else None
        status = permission_status(answer)
        if status is not None or call.result is not None:  # asked again, the answer may differ
            self._conversation.correct(call, status=status or "unknown")

    def ignore(self, call_id: str | None, *, by_user: bool = False) -> None:
        """A call that is none of the conversation's."""
        if call_id is not None:
            (self._by_user if by_user else self._ignored).add(call_id)

    def is_known(self, call_id: str | None) -> bool:
        """Whether nothing more need be known of a call to tell what it is."""
        return (
            self._conversation.is_known(call_id)
            or call_id in self._ignored
            or call_id in self._by_user
        )

    def is_ignored(self, call_id: str | None) -> bool:
        """Whether a call is of a sub-agent that is left out."""
        return call_id in self._ignored

    def is_by_user(self, call_id: str | None) -> bool:
        """Whether a person made a call."""
        return call_id in self._by_user

    def command(self, data: Data, line: int) -> str:
        """What a person ran: the command, if it is one, else the tool's name."""
        arguments = self._arguments(data, line)
        command = arguments.get("command") if isinstance(arguments, dict) else None
        return command if isinstance(command, str) else data.tool_name or ""

    def _arguments(self, data: Data, line: int) -> Any:
        try:
            arguments = msgspec.json.decode(data.arguments) if bytes(data.arguments) else None
        except _UNREADABLE:
            self._drift.note("unusable field 'data.arguments'", line)
            return None
        return parsed_arguments(arguments, self._drift, line)

    def _attach(self, call: OpenCall, binaries: list[Binary]) -> None:
        """What a call returned besides text, described at its message, if that is still open."""
        message = self._conversation.current
        if message is not None and call.number == len(self._conversation) - 1:
            message.attachments.extend(attachment_of(one, call_id=call.id) for one in binaries)
        else:
            self._left_out["attachment of a late result"] += len(binaries)


def _remember(memory: dict[str, Any], key: str, value: Any) -> None:
    """Keep a value, but not ever more of them."""
    if len(memory) >= _MAX_WAITING:
        del memory[next(iter(memory))]
    memory[key] = value
