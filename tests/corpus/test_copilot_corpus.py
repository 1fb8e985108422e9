"""Real sessions of Copilot CLI: what an independent oracle counted in them is what we count."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from corpus import CORPUS, files_of_others, sessions_of, tools_of

import pytest_agentv
from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
from pytest_agentv.adapters.copilot.adapter import CopilotAdapter

if TYPE_CHECKING:
    from pytest_agentv.testing import AdapterCheck

FILES, EXPECTED = sessions_of("copilot")
ADAPTER = CopilotAdapter()

# Figures in which the oracle is wrong, by file, each with the record that proves it.
EXCEPTIONS: dict[str, dict[str, Any]] = {
    # Line 9 completes a call that no request and no start names: nobody knows which tool it was.
    # Line 13, the shutdown, states no reasoning tokens, which the oracle counts as none.
    "copilot/jazzyalex+agent-sessions__stage0-agents-copilot-schema_drift.jsonl": {
        "tool_calls": 1,
        "tool_results": 1,
        "tools": {"bash": 1},
        "token_usage": {
            "input": 1000, "output": 50, "cached": 800, "cache_write": 0, "reasoning": None,
        },
    },
    # Line 16, the shutdown, has no usage in its metrics, which the oracle counts as 0, and line 25
    # is a response after it. Lines 9 and 12 state 12 and 3 output tokens.
    "copilot/jazzyalex+agent-sessions__stage0-agents-copilot-small.jsonl": {
        "token_usage": {
            "input": None, "output": 15, "cached": None, "cache_write": None, "reasoning": None,
        },
    },
    # Lines 590 and 597 are responses of a sub-agent. The oracle leaves these two out of the
    # responses, but counts the five calls that they ask for, all of powershell.
    "copilot/polecatspeaks+StarCar__70-f01dc53f44-0-full.jsonl": {
        "tool_calls": 73,
        "tool_results": 73,
        "tools": {
            "powershell": 44, "grep": 10, "view": 9, "session_store_sql": 3,
            "read_powershell": 3, "edit": 2, "task": 1, "sql": 1,
        },
    },
    # Lines 539 and 562 have no content: autopilot wrote them, to urge the model on.
    "copilot/softwaresalt+agent-engram__.copilot-session-state-"
    "07c40cd0-ff51-4d6e-bdcd-ac2f90877203-events.jsonl": {"prompts": 7},
}  # fmt: skip


def stream(name: str, *, include_subagents: bool = False) -> pytest_agentv.SessionStream:
    path = CORPUS / name
    return ADAPTER.read(
        SessionRef(path.stem, path), ReadOptions(include_subagents=include_subagents)
    )


def events(name: str) -> list[dict[str, Any]]:
    lines = (CORPUS / name).read_bytes().split(b"\n")
    return [json.loads(line) for line in lines if line]


def expected(name: str) -> dict[str, Any]:
    """What the oracle says; its null means that no shutdown states the tokens.

    The output tokens are known all the same: every response states its own.
    """
    row = {**EXPECTED[name], **EXCEPTIONS.get(name, {})}
    if row["token_usage"] is None:
        responses = [one["data"] for one in events(name) if one["type"] == "assistant.message"]
        row["token_usage"] = {
            "input": None,
            "output": sum(response["outputTokens"] for response in responses),
            "cached": None,
            "cache_write": None,
            "reasoning": None,
        }
    return row


def counted(transcript: pytest_agentv.Transcript) -> dict[str, Any]:
    """The figures of a transcript, under the oracle's names."""
    calls = transcript.tool_calls()
    source, usage = transcript.source, transcript.token_usage
    return {
        "first_prompt": transcript.input,
        "prompts": len(transcript.messages(role="user", origin="human")),
        "assistant_messages": len(transcript.messages(role="assistant")),
        "tool_calls": len(calls),
        "tool_results": sum(call.output is not None for call in calls),
        "tools": tools_of(transcript),
        "token_usage": usage
        and {
            "input": usage.input,
            "output": usage.output,
            "cached": usage.cached,
            "cache_write": usage.cache_write,
            "reasoning": usage.reasoning,
        },
        "duration_ms": transcript.duration_ms,
        "model": source.model,
        "versions": [source.version],
        "cwd": source.cwd,
        "git_branch": source.git_branch,
        "session_ids": [source.session_id],
    }


def test_every_file_with_an_expectation_is_there() -> None:
    assert EXPECTED
    assert set(EXPECTED) == set(FILES)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_session_holds_what_the_oracle_counted(name: str) -> None:
    actual = counted(pytest_agentv.load(stream(name)))
    row = expected(name)
    assert actual == {figure: row[figure] for figure in actual}


@pytest.mark.parametrize("name", EXPECTED)
def test_output_tokens_are_complete_only_if_the_last_run_was_shut_down(name: str) -> None:
    types = [event["type"] for event in events(name)]
    usage = pytest_agentv.load(stream(name)).token_usage
    assert usage is not None
    after = types[::-1].index("session.shutdown") if "session.shutdown" in types else len(types)
    assert usage.output_complete is ("assistant.message" not in types[len(types) - after :])


@pytest.mark.parametrize("name", FILES)
def test_a_session_is_claimed_and_streams_to_the_same_bytes(name: str) -> None:
    assert ADAPTER.claims(CORPUS / name)
    assert not ClaudeAdapter().claims(CORPUS / name)
    streamed = io.BytesIO()
    pytest_agentv.write_stream(streamed, stream(name))
    assert streamed.getvalue() == pytest_agentv.dumps(pytest_agentv.load(stream(name)))


@pytest.mark.parametrize("name", [min(FILES, key=lambda name: (CORPUS / name).stat().st_size)])
def test_an_adapter_keeps_its_contract_on_a_session(
    agentv_check_adapter: AdapterCheck, name: str
) -> None:
    agentv_check_adapter(ADAPTER, CORPUS / name)


@pytest.mark.parametrize("name", files_of_others("copilot"))
def test_a_session_of_another_vendor_is_not_claimed(name: str) -> None:
    assert not ADAPTER.claims(CORPUS / name)


@pytest.mark.parametrize("name", EXPECTED)
def test_with_sub_agents_no_call_is_lost_and_the_tokens_stay(name: str) -> None:
    alone = pytest_agentv.load(stream(name))
    whole = pytest_agentv.load(stream(name, include_subagents=True))
    requested = {
        request["toolCallId"]
        for event in events(name)
        if event["type"] == "assistant.message"
        for request in event["data"]["toolRequests"]
    }
    assert {call.id for call in whole.tool_calls()} == requested
    assert [m for m in whole.output if m.agent_id is None] == [*alone.output] or (
        # Here one made-up id is that of all calls, so a sub-agent's is taken for the main one's.
        name.endswith("copilot-small.jsonl")
    )
    assert whole.token_usage == alone.token_usage
    assert whole.input == alone.input
