"""Trajectories of mini-swe-agent: commands that cannot be read, and hostile texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from runaway import no_runaway

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.mini_swe_agent.adapter import MiniSweAgentAdapter

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = MiniSweAgentAdapter()


def _read(folder: Path, *messages: dict[str, Any], **info: Any) -> Transcript:
    path = folder / "run.traj.json"
    document = {
        "info": {"mini_version": "2.4.6", **info},
        "trajectory_format": "mini-swe-agent-1.1",
        "messages": [{"role": "user", "content": "Go"}, *messages],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions()))


def test_a_command_that_cannot_be_read_is_unknown_and_not_empty(tmp_path: Path) -> None:
    actions = [{"command": ["rm", "-rf", "x"]}, {"command": "ls"}]
    said = {"role": "assistant", "content": "So", "extra": {"actions": actions}}
    transcript = _read(tmp_path, said)
    assert [call.command for call in transcript.tool_calls()] == [None, "ls"]
    assert transcript.drift


@pytest.mark.parametrize(
    ("text", "said", "commands"),
    [
        ("So:\n```bash\nls\n```\nthen", "So:\n\nthen", ["ls"]),
        ("```mswea_bash_command \nls\npwd\n```", "", ["ls\npwd"]),
        ("```bash\n\n```", "", [""]),
        ("```bash\nls\n```\n```bash\npwd\n```", None, []),
        ("```bash\nls", None, []),
        ("```bash\n```", None, []),
    ],
)
def test_one_block_in_a_text_is_its_command(
    tmp_path: Path, text: str, said: str | None, commands: list[str]
) -> None:
    transcript = _read(tmp_path, {"role": "assistant", "content": text})
    assert [call.command for call in transcript.tool_calls()] == commands
    assert transcript.output[-1].content == (text if said is None else said)


@pytest.mark.parametrize(("stated", "cost"), [(0.0, None), (0.5, 0.5)])
def test_a_cost_of_zero_is_that_of_a_model_without_a_price(
    tmp_path: Path, stated: float, cost: float | None
) -> None:
    assert _read(tmp_path, model_stats={"instance_cost": stated}).cost_usd == cost


def test_a_text_of_blocks_that_do_not_end_is_read_in_time(tmp_path: Path) -> None:
    with no_runaway():  # what is quadratic takes minutes
        transcript = _read(tmp_path, {"role": "assistant", "content": "```bash\nx" * 50_000})
    assert not transcript.tool_calls()
