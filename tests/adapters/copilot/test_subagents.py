"""Sub-agents: their events stand between those of the main thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from copilot_sessions import Session, request, said

if TYPE_CHECKING:
    from copilot_sessions import Read


def _with_subagent(*, marked_by: str = "both") -> Session:
    session = Session()
    session.start()
    session.user("Review it")
    session.assistant("", request("task-1", "task", {"prompt": "Review a.py"}), outputTokens=10)
    session.tool_start("task-1", "task", {"prompt": "Review a.py"})
    session.event("subagent.started", {"toolCallId": "task-1", "agentName": "reviewer"})
    parent = None if marked_by == "agentId" else "task-1"
    session.agent_id = None if marked_by == "parentToolCallId" else "agent-7"
    session.user("Review a.py", source="agent-main", parentToolCallId=parent)
    session.assistant(
        "",
        request("inner-1", "view", {"path": "a.py"}),
        outputTokens=5,
        parentToolCallId=parent,
        model="gpt-5-mini",
    )
    session.tool_start("inner-1", "view", {"path": "a.py"}, parentToolCallId=parent)
    session.tool_complete("inner-1", "code", parentToolCallId=parent)
    session.assistant("Looks good.", outputTokens=5, parentToolCallId=parent)
    session.agent_id = None
    session.event("subagent.completed", {"toolCallId": "task-1", "agentName": "reviewer"})
    session.tool_complete("task-1", "Looks good.")
    session.assistant("It is fine.", outputTokens=10)
    return session


_MARKS = pytest.mark.parametrize("marked_by", ["both", "agentId", "parentToolCallId"])


@_MARKS
def test_by_default_only_the_call_that_started_them_is_told(read: Read, marked_by: str) -> None:
    transcript = read(_with_subagent(marked_by=marked_by))
    assert said(transcript) == [
        ("human", "Review it"),
        ("assistant", ""),
        ("assistant", "It is fine."),
    ]
    assert [(call.kind, call.output) for call in transcript.tool_calls()] == [
        ("task", "Looks good.")
    ]
    assert transcript.left_out["sub-agent record"] == 5
    assert transcript.drift == {}


@_MARKS
def test_on_request_they_stand_where_the_file_has_them(read: Read, marked_by: str) -> None:
    transcript = read(_with_subagent(marked_by=marked_by), include_subagents=True)
    agent = "task-1" if marked_by == "parentToolCallId" else "agent-7"
    assert [(message.agent_id, message.content) for message in transcript.output] == [
        (None, "Review it"),
        (None, ""),
        (agent, "Review a.py"),
        (agent, ""),
        (agent, "Looks good."),
        (None, "It is fine."),
    ]
    assert [call.id for call in transcript.tool_calls()] == ["task-1", "inner-1"]
    assert transcript.input == "Review it"


def test_their_tokens_count_and_their_model_does_not(read: Read) -> None:
    alone = read(_with_subagent())
    whole = read(_with_subagent(), include_subagents=True)
    assert alone.token_usage == whole.token_usage
    assert alone.token_usage is not None
    assert alone.token_usage.output == 30
    assert alone.source.model == whole.source.model == "claude-sonnet-4.6"


def test_a_brief_is_never_the_prompt_of_a_person(read: Read) -> None:
    session = Session()
    session.start()
    session.agent_id = "agent-7"
    session.user("Review a.py")
    session.agent_id = None
    session.assistant("Hello")
    transcript = read(session, include_subagents=True)
    assert transcript.input is None
    assert said(transcript)[0] == ("injected", "Review a.py")


def test_the_result_of_a_call_that_was_left_out_is_no_drift(read: Read) -> None:
    session = _with_subagent()
    session.agent_id = "agent-7"
    session.assistant("", request("inner-2", "view", {"path": "b.py"}))
    session.agent_id = None
    session.tool_start("inner-2", "view", {"path": "b.py"})
    session.tool_complete("inner-2", "code")
    transcript = read(session)
    assert transcript.drift == {}
    assert transcript.left_out["sub-agent record"] == 7
    assert len(transcript.tool_calls()) == 1
