"""A conversation of chat messages: the API's own calls, and those that a model wrote as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.chat import reasoning_of, usage_of_response
from pytest_agentv.adapters.clock import from_epoch, from_text
from pytest_agentv.adapters.dialects import (
    brings_result,
    exit_code_in,
    thoughts_of,
    written_calls,
    written_results,
)
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.values import ENCODED_CONTENT, attachments_of, blocks_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.dialects import Written
    from pytest_agentv.adapters.told import Told

# Data sets for training name the speakers otherwise.
_ROLES = {
    "human": "user", "gpt": "assistant", "model": "assistant", "ai": "assistant",
    "observation": "tool", "function": "tool", "ipython": "tool", "developer": "system",
    "function_call": "assistant",
}  # fmt: skip
# What converters of data sets put in where a run was cut off, and behind a run that they take
# for a success: the agent never said the one, nobody the others.
_INVENTED_ANSWER = (
    "Since we have successfully fixed the issue and verified it works, let's submit the changes:"
)
_INVENTED_PRAISE = frozenset({
    "Congratulations! You have successfully solved the task.",
    "Your solution has been verified as correct.",
    "Well done on successfully completing the task!",
    "Your implementation satisfies the task requirements.",
    "Task completed successfully.",
})  # fmt: skip
_BLOCKS = ("tool_result", "tool_use", "thinking", "reasoning", *ENCODED_CONTENT)
_FABRICATED = "fabricated message"
# Seconds since 1970 are a smaller number for the next thousand years.
_MILLISECONDS = 10**11


def role_of(message: Any) -> str | None:
    """Who speaks, in the API's words; None if it is no message."""
    if not isinstance(message, dict):
        return None
    role = message.get("role", message.get("from"))
    return _ROLES.get(role, role) if isinstance(role, str) else None


class Chat:
    """The messages of one conversation."""

    def __init__(self, told: Told, messages: list[Any]) -> None:
        self._told = told
        self._messages = messages
        # Whether calls were written as text: then the next message of the user is their result.
        self._in_text = False
        texts = [_text(one) for one in messages if role_of(one) == "user"]
        self._ticks = any(map(brings_result, texts))

    def read(self) -> None:
        """Read it all."""
        for number, message in enumerate(self._messages):
            role = role_of(message)
            if role == "system":
                self._told.left_out["system prompt"] += 1
            elif role == "user":
                self._user(message)
            elif role == "assistant":
                self._assistant(message)
            elif role == "tool":
                self._tool(message)
            elif role is None:
                self._told.drift.note("message without a role", number + 1)
            else:
                self._told.drift.note(f"message role {shown(role)}", number + 1)

    def _user(self, message: dict[str, Any]) -> None:
        text = _text(message)
        content = message.get("content")
        blocks = blocks_of(content)
        results = [one for one in blocks if one.get("type") == "tool_result"]
        for kind in (one.get("type") for one in blocks if "text" not in one):
            if not isinstance(kind, str) or kind not in _BLOCKS:
                self._told.drift.note(f"content of type {shown(kind)}", 1)
        for result in results:
            self._answer(
                self._told.waiting(_string(result.get("tool_use_id"))),
                text_of(result.get("content")),
                message,
                is_error=result.get("is_error") if type(result.get("is_error")) is bool else None,
            )
        if self._in_text:
            self._in_text = False
            for result_text in written_results(text):
                self._answer(self._told.waiting(), result_text, message)
        elif text.strip() in _INVENTED_PRAISE and self._told.opening is not None:
            self._told.left_out[_FABRICATED] += 1
        elif not results or text:
            self._told.user(text, time=_time(message), id=_string(message.get("id")))
            self._attach(content)

    def _assistant(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        text, thoughts = thoughts_of(_text(message))
        calls = []
        for name, arguments, id_ in _native_calls(message):
            if name is None:
                self._told.drift.note("tool call without a name", 1)
            else:
                calls.append((name, arguments, id_))
        written: list[Written] = []
        if not calls:
            text, written = written_calls(text, ticks=self._ticks)
        if text == _INVENTED_ANSWER and [call.name for call in written] == ["submit"]:
            self._told.left_out[_FABRICATED] += 1
            return
        time = _time(message)
        self._told.assistant(
            text,
            thinking=thoughts or reasoning_of(message),
            time=time,
            id=_string(message.get("id")),
            model=_string(message.get("model")),
            usage=usage_of_response(message.get("usage")),
        )
        self._attach(content)
        self._in_text = bool(written)
        for name, arguments, id_ in calls:
            self._told.call(name, arguments, id=id_, time=time)
        for call in written:
            self._told.call(call.name, call.arguments, time=time)

    def _tool(self, message: dict[str, Any]) -> None:
        id_ = _string(message.get("tool_call_id"))
        call = self._told.waiting(id_)
        if call is None and id_ is None:
            call = self._told.waiting(tool=_string(message.get("name"))) or self._told.waiting()
        self._in_text = False
        for text in written_results(_text(message)):
            self._answer(call, text, message)
            call = self._told.waiting() if id_ is None else None

    def _answer(
        self, call: OpenCall | None, text: str, message: dict[str, Any], *,
        is_error: bool | None = None,
    ) -> None:  # fmt: skip
        if call is None:
            self._told.drift.note("result without a call", 1)
            return
        # Only a shell's output ends with an exit code that is its own.
        exit_code = exit_code_in(text) if call.kind == "shell" else None
        self._told.answer(call, text, exit_code=exit_code, is_error=is_error, time=_time(message))

    def _attach(self, content: Any) -> None:
        message = self._told.conversation.current
        if message is not None:
            message.attachments.extend(attachments_of(content))


def _native_calls(message: dict[str, Any]) -> Iterator[tuple[str | None, Any, str | None]]:
    """Name, arguments and id of the calls of a message, in any of the forms that APIs had."""
    listed = message.get("tool_calls")
    for one in listed if isinstance(listed, list) else ():
        call = one if isinstance(one, dict) else {}
        inner = call.get("function")
        function = inner if isinstance(inner, dict) else call
        yield _string(function.get("name")), _arguments(function), _string(call.get("id"))
    old = message.get("function_call")
    if isinstance(old, dict) and old:
        yield _string(old.get("name")), _arguments(old), None
    for block in blocks_of(message.get("content")):
        if block.get("type") == "tool_use":
            yield _string(block.get("name")), block.get("input"), _string(block.get("id"))


def _arguments(function: dict[str, Any]) -> Any:
    return function.get("arguments", function.get("input", function.get("args")))


def _text(message: dict[str, Any]) -> str:
    for name in ("content", "value", "text"):
        if message.get(name) is not None:
            return text_of(message[name])
    return ""


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _time(message: dict[str, Any]) -> datetime | None:
    for name in ("timestamp", "created_at", "created"):
        value = message.get(name)
        if isinstance(value, str):
            return from_text(value)
        if isinstance(value, (int, float)):
            return from_epoch(value, per_second=1000 if value > _MILLISECONDS else 1)
    return None
