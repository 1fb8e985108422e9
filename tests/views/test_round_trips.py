"""What a form holds of a session: enough to make the session again, where the table says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from pages import EXAMPLES
from sample_transcripts import SAMPLE
from shown_sessions import SHOWN

from pytest_agentv import (
    Attachment,
    Message,
    Source,
    TokenUsage,
    ToolCall,
    Transcript,
    Usage,
    read_transcripts,
)
from pytest_agentv.views.atif import atif
from pytest_agentv.views.openai import openai_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

SESSIONS = [
    SAMPLE,
    SHOWN,
    *(one for path in sorted(EXAMPLES.glob("transcripts/**/*.jsonl"))
      for one in read_transcripts(path)),
]  # fmt: skip
_ROLES = {"user": "user", "agent": "assistant", "system": "system"}


def of_atif(document: dict[str, Any]) -> Transcript:
    """A transcript out of a trajectory; sub-agents come after the main thread."""
    metrics, extra = document["final_metrics"], document["extra"]
    more = metrics.get("extra", {})
    agent = document["agent"]
    output = [
        *_messages(document["steps"], agent_id=None),
        *(
            message
            for one in document.get("subagent_trajectories", ())
            for message in _messages(one["steps"], agent_id=one["trajectory_id"])
        ),
    ]
    return Transcript(
        test_id=extra.get("test_id"),
        source=Source(
            provider=agent["name"],
            session_id=document["session_id"],
            model=agent.get("model_name"),
            version=agent["version"],
            title=extra.get("title"),
            timestamp=extra.get("started_at"),
            ended_at=extra.get("ended_at"),
            git_branch=extra.get("git_branch"),
            cwd=extra.get("cwd"),
        ),
        input=next((one.content for one in output if one.origin == "human"), None),
        output=tuple(output),
        token_usage=TokenUsage(
            input=metrics.get("total_prompt_tokens"),
            output=metrics.get("total_completion_tokens"),
            cached=metrics.get("total_cached_tokens"),
            cache_write=more.get("cache_write_tokens"),
            reasoning=more.get("reasoning_tokens"),
            output_complete=more.get("output_complete"),
        ),
        duration_ms=more.get("duration_ms"),
        cost_usd=metrics.get("total_cost_usd"),
        privacy=extra.get("privacy"),
        drift=extra.get("drift", {}),
        left_out=extra.get("left_out", {}),
    )


def _messages(steps: list[dict[str, Any]], *, agent_id: str | None) -> Iterable[Message]:
    for step in steps:
        results = step.get("observation", {"results": []})["results"]
        by_call = {result["source_call_id"]: result for result in results}
        extra, metrics = step.get("extra", {}), step.get("metrics")
        more = (metrics or {}).get("extra", {})
        yield Message(
            id=extra.get("id"),
            line=extra.get("line"),
            role=_ROLES[step["source"]],
            origin=extra.get("origin"),
            content=step["message"],
            thinking=step.get("reasoning_content"),
            model=step.get("model_name"),
            timestamp=step.get("timestamp"),
            usage=metrics
            and Usage(
                input=metrics.get("prompt_tokens"),
                output=metrics.get("completion_tokens"),
                cached=metrics.get("cached_tokens"),
                cache_write=more.get("cache_write_tokens"),
                reasoning=more.get("reasoning_tokens"),
            ),
            tool_calls=tuple(
                _call(call, by_call.get(call["tool_call_id"]))
                for call in step.get("tool_calls", ())
            ),
            attachments=msgspec.convert(extra.get("attachments", ()), tuple[Attachment, ...]),
            agent_id=agent_id,
        )


def _call(call: dict[str, Any], result: dict[str, Any] | None) -> ToolCall:
    extra = {**call["extra"], **(result or {}).get("extra", {})}
    arguments = call["arguments"]
    inputs = {"absent": None, "wrapped": arguments.get("input")}
    return ToolCall(
        id=extra.get("id") if extra.get("id_made_up") else call["tool_call_id"],
        line=extra.get("line"),
        tool=call["function_name"],
        kind=extra["kind"],
        input=inputs.get(extra.get("input", ""), arguments),
        args=extra.get("args", {}),
        output=None if result is None else result["content"],
        status=extra["status"],
        exit_code=extra.get("exit_code"),
        duration_ms=extra.get("duration_ms"),
        duration_source=extra.get("duration_source"),
        timestamp=extra.get("timestamp"),
    )


def by_thread(transcript: Transcript) -> Transcript:
    """The transcript with its sub-agents after the main thread: when they spoke is lost."""
    output = sorted(transcript.output, key=lambda one: (one.agent_id is not None, one.agent_id))
    return msgspec.structs.replace(transcript, output=tuple(output))


@pytest.mark.parametrize("transcript", SESSIONS, ids=lambda one: one.source.provider)
def test_a_trajectory_of_atif_holds_the_whole_session(transcript: Transcript) -> None:
    document = json.loads(b"".join(atif(transcript)))

    again = of_atif(document)

    first = next((one.content for one in transcript.output if one.origin == "human"), None)
    assert again == msgspec.structs.replace(by_thread(transcript), input=first)


@pytest.mark.parametrize("transcript", SESSIONS, ids=lambda one: one.source.provider)
def test_chat_messages_hold_what_was_said_called_and_answered(transcript: Transcript) -> None:
    rows = [json.loads(line) for line in b"".join(openai_rows(transcript)).splitlines()]

    said = [
        (row.get("agent_id"), one["role"], one["content"], one.get("reasoning_content"))
        for row in rows
        for one in row["messages"]
        if one["role"] != "tool"
    ]
    messages = by_thread(transcript).output
    assert said == [(one.agent_id, one.role, one.content, one.thinking) for one in messages]
    calls = [call for row in rows for one in row["messages"] for call in one.get("tool_calls", ())]
    names = [call["function"]["name"] for call in calls]
    assert names == [call.tool for one in messages for call in one.tool_calls]
    outputs = [one["content"] for row in rows for one in row["messages"] if one["role"] == "tool"]
    answered = [call.output for one in messages for call in one.tool_calls]
    assert outputs == [one for one in answered if one is not None]
