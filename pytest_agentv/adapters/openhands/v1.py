"""Events of OpenHands 1: each has a kind, and says what it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.chat import reasoning_of
from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.dialects import thoughts_of
from pytest_agentv.adapters.openhands.common import (
    exit_code_of,
    object_in,
    status_of_shell,
    string_in,
    take_metrics,
)
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.values import attachments_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.told import Told

# What a critic makes the client say when it does not take a task for done.
_URGED = "The task appears incomplete (iteration "
_LEFT_OUT = {
    "SystemPromptEvent": "system prompt",
    "Condensation": "condensation",
    "CondensationRequest": "condensation",
    "CondensationSummaryEvent": "condensation",
    "PauseEvent": "state change",
    "InterruptEvent": "state change",
    "StreamingDeltaEvent": "streamed part",
    "TokenEvent": "token ids",
    "LLMCompletionLogEvent": "completion log",
    "HookExecutionEvent": "hook",
}
_STATE_KINDS = ("ConversationStateUpdateEvent",)


class Events:
    """The events of one conversation, in their order."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._calls: dict[str, OpenCall] = {}
        self._response: str | None = None
        self._stats: dict[str, Any] | None = None
        self._readers: dict[str, Callable[[dict[str, Any]], None]] = {
            "MessageEvent": self._message,
            "ActionEvent": self._action,
            "ObservationEvent": self._observation,
            "UserRejectObservation": self._rejection,
            "AgentErrorEvent": self._error,
            "ConversationErrorEvent": self._error,
            "ServerErrorEvent": self._error,
            "ACPToolCallEvent": self._tool_call,
        }

    def read(self, event: dict[str, Any], line: int) -> None:
        """One more event."""
        kind = string_in(event, "kind")
        reader = self._readers.get(kind or "")
        if reader is not None:
            reader(event)
        elif kind in _STATE_KINDS:
            self._told.left_out["state change"] += 1
            self._state(event)
        elif kind in _LEFT_OUT:
            self._told.left_out[_LEFT_OUT[kind]] += 1
        else:
            self._told.drift.note(f"event kind {shown(kind)}", line)

    def finish(self, state: dict[str, Any]) -> None:
        """Nothing more comes; ``state`` is what stands beside the events, or around them."""
        told = self._told
        if object_in(state, "metrics"):  # a row of an evaluation
            take_metrics(told, [object_in(state, "metrics")])
            for name in ("llm", "llm_config"):
                model = string_in(object_in(state, "metadata", name), "model")
                told.model = told.model or model
        agent = object_in(state, "agent")
        told.model = string_in(object_in(agent, "llm"), "model") or told.model
        told.cwd = string_in(object_in(state, "workspace"), "working_dir") or told.cwd
        stats = object_in(state, "stats", "usage_to_metrics") or self._stats or {}
        apart = (string_in(agent, "kind") or "").startswith("ACP")
        if stats:
            take_metrics(told, list(stats.values()), caches_apart=apart)
            names = (string_in(one, "model_name") for one in stats.values())
            told.model = told.model or next(filter(None, names), None)

    def _message(self, event: dict[str, Any]) -> None:
        message = object_in(event, "llm_message")
        content = message.get("content") if message else event.get("llm_message")
        time = from_text(event.get("timestamp"))
        text = text_of(content)
        if message.get("role") == "assistant" or event.get("source") == "agent":
            text, thoughts = thoughts_of(text)
            self._told.assistant(
                text,
                thinking=reasoning_of(message) or thoughts,
                time=time,
                id=string_in(event, "id"),
            )
            self._response = string_in(event, "llm_response_id")
        else:
            is_typed = event.get("source") == "user" and not text.startswith(_URGED)
            origin = "human" if is_typed else "injected"
            self._told.user(text, origin=origin, time=time, id=string_in(event, "id"))
            self._response = None
            if event.get("extended_content"):
                self._told.left_out["skill context"] += 1
        current = self._told.conversation.current
        if current is not None:
            current.attachments.extend(attachments_of(content))

    def _action(self, event: dict[str, Any]) -> None:
        time = from_text(event.get("timestamp"))
        text, thoughts = thoughts_of(text_of(event.get("thought")))
        action = object_in(event, "action")
        tool = string_in(event, "tool_name") or string_in(action, "kind") or "tool"
        message = string_in(action, "message") if tool == "finish" else None
        response = string_in(event, "llm_response_id")
        if response is None or response != self._response:
            # What the agent says at the end is an argument of its last call.
            said = [part for part in (text.strip(), message) if part]
            self._told.assistant(
                "\n\n".join(dict.fromkeys(said)),
                thinking=reasoning_of(event) or thoughts,
                time=time,
                id=response,
            )
        self._response = response
        arguments: Any = {name: value for name, value in action.items() if name != "kind"}
        if not action:
            arguments = object_in(event, "tool_call").get("arguments")
        call = self._told.call(tool, arguments, id=string_in(event, "tool_call_id"), time=time)
        if isinstance(event.get("id"), str):
            self._calls[event["id"]] = call

    def _call_of(self, event: dict[str, Any]) -> OpenCall | None:
        """The call that an event answers: by the action's id, else by the call's."""
        call = self._calls.pop(string_in(event, "action_id") or "", None)
        return call or self._told.waiting(string_in(event, "tool_call_id") or "")

    def _observation(self, event: dict[str, Any]) -> None:
        call = self._call_of(event)
        observation = object_in(event, "observation")
        if call is None:
            self._told.drift.note("result without a call", 1)
            return
        metadata = object_in(observation, "metadata")
        self._told.cwd = self._told.cwd or string_in(metadata, "working_dir")
        is_error = observation.get("is_error")
        content = observation.get("content", observation.get("output"))
        if not observation:
            content = event.get("observation")
        self._told.answer(
            call,
            text_of(content),
            exit_code=exit_code_of(observation, metadata),
            is_error=is_error if type(is_error) is bool else None,
            status=status_of_shell(
                {**metadata, **observation}, timed_out=observation.get("timeout") is True
            ),
            time=from_text(event.get("timestamp")),
        )

    def _rejection(self, event: dict[str, Any]) -> None:
        call = self._call_of(event)
        reason = string_in(event, "rejection_reason") or ""
        if call is None:
            self._told.drift.note("result without a call", 1)
            return
        self._told.answer(call, reason, status="denied", time=from_text(event.get("timestamp")))

    def _error(self, event: dict[str, Any]) -> None:
        text = string_in(event, "error") or string_in(event, "detail") or ""
        time = from_text(event.get("timestamp"))
        call = self._told.waiting(string_in(event, "tool_call_id") or "")
        if call is not None:
            self._told.answer(call, text, is_error=True, time=time)
        else:
            self._told.system(text, time=time)

    def _tool_call(self, event: dict[str, Any]) -> None:
        """A call of an agent that OpenHands only hosts: told again whenever more is known."""
        id_ = string_in(event, "tool_call_id") or ""
        time = from_text(event.get("timestamp"))
        call = self._told.waiting(id_)
        if call is None and not self._told.conversation.is_known(id_):
            name = string_in(event, "title") or string_in(event, "tool_kind") or "tool"
            self._told.assistant(time=time)
            call = self._told.call(name, event.get("raw_input"), id=id_ or None, time=time)
        status = string_in(event, "status")
        if call is not None and status in ("completed", "failed"):
            output = event.get("raw_output") or event.get("content")
            is_error = status == "failed" or event.get("is_error") is True
            self._told.answer(call, text_of(output), is_error=is_error, time=time)

    def _state(self, event: dict[str, Any]) -> None:
        value = object_in(event, "value")
        if event.get("key") == "stats":
            self._stats = object_in(value, "usage_to_metrics") or self._stats
        elif event.get("key") == "full_state":
            self._stats = object_in(value, "stats", "usage_to_metrics") or self._stats
