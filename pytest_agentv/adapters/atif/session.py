"""What the steps of a trajectory mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from pytest_agentv.adapters.atif.records import Metrics, Result, Step, Trajectory
from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.records import record_of, shown
from pytest_agentv.adapters.spending import cost_of, usage_of
from pytest_agentv.adapters.values import attachments_of, text_of
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Attachment, Kind, Origin, Status, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.atif.records import Call
    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

_STATUSES, _KINDS, _ORIGINS = (frozenset(get_args(one)) for one in (Status, Kind, Origin))
# How writers call an exit code, for which ATIF has no field.
_EXIT_CODES = ("exit_code", "returncode", "return_code", "exit_status")
_RETURN_CODE = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>")
_CANONICAL = frozenset(("path", "paths", "command", "query", "url", "pattern", "content"))
_MAX_NESTING = 20


class Teller:
    """Says what the steps of one trajectory mean, and those of its sub-agents if wanted."""

    def __init__(self, told: Told, *, include_subagents: bool, is_own: bool) -> None:
        """``is_own``: written by us, so that every field means what it says."""
        self._told = told
        self._is_own = is_own
        self._include = include_subagents
        self._agents: dict[str, Trajectory] = {}

    def trajectory(self, trajectory: Trajectory, *, until_opening: bool) -> None:
        """The main thread."""
        told = self._told
        self._find_agents(trajectory, 0)
        for step in self._steps(trajectory):
            if step.source == "system" and not self._is_own and told.conversation.current is None:
                told.left_out["system prompt"] += 1
            else:
                self._step(step, None)
            if until_opening and told.opening is not None:
                return
        for agent in list(self._agents):
            self._agent(agent)
        if trajectory.continued_trajectory_ref is not None:
            told.left_out["continuation in another file"] += 1
        self._totals(trajectory)

    def _steps(self, trajectory: Trajectory) -> Iterator[Step]:
        for raw in trajectory.steps or []:
            step = record_of(raw, Step, self._told.drift)
            if step is None:
                self._told.drift.note("step that is no object", 1)
            elif step.is_copied_context:
                self._told.left_out["copied context"] += 1
            else:
                yield step

    def _find_agents(self, trajectory: Trajectory, nesting: int) -> None:
        for raw in trajectory.subagent_trajectories or []:
            found = record_of(raw, Trajectory, self._told.drift)
            if not self._include:
                self._told.left_out["sub-agent"] += 1
            elif found is None or nesting >= _MAX_NESTING:
                self._told.drift.note("sub-agent that cannot be read", 1)
            else:
                name = found.trajectory_id or found.session_id or f"agent-{len(self._agents) + 1}"
                self._agents[name] = found
                self._find_agents(found, nesting + 1)

    def _agent(self, name: str) -> None:
        trajectory = self._agents.pop(name, None)
        for step in self._steps(trajectory) if trajectory else ():
            self._step(step, name)

    def _step(self, step: Step, agent_id: str | None) -> None:
        told, extra = self._told, step.extra or {}
        time = from_text(step.timestamp)
        text = text_of(step.message)
        line, id_ = stated_count(extra.get("line")), stated_text(extra.get("id"))
        if step.source == "agent":
            message = told.assistant(
                text,
                thinking=step.reasoning_content or None,
                line=line,
                time=time,
                id=id_,
                model=step.model_name,
                usage=self._usage(step.metrics, agent_id),
                agent_id=agent_id,
            )
        elif step.source == "user":
            origin = extra.get("origin")
            if not isinstance(origin, str) or origin not in _ORIGINS:
                origin = "human" if agent_id is None else "injected"
            message = told.user(
                text, origin=origin, line=line, time=time, id=id_, agent_id=agent_id
            )
        elif step.source == "system":
            message = told.system(text, line=line, time=time)
            message.id, message.agent_id = id_, agent_id
        else:
            told.drift.note(f"step of source {shown(step.source)}", 1)
            return
        message.attachments.extend(attachments_of(step.message))
        message.attachments.extend(_attachments(extra.get("attachments")))
        self._calls(step, agent_id)

    def _calls(self, step: Step, agent_id: str | None) -> None:
        results = (step.observation.results if step.observation else None) or []
        calls = step.tool_calls or []
        by_id = {one.source_call_id: one for one in results if one.source_call_id is not None}
        nameless = [one for one in results if one.source_call_id is None]
        if len(nameless) == len(calls) == len(results):  # each in its place
            by_place = dict(enumerate(nameless))
            nameless = []
        else:
            by_place = {}
        for position, call in enumerate(calls):
            result = by_place.get(position) or by_id.pop(call.tool_call_id or "", None)
            self._call(call, result, step)
        for result in (*nameless, *by_id.values()):  # of no call of this step
            text = text_of(result.content)
            if text:
                self._told.user(
                    text, origin="injected", time=from_text(step.timestamp), agent_id=agent_id
                )
        for result in results:
            for agent in _agents_of(result.subagent_trajectory_ref):
                self._agent(agent)

    def _call(self, call: Call, result: Result | None, step: Step) -> None:
        told, extra = self._told, call.extra or {}
        if call.function_name is None:
            told.drift.note("tool call without a name", 1)
            return
        if told.conversation.current is None:
            told.assistant(time=from_text(step.timestamp))
        own_id = stated_text(extra.get("id"))
        made = told.call(
            call.function_name,
            _input(call, extra),
            id=own_id if extra.get("id_made_up") is True else call.tool_call_id,
            line=stated_count(extra.get("line")),
            time=from_text(extra.get("timestamp")),
        )
        kind, args = extra.get("kind"), extra.get("args")
        if isinstance(kind, str) and kind in _KINDS:
            made.kind = kind
            made.args = _canonical(args)
        if result is None:
            status = extra.get("status")
            if isinstance(status, str) and status in _STATUSES - {"ok", "error"}:
                told.conversation.correct(made, status=status)
            return
        self._answer(made, result, extra)

    def _answer(self, call: OpenCall, result: Result, of_call: dict[str, Any]) -> None:
        told = self._told
        extra = {**of_call, **(result.extra or {})}
        output = text_of(result.content)
        code = next((extra[name] for name in _EXIT_CODES if type(extra.get(name)) is int), None)
        if code is None and call.kind == "shell":
            found = _RETURN_CODE.match(output)
            code = int(found[1]) if found else None
        status, failed = extra.get("status"), extra.get("is_error")
        took, source = stated_count(extra.get("duration_ms")), extra.get("duration_source")
        told.answer(
            call,
            None if result.content is None and status not in ("ok", "error") else output,
            status=status if isinstance(status, str) and status in _STATUSES else None,
            exit_code=code,
            is_error=failed if isinstance(failed, bool) else None,
            duration_ms=took,
        )
        if call.result is not None and (self._is_own or source in ("tool", "timestamps")):
            call.result.duration_source = stated_text(source)
        current = told.conversation.current
        if current is not None:
            current.attachments.extend(
                msgspec.structs.replace(one, call_id=call.id)
                for one in attachments_of(result.content)
            )

    def _usage(self, metrics: Metrics | None, agent_id: str | None) -> Usage | None:
        if metrics is None:
            return None
        extra = metrics.extra or {}
        if agent_id is None:
            self._told.costs(metrics.cost_usd if metrics.cost_usd or self._is_own else None)
        if not metrics.prompt_tokens and not metrics.completion_tokens and not self._is_own:
            return None  # zeros: somebody does not say
        return usage_of(
            input=metrics.prompt_tokens,
            output=metrics.completion_tokens,
            cached=metrics.cached_tokens,
            cache_write=_written(extra),
            reasoning=stated_count(extra.get("reasoning_tokens")),
        )

    def _totals(self, trajectory: Trajectory) -> None:
        final = trajectory.final_metrics
        told = self._told
        if final is None:
            return
        if final.total_cost_usd or self._is_own:  # zero: somebody does not say
            if cost_of(final.total_cost_usd) is not None:
                told.cost_usd = None  # it wins over the sum of the steps
            told.costs(final.total_cost_usd)
        extra = final.extra or {}
        usage = usage_of(
            input=final.total_prompt_tokens,
            output=final.total_completion_tokens,
            cached=final.total_cached_tokens,
            cache_write=_written(extra),
            reasoning=stated_count(extra.get("reasoning_tokens")),
        )
        if usage is not None and (usage.input or usage.output):  # zeros: somebody does not say
            complete = extra.get("output_complete")
            told.usage = TokenUsage(
                **{name: getattr(usage, name) for name in usage.__struct_fields__},
                output_complete=complete
                if isinstance(complete, bool)
                else usage.output is not None,
            )
        took = stated_count(extra.get("duration_ms"))
        told.duration_ms = told.duration_ms if took is None else took


def _canonical(args: Any) -> dict[str, Any]:
    is_good = isinstance(args, dict) and set(args) <= _CANONICAL and not too_deep(args)
    return args if is_good else {}


def _input(call: Call, extra: dict[str, Any]) -> Any:
    """The arguments as they were: our export says where they were no object."""
    form = extra.get("input")
    if form == "absent":
        return None
    if form == "wrapped" and isinstance(call.arguments, dict):
        return call.arguments.get("input")
    return call.arguments


def _written(extra: dict[str, Any]) -> int | None:
    names = ("cache_write_tokens", "cache_creation_input_tokens", "cache_creation_tokens")
    return next((extra[name] for name in names if stated_count(extra.get(name)) is not None), None)


def _agents_of(refs: Any) -> list[str]:
    several = refs if isinstance(refs, list) else []
    names = [
        one.get("trajectory_id") or one.get("session_id")
        for one in several
        if isinstance(one, dict)
    ]
    return [name for name in names if isinstance(name, str)]


def _attachments(described: Any) -> list[Attachment]:
    try:
        return msgspec.convert(described or [], list[Attachment])
    except (msgspec.ValidationError, RecursionError):
        return []


def stated_count(value: Any) -> int | None:
    """A count; None if a value is none."""
    return value if type(value) is int and 0 <= value < 2**53 else None


def stated_text(value: Any) -> str | None:
    """A text; None if a value is none."""
    return value if isinstance(value, str) else None
