"""Events of OpenHands 0: actions and observations; an observation names the action it answers.

The events of 2024 are flat and have neither ids nor sources: an observation follows its action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.chat import usage_of_response
from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.openhands.common import (
    exit_code_of,
    object_in,
    status_of_shell,
    string_in,
    take_metrics,
)
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.values import text_of

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.told import Told

_CALLS = frozenset({
    "run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "delegate",
    "finish", "reject", "think", "call_tool_mcp", "mcp", "task_tracking", "add_task",
    "modify_task", "kill", "push", "send_pr", "summarize",
})  # fmt: skip
_NOISE = frozenset({
    "recall", "change_agent_state", "agent_state_changed", "null", "condensation",
    "condensation_request", "condense", "initialize", "start", "pause", "resume", "stop",
    "loop_recall", "loop_detection_pause", "chat", "success",
})  # fmt: skip
ACTIONS = _CALLS | _NOISE | {"message", "system"}
OBSERVATIONS = _CALLS | _NOISE | {"error", "user_rejected", "recall", "message"}
# What an action has besides the arguments of its call.
_NOT_ARGUMENTS = frozenset({
    "thought", "action", "observation", "is_confirmed", "confirmation_state", "action_risk",
    "security_risk", "keep_prompt", "blocking", "hidden", "is_static", "cwd", "impl_source",
    "kernel_init_code", "include_extra", "id", "source", "timestamp", "message",
    "tool_call_metadata", "llm_metrics", "cause",
})  # fmt: skip
_FAILED = "ERROR:"


def is_event(value: Any) -> bool:
    """Whether a value is an event of this version: an action, or an observation, and not both."""
    if not isinstance(value, dict) or ("action" in value) is ("observation" in value):
        return False
    kind = value.get("action", value.get("observation"))
    known = ACTIONS if "action" in value else OBSERVATIONS
    has_more = {"args", "extras", "content", "thought", "source", "command", "code"} & value.keys()
    return isinstance(kind, str) and kind in known and bool(has_more)


class Events:
    """The events of one session, in their order."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._calls: dict[int, OpenCall] = {}
        self._by_user: set[int] = set()
        self._response: str | None = None
        self._metrics: dict[str, Any] | None = None

    def read(self, event: dict[str, Any], line: int) -> None:
        """One more event."""
        action, observation = event.get("action"), event.get("observation")
        if isinstance(action, str):
            metrics = event.get("llm_metrics")
            self._metrics = metrics if isinstance(metrics, dict) else self._metrics
            self._action(action, event, line)
        elif isinstance(observation, str):
            self._observation(observation, event, line)
        else:
            self._told.drift.note("event that is neither action nor observation", line)

    def finish(self, row: dict[str, Any]) -> None:
        """Nothing more comes; ``row`` is what the events are a part of."""
        told = self._told
        metrics = object_in(row, "metrics") or self._metrics
        if metrics:
            take_metrics(told, [metrics])
        model = string_in(object_in(row, "metadata", "llm_config"), "model")
        told.model = told.model or model
        told.title = string_in(row, "title")
        if told.opening is None and not len(told.conversation):
            return
        error = string_in(row, "error")
        if error:
            told.system(error)

    def _action(self, kind: str, event: dict[str, Any], line: int) -> None:
        time = from_text(event.get("timestamp"))
        args = object_in(event, "args") or event
        if not isinstance(event.get("args", {}), dict | None):
            self._told.drift.note("unusable field 'args'", line)
        if kind == "system":
            self._told.left_out["system prompt"] += 1
            self._told.version = string_in(args, "openhands_version") or self._told.version
        elif kind == "message":
            self._message(event, args, time)
        elif kind in _NOISE:
            self._told.left_out["state change"] += 1
        elif event.get("source") == "user":
            self._run_by_user(event, args, time)
        elif kind in _CALLS:
            self._call(kind, event, args, time)
        else:
            self._told.drift.note(f"action {shown(kind)}", line)

    def _message(self, event: dict[str, Any], args: dict[str, Any], time: datetime | None) -> None:
        text = text_of(args.get("content"))
        is_user = event.get("source") == "user"
        if "source" not in event:  # the first message of a flat list is the task
            is_user = self._told.opening is None
        self._response = None
        if is_user:
            self._told.user(text, time=time)
        elif event.get("source") == "environment":
            self._told.user(text, origin="injected", time=time)
        else:
            response = object_in(event, "tool_call_metadata", "model_response")
            usage = usage_of_response(response.get("usage"))
            self._told.assistant(text, time=time, usage=usage)

    def _run_by_user(
        self, event: dict[str, Any], args: dict[str, Any], time: datetime | None
    ) -> None:
        """What a person did with the client's own tools."""
        if type(event.get("id")) is int:
            self._by_user.add(event["id"])
        text = string_in(args, "command") or string_in(event, "message") or ""
        self._told.user(text, origin="command", time=time)

    def _call(
        self, kind: str, event: dict[str, Any], args: dict[str, Any], time: datetime | None
    ) -> None:
        metadata = object_in(event, "tool_call_metadata")
        response = object_in(metadata, "model_response")
        response_id = string_in(response, "id")
        arguments = _arguments(metadata, args)
        if response_id is None or response_id != self._response:
            self._told.assistant(
                _said(kind, args, arguments),
                time=time,
                id=response_id,
                model=string_in(response, "model"),
                usage=usage_of_response(response.get("usage")),
            )
        self._response = response_id
        name = string_in(metadata, "function_name") or kind
        call = self._told.call(name, arguments, id=string_in(metadata, "tool_call_id"), time=time)
        if type(event.get("id")) is int:
            self._calls[event["id"]] = call

    def _observation(self, kind: str, event: dict[str, Any], line: int) -> None:
        cause = event.get("cause")
        if kind in _NOISE:
            self._told.left_out["state change"] += 1
            return
        if cause in self._by_user if type(cause) is int else False:
            self._told.user(text_of(event.get("content")), origin="command")
            return
        call = self._calls.pop(cause, None) if type(cause) is int else None
        if call is None and ("id" not in event or kind == "user_rejected"):
            call = self._told.waiting()
        time = from_text(event.get("timestamp"))
        text = text_of(event.get("content"))
        if call is not None:
            self._answer(call, kind, event, text, time)
        elif kind in ("error", "user_rejected"):
            # A response that could not be understood: no action came of it.
            self._told.system(text, time=time)
        elif kind in OBSERVATIONS:
            self._told.drift.note("result without a call", line)
        else:
            self._told.drift.note(f"observation {shown(kind)}", line)

    def _answer(
        self, call: OpenCall, kind: str, event: dict[str, Any], text: str, time: datetime | None
    ) -> None:
        extras = object_in(event, "extras")
        metadata = object_in(extras, "metadata")
        self._told.cwd = self._told.cwd or string_in(metadata, "working_dir")
        success = event.get("success")
        is_error = not success if type(success) is bool else None
        if kind == "error":
            is_error = True
        elif kind in ("read", "edit", "write"):
            is_error = text.startswith(_FAILED)  # these say so when they fail
        code = exit_code_of(metadata, extras, event)
        status = "denied" if kind == "user_rejected" else status_of_shell({**extras, **metadata})
        if code is None and status is None and success is False and metadata.get("exit_code") == -1:
            is_error = None  # still running: that is not known to be wrong
        self._told.answer(call, text, exit_code=code, is_error=is_error, status=status, time=time)


def _arguments(metadata: dict[str, Any], args: dict[str, Any]) -> Any:
    """The arguments of a call: as the model gave them, by the call's id; else as the action has."""
    wanted = metadata.get("tool_call_id")
    choices = object_in(metadata, "model_response").get("choices")
    for choice in choices if isinstance(choices, list) else ():
        calls = object_in(choice, "message").get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("id") == wanted and wanted is not None:
                return object_in(call, "function").get("arguments")
    return {
        name: value
        for name, value in args.items()
        if name not in _NOT_ARGUMENTS and value is not None
    }


def _said(kind: str, args: dict[str, Any], arguments: Any) -> str:
    """What the agent says with an action; at the end that may be an argument of the call."""
    thought = text_of(args.get("thought"))
    if kind == "think":
        return (
            "" if isinstance(arguments, dict) and arguments.get("thought") == thought else thought
        )
    if kind != "finish":
        return thought.strip()
    said = [thought.strip(), (string_in(args, "final_thought") or "").strip()]
    return "\n\n".join(dict.fromkeys(part for part in said if part))
