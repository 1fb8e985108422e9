"""ATIF 1.8, Harbor's form of trajectories: a step for each message, results with their calls.

What the form has no field for stands in its ``extra`` objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.errors import TranscriptError
from pytest_agentv.views.calls import CallIds, arguments_of
from pytest_agentv.views.encoding import joined, opened
from pytest_agentv.views.entries import is_answered
from pytest_agentv.views.threads import threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.transcript.model import Message, ToolCall, Usage
    from pytest_agentv.transcript.stored import AnyTranscript

_VERSION = "ATIF-v1.8"
# Who reads it back knows by this that nothing was lost.
_EXPORTED_BY = "pytest-agentv"
_NO_OBJECT = {dict: None, type(None): "absent"}
_SOURCES = {"user": "user", "assistant": "agent"}


def atif(transcript: AnyTranscript) -> Iterator[bytes]:
    """A session as one line of JSON, in pieces; sub-agents are trajectories of their own in it."""
    found = threads(transcript.output)
    if not found:
        raise TranscriptError("has no messages; a trajectory of ATIF has one or more")
    # Without a main thread the first sub-agent stands for it: no trajectory may be empty.
    (agent_id, main), *others = found.items()
    about = {**_head(transcript, agent_id=agent_id), **_totals(transcript, steps=len(main))}
    yield opened(about, "steps")
    yield from joined(_steps(main))
    if others:
        yield b'],"subagent_trajectories":['
        comma = b""
        for id_, messages in others:
            yield comma + opened(_head(transcript, agent_id=id_), "steps")
            yield from joined(_steps(messages))
            yield b"]}"
            comma = b","
    yield b"]}\n"


def _head(transcript: AnyTranscript, *, agent_id: str | None) -> dict[str, Any]:
    source = transcript.source
    agent = {
        "name": source.provider,
        "version": source.version or "unknown",
        "model_name": source.model,
    }
    return {
        "schema_version": _VERSION,
        "session_id": source.session_id,
        "trajectory_id": source.session_id if agent_id is None else agent_id,
        "agent": _known(agent),
    }


def _totals(transcript: AnyTranscript, *, steps: int) -> dict[str, Any]:
    source, usage = transcript.source, transcript.token_usage
    metrics = {
        "total_prompt_tokens": usage and usage.input,
        "total_completion_tokens": usage and usage.output,
        "total_cached_tokens": usage and usage.cached,
        "total_cost_usd": transcript.cost_usd,
        "total_steps": steps,
        "extra": _known(
            {
                "cache_write_tokens": usage and usage.cache_write,
                "reasoning_tokens": usage and usage.reasoning,
                "output_complete": usage and usage.output_complete,
                "duration_ms": transcript.duration_ms,
            }
        ),
    }
    extra = {
        "exported_by": _EXPORTED_BY,
        "test_id": transcript.test_id,
        "title": source.title,
        "started_at": source.timestamp,
        "ended_at": source.ended_at,
        "git_branch": source.git_branch,
        "cwd": source.cwd,
        "privacy": transcript.privacy,
        "drift": transcript.drift,
        "left_out": transcript.left_out,
    }
    return {"final_metrics": _known(metrics), "extra": _known(extra)}


def _steps(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    ids = CallIds()
    for number, message in enumerate(messages, 1):
        source = _SOURCES.get(message.role, "system")
        step: dict[str, Any] = {
            "step_id": number,
            "timestamp": message.timestamp,
            "source": source,
            "message": message.content,
        }
        extra: dict[str, Any] = {
            "id": message.id,
            "line": message.line,
            "origin": message.origin,
            "attachments": msgspec.to_builtins(list(message.attachments)),
        }
        calls = [(ids.new(call), call) for call in message.tool_calls]
        of_agent = {
            "model_name": message.model,
            "reasoning_content": message.thinking,
            "tool_calls": [_call(id_, call) for id_, call in calls],
            "metrics": _metrics(message.usage),
        }
        if source == "agent":
            step.update(of_agent)
            # One response of a model, where the session knows what it took.
            step["llm_call_count"] = 1 if message.usage is not None else None
            step["observation"] = _known(
                {"results": [_result(id_, call) for id_, call in calls if is_answered(call)]}
            )
        else:
            extra |= of_agent  # the form forbids these elsewhere
        yield _known({**step, "extra": _known(extra)})


def _call(id_: str, call: ToolCall) -> dict[str, Any]:
    extra = {
        "kind": call.kind,
        "args": call.args,
        "line": call.line,
        "timestamp": call.timestamp,
        **({} if call.id == id_ else {"id": call.id, "id_made_up": True}),
        "status": None if is_answered(call) else call.status,
        # Arguments of ATIF are an object; how to get back what is none.
        "input": _NO_OBJECT.get(type(call.input), "wrapped"),
    }
    return {
        "tool_call_id": id_,
        "function_name": call.tool,
        "arguments": arguments_of(call),
        "extra": _known(extra),
    }


def _result(id_: str, call: ToolCall) -> dict[str, Any]:
    extra = {
        "status": call.status,
        "exit_code": call.exit_code,
        "duration_ms": call.duration_ms,
        "duration_source": call.duration_source,
    }
    return {"source_call_id": id_, "content": call.output, "extra": _known(extra)}


def _metrics(usage: Usage | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    extra = {"cache_write_tokens": usage.cache_write, "reasoning_tokens": usage.reasoning}
    metrics = {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "cached_tokens": usage.cached,
        "extra": _known(extra),
    }
    return _known(metrics)


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """What there is to say: neither what is unknown nor what is empty, but every text."""
    return {
        name: value for name, value in values.items() if value is not None and value not in ({}, [])
    }
