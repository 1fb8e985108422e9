"""Trajectories of SWE-agent: ``*.traj``, of versions 0.x and 1.x, and demonstrations.

``history`` is the conversation, ``trajectory`` has a step for each response in it: what was done,
what came of it, and how long that took. Neither says whether it went well, nor when.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.chat import reasoning_of
from pytest_agentv.adapters.clock import FOREVER
from pytest_agentv.adapters.lenient import lenient
from pytest_agentv.adapters.records import Drift, read_document, record_of, shown
from pytest_agentv.adapters.spending import usage_of
from pytest_agentv.adapters.swe_agent import PROVIDER
from pytest_agentv.adapters.swe_agent.tools import TOOLS
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import text_of
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from pytest_agentv.adapters.base import SessionRef
    from pytest_agentv.adapters.conversation import OpenCall


# What the environment says of a command that it did not run, or not to its end.
_TIMED_OUT = re.compile(r"was cancelled because it took more than|EXECUTION TIMED OUT|TIMED OUT")
_REFUSED = re.compile(r"\AYour (?:bash )?command contained syntax errors and was NOT executed")
_BLOCKED = re.compile(r"\AOperation '.{0,200}' is not supported by this environment")
# What every observation ended with, in the prompts of versions up to 1.0.
_STATE = re.compile(r"\n?(?:\(Open file: [^\n]*\)\n\(Current directory: [^\n]*\)\n)?bash-\$\s*\Z")
_NO_OUTPUT = re.compile(
    r"\AYour (?:last )?command ran successfully and did not produce any output\.?"
)
# That is how long such an end may be.
_END = 2000
# What stands in place of a response when the run was ended from outside.
_ENDED = re.compile(r"\A[Ee]xit(?:ed)? (?:due to|because of) |\AExit ")
# Each step of version 1.1 repeats the whole prompt.
_LIMIT = 256 << 20


class _Step(msgspec.Struct):
    action: str | None = None
    observation: Any = None
    response: str | None = None
    thought: str | None = None
    state: Any = None
    execution_time: float | None = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None


class _Item(msgspec.Struct):
    role: str | None = None
    content: Any = None
    thought: str | None = None
    action: str | None = None
    is_demo: bool | None = None
    tool_calls: list[_Call] | None = None
    tool_call_ids: list[str] | None = None
    thinking_blocks: Any = None
    reasoning_content: str | None = None


class _Stats(msgspec.Struct):
    instance_cost: float | None = None
    tokens_sent: int | None = None
    tokens_received: int | None = None


class _Info(msgspec.Struct):
    model_stats: _Stats | None = None
    swe_agent_version: str | None = None


class _Attempt(msgspec.Struct):
    trajectory: list[_Step] | None = None
    history: list[_Item] | None = None
    info: _Info | None = None
    replay_config: Any = None


class _Document(_Attempt):
    attempts: list[_Attempt] | None = None


class _Name(msgspec.Struct):
    name: str | None = None


class _Agent(msgspec.Struct):
    model: _Name | None = None


class _Config(msgspec.Struct):
    agent: _Agent | None = None


def read_trajectory(ref: SessionRef) -> Told:
    """What a trajectory tells."""
    drift = Drift()
    document = read_document(ref.path, _Document, drift, limit=_LIMIT)
    told = Told(drift, PROVIDER)
    told.session_id = ref.session_id
    attempts = document.attempts or []
    # The document itself is a copy of the best attempt; its figures are those of all.
    best: _Attempt = document
    if not (document.trajectory or document.history) and attempts:
        best = attempts[-1]
    if len(attempts) > 1:
        told.left_out["attempt"] = len(attempts) - 1
    _take_figures(told, document.info or best.info or _Info())
    config = document.replay_config or best.replay_config
    if isinstance(config, str):
        config = record_of(config.encode("utf-8", "replace"), _Config, Drift())
    elif isinstance(config, dict):
        config = lenient(config, _Config, Drift(), 1)
    if isinstance(config, _Config) and config.agent and config.agent.model:
        told.model = config.agent.model.name
    _Run(told, best).read()
    return told


def _take_figures(told: Told, info: _Info) -> None:
    told.version = info.swe_agent_version
    stats = info.model_stats
    if stats is None:
        return
    # A model that is not counted, or has no price, has zeros here.
    told.costs(stats.instance_cost or None)
    usage = usage_of(input=stats.tokens_sent, output=stats.tokens_received)
    if usage is not None and (usage.input or usage.output):
        told.usage = TokenUsage(
            input=usage.input, output=usage.output, output_complete=usage.output is not None or None
        )


class _Run:
    """The conversation of one attempt."""

    def __init__(self, told: Told, attempt: _Attempt) -> None:
        self._told = told
        self._items = attempt.history or []
        self._steps = attempt.trajectory or []
        # How many steps were told, and where those of an action are that may follow.
        self._told_steps = 0
        self._places: dict[str, deque[int]] = {}
        for number, step in enumerate(self._steps):
            self._places.setdefault(_action(step.action), deque()).append(number)
        # The calls of the last response with their step, by their identity: calls may be equal.
        self._step_of: dict[int, tuple[OpenCall, _Step]] = {}

    def read(self) -> None:
        for item in self._items:
            if item.is_demo:
                self._told.left_out["demonstration"] += 1
            elif item.role == "system":
                self._told.left_out["system prompt"] += 1
            elif item.role == "assistant":
                self._settle()
                self._assistant(item)
            elif item.role == "tool":
                self._tool(item)
            elif item.role == "user":
                self._user(item)
            else:
                self._told.drift.note(f"message role {shown(item.role)}", 1)
        self._settle()
        self._tell_until(len(self._steps))

    def _tell_until(self, number: int) -> None:
        """Steps of responses that are not in the history."""
        for step in self._steps[self._told_steps : number]:
            self._respond(step.thought or step.response or "", step.action, step)
            self._settle()
        self._told_steps = number

    def _assistant(self, item: _Item) -> None:
        step = self._step_for(item.action)
        text = item.thought if item.thought is not None else text_of(item.content)
        thinking = reasoning_of(
            {"reasoning_content": item.reasoning_content, "thinking_blocks": item.thinking_blocks}
        )
        calls = [one for one in item.tool_calls or () if one.function and one.function.name]
        if not calls:
            self._respond(text, item.action, step, thinking)
            return
        self._told.assistant(text.strip(), thinking=thinking)
        for one in calls:
            assert one.function is not None
            made = self._told.call(one.function.name or "", one.function.arguments, id=one.id)
            self._note(made, step)

    def _respond(
        self, text: str, action: str | None, step: _Step | None, thinking: str | None = None
    ) -> None:
        """A response whose one call, if there is any, is a command line."""
        command = _action(action)
        if _ENDED.match(text) and (not command or command.startswith("exit_")):
            self._told.system(text.strip())
            return
        self._told.assistant(text.strip(), thinking=thinking)
        if command:
            name = command.split(maxsplit=1)[0]
            tool = name if name in TOOLS else "bash"
            self._note(self._told.call(tool, {"command": command}), step)

    def _note(self, call: OpenCall, step: _Step | None) -> None:
        if step is None:
            return
        self._step_of[id(call)] = (call, step)
        state = _state(step)
        self._told.cwd = self._told.cwd or state.get("working_dir")
        opened = state.get("open_file")
        if call.kind == "edit" and "path" not in call.args and opened not in (None, "", "n/a"):
            call.args = {**call.args, "path": opened}  # edits are of the file that is open

    def _step_for(self, action: str | None) -> _Step | None:
        """The step of the next response; those of another action are of responses not kept."""
        places = self._places.get(_action(action), deque())
        while places and places[0] < self._told_steps:
            places.popleft()
        if not places:
            return None
        self._tell_until(places[0])
        self._told_steps += 1
        return self._steps[places[0]]

    def _user(self, item: _Item) -> None:
        call = self._told.waiting()
        text = text_of(item.content)
        if call is not None:
            self._answer(call, text)
        else:
            self._told.user(text, origin="human" if self._told.opening is None else "injected")

    def _tool(self, item: _Item) -> None:
        ids = item.tool_call_ids or []
        call = self._told.waiting(ids[0] if ids else None) or self._told.waiting()
        if call is None:
            self._told.drift.note("result without a call", 1)
        else:
            self._answer(call, text_of(item.content))

    def _answer(self, call: OpenCall, text: str) -> None:
        _, step = self._step_of.get(id(call), (call, None))
        if step is not None and step.observation is not None:
            output = text_of(step.observation)
        else:
            output = text[:-_END] + _STATE.sub("", text[-_END:])
            output = "" if _NO_OUTPUT.match(output) else output
        seconds = step.execution_time if step is not None else None
        took = None if seconds is None or not 0 <= seconds * 1000 < FOREVER else seconds * 1000
        self._told.answer(
            call, output, status=_status(output), duration_ms=None if took is None else round(took)
        )

    def _settle(self) -> None:
        """Calls whose result is in their step alone: the last one of versions up to 1.0."""
        for call, step in self._step_of.values():
            if call.result is None and step.observation is not None:
                self._answer(call, "")
        self._step_of.clear()


def _action(text: str | None) -> str:
    return (text or "").strip()


def _state(step: _Step) -> dict[str, str]:
    """Where a step left the environment; a text of JSON in old versions."""
    state = step.state
    if isinstance(state, str):
        try:
            state = msgspec.json.decode(state)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return {}
    if not isinstance(state, dict):
        return {}
    return {name: value for name, value in state.items() if isinstance(value, str)}


def _status(output: str) -> str | None:
    if _TIMED_OUT.search(output[-2000:]):
        return "timeout"
    if _REFUSED.match(output):
        return "error"
    return "denied" if _BLOCKED.match(output) else None
