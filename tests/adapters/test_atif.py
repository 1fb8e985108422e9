"""ATIF: what we export comes back as it was, and what others write is taken at its word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pages import EXAMPLES
from sample_transcripts import SAMPLE
from shown_sessions import SHOWN

from pytest_agentv import ReadOptions, Transcript, load, read_transcripts
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.plugins import registry
from pytest_agentv.views.atif import atif

ADAPTER = registry().adapter("atif")
DATA = Path(__file__).parents[1] / "data"
EXAMPLE_SESSIONS = [
    transcript
    for path in sorted(EXAMPLES.glob("transcripts/**/*.jsonl"))
    for transcript in read_transcripts(path)
]


def read(path: Path, *, include_subagents: bool = False) -> list[Transcript]:
    options = ReadOptions(include_subagents=include_subagents)
    return [load(ADAPTER.read(ref, options)) for ref in refs_of(ADAPTER, path)]


def written(path: Path, **fields: Any) -> Path:
    document = {
        "schema_version": "ATIF-v1.6",
        "session_id": "s",
        "agent": {"name": "acme", "version": "1"},
        "steps": [{"step_id": 1, "source": "user", "message": "Go."}],
        **fields,
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def agent_step(**fields: Any) -> dict[str, Any]:
    return {"step_id": 2, "source": "agent", "message": "", **fields}


def with_agents_last(transcript: Transcript) -> Transcript:
    """The order that an export keeps: the main thread, then each sub-agent."""
    agents = list(dict.fromkeys(one.agent_id for one in transcript.output if one.agent_id))
    order = sorted(
        transcript.output,
        key=lambda one: -1 if one.agent_id is None else agents.index(one.agent_id),
    )
    return msgspec.structs.replace(transcript, output=tuple(order))


@pytest.mark.parametrize(
    "transcript", [SAMPLE, SHOWN, *EXAMPLE_SESSIONS], ids=lambda one: one.source.provider
)
def test_an_export_comes_back_as_the_transcript_it_was(
    transcript: Transcript, tmp_path: Path
) -> None:
    path = tmp_path / "session.atif.jsonl"
    path.write_bytes(b"".join(atif(transcript)))

    (again,) = read(path, include_subagents=True)

    expected = with_agents_last(transcript)
    prompts = [one for one in expected.prompts if one.strip()]
    assert again == msgspec.structs.replace(expected, input=prompts[0].strip() if prompts else None)


def test_each_line_of_an_export_is_a_session_of_its_own_agent() -> None:
    path = DATA / "atif" / "exported.jsonl"
    found = read(path)
    assert [one.source.provider for one in found] == ["copilot-cli", "codex-cli"]
    assert [ref.row for ref in refs_of(ADAPTER, path)] == [1, 2]


def test_sub_agents_come_after_the_step_that_started_them() -> None:
    (transcript,) = read(DATA / "atif" / "sub-agents.json", include_subagents=True)
    agents = [one.agent_id for one in transcript.output]
    assert agents == [None, None, "sub-1", "sub-1", None, None]
    assert transcript.output[2].origin == "injected"
    assert transcript.token_usage is not None
    assert transcript.token_usage.input == 700


@pytest.mark.parametrize(
    ("extra", "status", "exit_code"),
    [
        ({}, "unknown", None),
        ({"exit_code": 0}, "ok", 0),
        ({"returncode": 2}, "error", 2),
        ({"is_error": True}, "error", None),
        ({"status": "denied"}, "denied", None),
        ({"status": "ok", "exit_code": 3}, "error", 3),
        ({"status": "fine"}, "unknown", None),
    ],
)
def test_a_status_is_what_a_writer_hides_in_extra(
    extra: dict[str, Any], status: str, exit_code: int | None, tmp_path: Path
) -> None:
    step = agent_step(
        tool_calls=[{"tool_call_id": "c", "function_name": "bash", "arguments": {"command": "x"}}],
        observation={"results": [{"source_call_id": "c", "content": "out", "extra": extra}]},
    )
    (transcript,) = read(written(tmp_path / "t.json", steps=[step]))
    (call,) = transcript.tool_calls()
    assert (call.status, call.exit_code) == (status, exit_code)


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("claude-code", "claude-cli"),
        ("codex", "codex-cli"),
        ("Terminus 2", "terminus-2"),
        ("", "atif"),
        ("../../x", "x"),
    ],
)
def test_the_provider_is_the_agent_that_acted(name: str, provider: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", agent={"name": name, "version": "1"})
    (transcript,) = read(path)
    assert transcript.source.provider == provider


def test_zeros_of_those_who_do_not_count_are_unknown(tmp_path: Path) -> None:
    step = agent_step(message="Done.", metrics={"prompt_tokens": 0, "completion_tokens": 0})
    path = written(
        tmp_path / "t.json",
        steps=[step],
        final_metrics={"total_prompt_tokens": 0, "total_completion_tokens": 0},
    )
    (transcript,) = read(path)
    assert transcript.token_usage is None
    assert transcript.cost_usd is None


@pytest.mark.parametrize(("of_step", "expected"), [(0.5, 0.5), (0, None), (None, None)])
def test_a_total_cost_of_zero_is_no_price(
    of_step: float | None, expected: float | None, tmp_path: Path
) -> None:
    metrics = {"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": of_step}
    final = {"total_prompt_tokens": 5, "total_completion_tokens": 1, "total_cost_usd": 0.0}
    path = written(tmp_path / "t.json", steps=[agent_step(metrics=metrics)], final_metrics=final)
    (transcript,) = read(path)
    assert transcript.cost_usd == expected


def test_totals_win_over_the_sum_of_steps(tmp_path: Path) -> None:
    step = agent_step(metrics={"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": 0.5})
    final = {"total_prompt_tokens": 50, "total_completion_tokens": 10, "total_cost_usd": 2.5}
    (transcript,) = read(written(tmp_path / "t.json", steps=[step], final_metrics=final))
    assert transcript.token_usage is not None
    assert (transcript.token_usage.input, transcript.token_usage.output) == (50, 10)
    assert transcript.cost_usd == 2.5


def test_jobs_in_the_current_folder_come_before_those_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ADAPTER.home({"HOME": "/home/dev"}) == Path("/home/dev/.cache/harbor/jobs")
    (tmp_path / "jobs").mkdir()
    assert ADAPTER.home({"HOME": "/home/dev"}) == Path("jobs")
