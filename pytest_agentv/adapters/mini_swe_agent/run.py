"""Trajectories of mini-swe-agent, of format 1, 1.1, and bare lists of messages.

Its one tool is a shell. In format 1 a command is a block in the text, and its result the next
message of the user; format 1.1 names both, and keeps turns of the Responses API as they came.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.chat import reasoning_of, usage_of_response
from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.lenient import lenient
from pytest_agentv.adapters.mini_swe_agent import PROVIDER
from pytest_agentv.adapters.records import Drift, read_json, shown
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import text_of
from pytest_agentv.errors import Location, SessionUnreadable

if TYPE_CHECKING:
    from pytest_agentv.adapters.base import SessionRef

SHELL = "bash"
# What stands in place of a return code if the command did not end.
_NO_CODE = -1
_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n")
_END_OF_BLOCK = "\n```"
_CODE = re.compile(r"\A<returncode>(-?\d{1,10})</returncode>\s*")
_OUTPUT = re.compile(r"\A<output>\n?(.*?)\n?</output>\s*\Z", re.DOTALL)
_SUBMITS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_TIMED_OUT = re.compile(r"timed out", re.IGNORECASE)
_REJECTED = re.compile(r"\ACommands? not executed")
# What a person typed in the middle of a run stands behind such words.
_TYPED = re.compile(r"\A(?:Interrupted by user|The user added a new task): (.*)\Z", re.DOTALL)


class _Stats(msgspec.Struct):
    instance_cost: float | None = None


class _Model(msgspec.Struct):
    model_name: str | None = None


class _Environment(msgspec.Struct):
    cwd: str | None = None


class _Config(msgspec.Struct):
    model: _Model | None = None
    environment: _Environment | None = None


class _Info(msgspec.Struct):
    mini_version: str | None = None
    model_stats: _Stats | None = None
    config: _Config | None = None


class _Document(msgspec.Struct):
    info: _Info | None = None
    messages: list[Any] | None = None
    instance_id: str | None = None


class _Action(msgspec.Struct):
    command: str | None = None
    tool_call_id: str | None = None


class _Extra(msgspec.Struct):
    actions: list[_Action] | None = None
    response: dict[str, Any] | None = None
    timestamp: float | None = None
    returncode: int | None = None
    raw_output: str | None = None
    exception_info: Any = None
    interrupt_type: str | None = None


class _Message(msgspec.Struct):
    role: str | None = None
    type: str | None = None
    object: str | None = None
    content: Any = None
    output: Any = None
    usage: Any = None
    model: str | None = None
    created_at: float | None = None
    tool_call_id: str | None = None
    call_id: str | None = None
    tool_calls: list[Any] | None = None
    extra: _Extra | None = None


def read_run(ref: SessionRef) -> Told:
    """All that a trajectory says."""
    drift = Drift()
    value = read_json(ref.path, drift)
    if isinstance(value, list):
        value = {"messages": value}
    if not isinstance(value, dict):
        raise SessionUnreadable("is no trajectory: neither object nor list", at=Location(ref.path))
    document = lenient(value, _Document, drift, 1)
    told = Told(drift, PROVIDER)
    told.session_id = ref.session_id
    told.title = document.instance_id
    info = document.info or _Info()
    told.version = info.mini_version
    config = info.config or _Config()
    told.model = config.model.model_name if config.model else None
    told.cwd = (config.environment.cwd if config.environment else None) or None
    if info.model_stats is not None:
        # A model without a price costs zero there.
        told.costs(info.model_stats.instance_cost or None)
    _Run(told).read(document.messages or [])
    return told


class _Run:
    """The messages of one run."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._has_prompt = False
        # Whether a person ran the last command, in the mode in which a person is the model.
        self._by_user = False

    def read(self, messages: list[Any]) -> None:
        for number, value in enumerate(messages):
            if not isinstance(value, dict):
                self._told.drift.note("message that is no object", 1)
                continue
            message = lenient(value, _Message, self._told.drift, 1)
            is_last = number == len(messages) - 1
            if message.object == "response" or message.role == "assistant":
                self._assistant(message, value)
            elif message.role == "system":
                self._told.left_out["system prompt"] += 1
            elif message.role == "tool" or message.type == "function_call_output":
                self._result(message)
            elif message.role == "user":
                self._user(message, is_last=is_last)
            elif message.role == "exit":
                if text_of(message.content):
                    self._told.system(text_of(message.content))
            else:
                self._told.drift.note(f"message role {shown(message.role)}", 1)

    def _assistant(self, message: _Message, value: dict[str, Any]) -> None:
        extra = message.extra or _Extra()
        response = extra.response or {}
        usage = usage_of_response(response.get("usage") or message.usage)
        text, thoughts = _said(message, value)
        if message.object == "response":
            self._check_items(message.output)
        rest, blocks = _blocks_of(text)
        actions = extra.actions
        if actions is None:
            # More than one command, or none, is an error of format: nothing is run.
            calls = message.tool_calls or _output_items(message, "function_call")
            actions = _native(calls) if calls else [_Action(one.strip()) for one in blocks[:1]]
            if not calls and len(blocks) != 1:
                actions = []
        if actions and blocks and not any(one.tool_call_id for one in actions):
            text = rest.strip()
        time = from_epoch(extra.timestamp) or from_epoch(_created(message, response))
        model = message.model or response.get("model")
        self._by_user = False
        self._told.assistant(
            text,
            thinking=thoughts or _reasoning(response),
            time=time,
            model=model if isinstance(model, str) else None,
            usage=usage,
        )
        for action in actions:
            # A command that could not be read may be any.
            arguments = {} if action.command is None else {"command": action.command}
            self._told.call(SHELL, arguments, id=action.tool_call_id, time=time)

    def _check_items(self, items: Any) -> None:
        for one in items if isinstance(items, list) else [items]:
            kind = one.get("type") if isinstance(one, dict) else None
            if kind not in ("message", "reasoning", "function_call"):
                self._told.drift.note(f"item of type {shown(kind)}", 1)

    def _user(self, message: _Message, *, is_last: bool) -> None:
        text = text_of(message.content)
        extra = message.extra or _Extra()
        time = from_epoch(extra.timestamp)
        if not self._has_prompt:
            self._has_prompt = True
            self._told.user(text, time=time)
        elif extra.actions:
            self._by_user = True
            self._told.user(text, origin="command", time=time)
        elif extra.interrupt_type == "UserRejection" or _REJECTED.match(text):
            self._reject(text)
        elif typed := _TYPED.match(text):
            self._told.user(typed[1], time=time)
        elif self._by_user:
            self._by_user = False
            self._told.user(text, origin="command", time=time)
        elif extra.interrupt_type is None and not self._is_submission(message, is_last=is_last):
            self._result(message)
        else:
            self._told.user(text, origin="injected", time=time)

    def _is_submission(self, message: _Message, *, is_last: bool) -> bool:
        """Whether the last message is what the run submits, and not what a command returned."""
        call = self._told.waiting()
        text = text_of(message.content)
        if call is None or not is_last or _CODE.match(text):
            return call is None
        return any(word in (call.args.get("command") or "") for word in _SUBMITS)

    def _reject(self, text: str) -> None:
        call = self._told.waiting()
        if call is None:
            self._told.user(text, origin="injected")
        while call is not None:
            self._told.answer(call, text, status="denied")
            call = self._told.waiting()

    def _result(self, message: _Message) -> None:
        extra = message.extra or _Extra()
        text = text_of(
            message.output if message.type == "function_call_output" else (message.content)
        )
        call_id = message.tool_call_id or message.call_id
        call = self._told.waiting(call_id)
        if call is None:
            self._told.drift.note("result without a call", 1)
            return
        exit_code, output = _outcome(text)
        status = None
        if extra.returncode is not None:
            exit_code = extra.returncode
        problem = extra.exception_info if isinstance(extra.exception_info, str) else ""
        if problem and exit_code == _NO_CODE:
            exit_code = None
        if _TIMED_OUT.search(problem) or (exit_code is None and _is_timeout(text)):
            status = "timeout"
        elif problem:
            status = "error"
        self._told.answer(
            call,
            output if extra.raw_output is None else extra.raw_output,
            exit_code=exit_code,
            status=status,
            time=from_epoch(extra.timestamp),
        )


