"""Real Codex sessions: what an independent oracle counted in them is what we count."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from corpus import CORPUS, files_of_others, sessions_of, tools_of

import pytest_agentv
from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
from pytest_agentv.adapters.codex.adapter import CodexAdapter

if TYPE_CHECKING:
    from pytest_agentv.testing import AdapterCheck

FILES, EXPECTED = sessions_of("codex")
ADAPTER = CodexAdapter()

# Figures in which the oracle is wrong, by file, each with the record that proves it.
EXCEPTIONS: dict[str, dict[str, Any]] = {
    # The oracle takes the heads of other threads from line 29 on for a parent's, and all records
    # for copies. The prompt is on line 6, the calls on lines 9 to 14, the tokens on line 22.
    # Lines 43, 49, 103 and 114 are four calls, though their ids are trimmed to the same
    # text; lines 105 and 115 answer two of them. The other prompts are events on their own, lines
    # 71 and on.
    "codex/jazzyalex+agent-sessions__stage0-agents-codex-small.jsonl": {
        "first_prompt": "List the files",
        "prompts": 4,
        "tool_calls": 8,
        "tool_results": 6,
        "tools": {
            "shell": 2,
            "tool_search_call": 2,
            "web_search_call": 1,
            "image_generation_call": 1,
            "[trimmed for fixture]": 2,
        },
        "token_usage": {"input": 16341, "output": 81, "cached": 3584, "reasoning": 63},
        "duration_ms": 0,
        "model": "gpt-5.6-luna",
    },
}


def stream(name: str) -> pytest_agentv.SessionStream:
    path = CORPUS / name
    return ADAPTER.read(SessionRef(path.stem, path), ReadOptions())


def counted(transcript: pytest_agentv.Transcript) -> dict[str, Any]:
    """The figures of a transcript, under the oracle's names."""
    calls = transcript.tool_calls()
    usage = transcript.token_usage
    return {
        "first_prompt": transcript.input,
        "prompts": len(transcript.messages(role="user", origin="human")),
        "tool_calls": len(calls),
        "tool_results": sum(call.output is not None for call in calls),
        "tools": tools_of(transcript),
        "token_usage": usage
        and {
            "input": usage.input,
            "output": usage.output,
            "cached": usage.cached,
            "reasoning": usage.reasoning,
        },
        "duration_ms": transcript.duration_ms,
        "model": transcript.source.model,
        "git_branch": transcript.source.git_branch,
        "cwd": transcript.source.cwd,
    }


def test_every_file_with_an_expectation_is_there() -> None:
    assert EXPECTED
    assert set(EXPECTED) <= set(FILES)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_session_holds_what_the_oracle_counted(name: str) -> None:
    expected = {**EXPECTED[name], **EXCEPTIONS.get(name, {})}
    transcript = pytest_agentv.load(stream(name))
    actual = counted(transcript)
    assert actual == {figure: expected[figure] for figure in actual}
    assert transcript.source.session_id in expected["session_ids"]
    assert transcript.source.version in expected["versions"]


@pytest.mark.parametrize("name", FILES)
def test_a_session_is_claimed_and_streams_to_the_same_bytes(name: str) -> None:
    assert ADAPTER.claims(CORPUS / name)
    assert not ClaudeAdapter().claims(CORPUS / name)
    streamed = io.BytesIO()
    pytest_agentv.write_stream(streamed, stream(name))
    assert streamed.getvalue() == pytest_agentv.dumps(pytest_agentv.load(stream(name)))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_tokens_of_responses_never_exceed_those_of_the_session(name: str) -> None:
    transcript = pytest_agentv.load(stream(name))
    usages = [message.usage for message in transcript.output if message.usage is not None]
    total = transcript.token_usage
    assert sum(usage.input or 0 for usage in usages) <= ((total and total.input) or 0)
    assert sum(usage.output or 0 for usage in usages) <= ((total and total.output) or 0)


@pytest.mark.parametrize("name", [min(FILES, key=lambda name: (CORPUS / name).stat().st_size)])
def test_an_adapter_keeps_its_contract_on_a_session(
    agentv_check_adapter: AdapterCheck, name: str
) -> None:
    agentv_check_adapter(ADAPTER, CORPUS / name)


@pytest.mark.parametrize("name", files_of_others("codex"))
def test_a_session_of_another_vendor_is_not_claimed(name: str) -> None:
    assert not ADAPTER.claims(CORPUS / name)
