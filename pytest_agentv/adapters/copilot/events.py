"""Reading events: every type of event that says something has a method here.

File order is the order of the conversation. Events name the one before them, but many of those
were never written, so that chain leads nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.conversation import OpenMessage
from pytest_agentv.adapters.copilot import PROVIDER
from pytest_agentv.adapters.copilot.calls import Calls
from pytest_agentv.adapters.copilot.known import PASSED_TYPES
from pytest_agentv.adapters.copilot.prompts import COMMAND, HUMAN, INJECTED, prompt_of
from pytest_agentv.adapters.copilot.records import Context, Data
from pytest_agentv.adapters.copilot.results import attachment_of, output_of
from pytest_agentv.adapters.copilot.runs import Runs
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.told import Told
from pytest_agentv.transcript.model import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_agentv.adapters.copilot.records import Event
    from pytest_agentv.adapters.records import Drift, Place, RecordFile

_NOTHING = Data()
# Who tells which model a session ran with, those that know best first: another model than the
# selected one may have answered.
_ANSWERED, _EXECUTED, _SELECTED, _CHANGED, _LAST = range(5)
# A message that is made from more bytes than these gets nothing more: another one begins.
_MAX_SIZE = 8 << 20
# Not a model, but the wish that one be chosen.
_AUTO = "auto"


class Events:
    """What the events of a session tell."""

    def __init__(self, drift: Drift, *, include_subagents: bool = False) -> None:
        self.told = Told(drift, PROVIDER)
        self._include_subagents = include_subagents
        self._calls = Calls(self.told)
        self._runs = Runs()
        self._models: dict[int, str] = {}
        self._last: datetime | None = None
        self._passed: dict[str | None, int] = dict.fromkeys(PASSED_TYPES, 0)
        # A response of which something came before its own event.
        self._ahead: OpenMessage | None = None
        self._of_conversation = {
            "user.message": self._user_message,
            "assistant.message": self._assistant_message,
            "assistant.reasoning": self._assistant_reasoning,
            "system.notification": self._notification,
            "session.error": self._error,
            "tool.user_requested": self._user_requested,
            "tool.execution_start": self._execution_start,
            "tool.execution_complete": self._execution_complete,
        }
        self._of_session = {
            "session.start": self._start,
            "session.resume": self._start,
            "session.context_changed": self._context_changed,
            "session.model_change": self._model_change,
            "session.shutdown": self._shutdown,
            "permission.requested": self._permission_requested,
            "permission.completed": self._permission_completed,
        }

    def read(self, file: RecordFile[Event], *, until: Callable[[Told], bool] | None = None) -> Told:
        """Take in every event, or those before ``until`` is content."""
        told, passed = self.told, self._passed
        for place, event in file.records():
            time = event.timestamp
            if time is not None and told.started is None:
                told.started = time
                self._runs.begin(time, None)
            if event.type in passed:  # as most are
                passed[event.type] += 1
            else:
                self._take(place, event)
                if until is not None and until(told):
                    break
            if time is not None:
                self._last = time
        self._finish()
        return told

    def _take(self, place: Place, event: Event) -> None:
        data = event.data or _NOTHING
        if (handle := self._of_conversation.get(event.type or "")) is not None:
            agent = event.agent_id or data.parent_tool_call_id
            if agent is None or self._include_subagents:
                handle(place, event, data, agent)
            else:
                self._leave_out(event, data)
        elif (note := self._of_session.get(event.type or "")) is not None:
            note(event, data)
        elif event.type is None:
            self.told.drift.note("record without a type", place[2])
        else:  # it might be a message in a form that nobody knows yet
            self.told.drift.note(f"record type {shown(event.type)}", place[2])

    def _finish(self) -> None:
        told = self.told
        told.left_out.update({f"{type_} record": n for type_, n in self._passed.items() if n})
        self._runs.stop(self._last)
        told.ended = self._last
        told.model = next((self._models[key] for key in sorted(self._models)), None)
        told.usage = self._runs.usage
        told.duration_ms = self._runs.duration_ms
        told.conversation.finish()

    def _leave_out(self, event: Event, data: Data) -> None:
        """An event of a sub-agent, which is not wanted; its tokens were spent all the same."""
        self.told.left_out["sub-agent record"] += 1
        if event.type == "assistant.message":
            self._runs.response(event.timestamp, data.output_tokens)
        for request in data.tool_requests or ():
            self._calls.ignore(request.tool_call_id)

    def _begin(
        self, role: str, place: Place, event: Event, *, origin: str | None = None,
        agent: str | None = None, id_: str | None = None, model: str | None = None,
    ) -> OpenMessage:  # fmt: skip
        _, size, line = place
        message = OpenMessage(
            role,
            line=line,
            size=size,
            id=id_ or event.id,
            origin=origin,
            model=model,
            timestamp=timestamp(event.timestamp),
            agent_id=agent,
        )
        self.told.conversation.begin(message)
        return message

    def _user_message(self, place: Place, event: Event, data: Data, agent: str | None) -> None:
        prompt = prompt_of(data)
        origin = prompt.origin if agent is None else INJECTED
        if not prompt.text and not data.attachments:
            self.told.left_out["empty message"] += 1
            return
        message = self._begin("user", place, event, origin=origin, agent=agent)
        message.texts.append(prompt.text)
        message.attachments.extend(attachment_of(one) for one in data.attachments or ())
        if origin == HUMAN:
            self._runs.go_on(event.timestamp)
            self.told.typed(prompt.text)

    def _assistant_message(self, place: Place, event: Event, data: Data, agent: str | None) -> None:
        message = self._begun_before(place, event, data, agent) or self._begin(
            "assistant", place, event, agent=agent, id_=data.message_id, model=data.model
        )
        if data.content:
            message.texts.append(data.content)
        if data.reasoning_text:
            message.thoughts = [data.reasoning_text]
        spent = data.output_tokens
        if spent is not None:
            if message.usage is not None:  # a part that was told before tells of all of it
                spent = max(0, spent - (message.usage.output or 0))
            message.usage = Usage(output=data.output_tokens)
        self._runs.response(event.timestamp, spent)
        for request in data.tool_requests or ():
            self._calls.requested(request, place[2], event.timestamp, message.timestamp)
        if agent is None and _ANSWERED not in self._models:
            self._model(_ANSWERED, data.model)

    def _begun_before(
        self, place: Place, event: Event, data: Data, agent: str | None
    ) -> OpenMessage | None:
        """The message of a response of which a part was told before; None if nothing was."""
        ahead, self._ahead = self._ahead, None
        current = self.told.conversation.current
        if current is None or not (ahead is current or data.chunk_index):
            return None  # as nearly always
        if current is ahead and current.agent_id == agent:
            requested = {request.tool_call_id for request in data.tool_requests or ()}
            if not current.calls or any(call.id in requested for call in current.calls):
                current.id = data.message_id or event.id
                current.line = place[2]
                current.model = data.model
                current.timestamp = timestamp(event.timestamp)
                self.told.conversation.grow(place[1])
                return current
        if data.chunk_index and current.id == data.message_id and current.size <= _MAX_SIZE:
            self.told.conversation.grow(place[1])
            return current
        return None

    def _assistant_reasoning(
        self, place: Place, event: Event, data: Data, agent: str | None
    ) -> None:
        message = self._begun_ahead(place, event, agent)
        if data.content:
            message.thoughts.append(data.content)

    def _begun_ahead(self, place: Place, event: Event, agent: str | None) -> OpenMessage:
        """The message of a response whose own event is still to come."""
        current = self.told.conversation.current
        if current is None or current is not self._ahead or not _may_grow(current, agent):
            current = self._ahead = self._begin("assistant", place, event, agent=agent)
        else:
            self.told.conversation.grow(place[1])
        return current

    def _notification(self, place: Place, event: Event, data: Data, agent: str | None) -> None:
        message = self._begin("user", place, event, origin=INJECTED, agent=agent)
        message.texts.append(data.content or "")
        self._calls.shells.notified(data.kind)

    def _error(self, place: Place, event: Event, data: Data, agent: str | None) -> None:
        message = self._begin("system", place, event, agent=agent)
        message.texts.append(data.message or "")

    def _user_requested(self, place: Place, event: Event, data: Data, agent: str | None) -> None:
        """A tool that a person ran, not the model: a command and what it printed."""
        self._calls.ignore(data.tool_call_id, by_user=True)
        message = self._begin("user", place, event, origin=COMMAND, agent=agent)
        message.texts.append(self._calls.command(data, place[2]))

    def _execution_start(self, place: Place, event: Event, data: Data, agent: str | None) -> None:
        if self._calls.started(event.timestamp, data):
            return
        if data.tool_name is None:
            self.told.drift.note("tool call without a name", place[2])
            return
        current = self.told.conversation.current
        if current is None or not _may_grow(current, agent):
            self._begun_ahead(place, event, agent)
        else:
            self.told.conversation.grow(place[1])
        self._calls.made_up(data, place[2], event.timestamp)

    def _execution_complete(
        self, place: Place, event: Event, data: Data, agent: str | None
    ) -> None:
        if agent is None and _EXECUTED not in self._models:
            self._model(_EXECUTED, data.model)
        if self._calls.completed(place[1], event.timestamp, data):
            return
        if self._calls.is_by_user(data.tool_call_id):
            message = self._begin("user", place, event, origin=COMMAND, agent=agent)
            message.texts.append(output_of(data))
        elif self._calls.is_known(data.tool_call_id):
            ignored = self._calls.is_ignored(data.tool_call_id)
            self.told.left_out["sub-agent record" if ignored else "repeated record"] += 1
        elif data.tool_name is not None and data.tool_call_id is not None:
            self._execution_start(place, event, data, agent)
            self._calls.completed(place[1], event.timestamp, data)
        else:
            self.told.drift.note("tool result without a call", place[2])

    def _permission_requested(self, event: Event, data: Data) -> None:
        self._calls.asked(event.timestamp, data)

    def _permission_completed(self, event: Event, data: Data) -> None:
        self._calls.decided(event.timestamp, data)

    def _start(self, event: Event, data: Data) -> None:
        told = self.told
        self._runs.begin(event.timestamp, self._last)
        self._calls.shells.forget()
        if event.type == "session.start":
            told.session_id = told.session_id or data.session_id
            told.version = told.version or data.copilot_version
        if isinstance(data.context, Context):
            self._place(data.context)
        self._model(_SELECTED, data.selected_model)

    def _context_changed(self, event: Event, data: Data) -> None:  # noqa: ARG002 (a handler)
        self._place(Context(data.cwd, None, data.branch))

    def _place(self, context: Context) -> None:
        """Where the session runs: where it ran first."""
        told = self.told
        told.cwd = told.cwd or context.cwd
        told.git_branch = told.git_branch or context.branch

    def _model_change(self, event: Event, data: Data) -> None:  # noqa: ARG002 (a handler)
        self._model(_CHANGED, data.new_model)

    def _shutdown(self, event: Event, data: Data) -> None:
        self._runs.shut_down(event.timestamp, data)
        self._model(_LAST, data.current_model)

    def _model(self, told_by: int, model: str | None) -> None:
        if model and model != _AUTO:
            self._models.setdefault(told_by, model)


def _may_grow(message: OpenMessage, agent: str | None) -> bool:
    """Whether a message is a response of an agent that may get more calls and thoughts."""
    is_response = message.role == "assistant" and message.agent_id == agent
    return is_response and message.size <= _MAX_SIZE