def _blocks_of(text: str) -> tuple[str, list[str]]:
    """A text without its blocks of commands, and these; one that does not end is none."""
    rest, blocks = [], []
    position = 0
    while found := _BLOCK.search(text, position):
        end = text.find(_END_OF_BLOCK, found.end())
        if end < 0:
            break
        rest.append(text[position : found.start()])
        blocks.append(text[found.end() : end])
        position = end + len(_END_OF_BLOCK)
    return "".join([*rest, text[position:]]), blocks


def _outcome(text: str) -> tuple[int | None, str]:
    """Return code and output of a result that is a text."""
    code = _CODE.match(text)
    if code is None:
        return None, text
    rest = text[code.end() :]
    output = _OUTPUT.match(rest)
    return int(code[1]), rest if output is None else output[1]


def _is_timeout(text: str) -> bool:
    return text.startswith("The last command") and "timed out and has been killed" in text


def _said(message: _Message, value: dict[str, Any]) -> tuple[str, str | None]:
    """Text and thoughts of a response."""
    if message.object != "response":
        return text_of(message.content), reasoning_of(value)
    texts = [text_of(one.get("content")) for one in _output_items(message, "message")]
    thoughts = [text_of(one.get("summary")) for one in _output_items(message, "reasoning")]
    return "\n\n".join(filter(None, texts)), "\n\n".join(filter(None, thoughts)) or None


def _output_items(message: _Message, type_: str) -> list[dict[str, Any]]:
    items = message.output if isinstance(message.output, list) else []
    return [one for one in items if isinstance(one, dict) and one.get("type") == type_]


def _native(calls: list[Any]) -> list[_Action]:
    """The commands of calls as an API has them."""
    found = []
    for call in calls:
        if not isinstance(call, dict):
            continue
        inner = call.get("function")
        function = inner if isinstance(inner, dict) else call
        try:
            arguments = msgspec.json.decode(function.get("arguments") or "{}")
        except (msgspec.MsgspecError, UnicodeError, TypeError, RecursionError):
            arguments = {}
        command = arguments.get("command") if isinstance(arguments, dict) else None
        if isinstance(command, str):
            id_ = call.get("call_id") or call.get("id")
            found.append(_Action(command, id_ if isinstance(id_, str) else None))
    return found


def _reasoning(response: dict[str, Any]) -> str | None:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return reasoning_of(first.get("message")) if isinstance(first, dict) else None


def _created(message: _Message, response: dict[str, Any]) -> float | None:
    created = response.get("created")
    return created if type(created) in (int, float) else message.created_at
