"""Trajectories of SWE-agent: what their figures mean, and what hostile ones cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from runaway import no_runaway

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.swe_agent.adapter import SweAgentAdapter

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = SweAgentAdapter()


def _read(folder: Path, **document: Any) -> Transcript:
    path = folder / "run.traj"
    path.write_text(json.dumps(document), encoding="utf-8")
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions()))


def _said(action: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "So", "action": action, **more}


def _step(action: str) -> dict[str, Any]:
    return {"action": action, "observation": f"did {action}", "response": "So"}


def test_steps_that_the_history_does_not_hold_stand_where_they_were_taken(tmp_path: Path) -> None:
    history = [{"role": "user", "content": "Go"}, _said("ls"), _said("pwd"), _said("ls")]
    trajectory = [_step(name) for name in ("ls", "cat a", "pwd", "ls", "cat b")]
    made = _read(tmp_path, history=history, trajectory=trajectory).tool_calls()
    assert [call.command for call in made] == ["ls", "cat a", "pwd", "ls", "cat b"]
    assert [call.output for call in made] == [f"did {call.command}" for call in made]


@pytest.mark.parametrize(
    ("sent", "received", "cost"), [(0, 0, None), (900, 0, None), (900, 30, 0.5)]
)
def test_zeros_are_figures_that_were_not_counted(
    tmp_path: Path, sent: int, received: int, cost: float | None
) -> None:
    stats = {"instance_cost": cost or 0, "tokens_sent": sent, "tokens_received": received}
    transcript = _read(tmp_path, history=[_said("ls")], info={"model_stats": stats})
    usage = transcript.token_usage
    assert (usage and (usage.input, usage.output)) == ((sent, received) if sent else None)
    assert transcript.cost_usd == cost


@pytest.mark.parametrize(
    ("items", "steps"),
    [
        ([_said("x")] * 100_000, [_step("y")] * 100_000),
        ([_said("x"), _said("y")] * 50_000, [_step("y"), _step("z")] * 50_000),
        (
            [_said("x", tool_calls=[{"id": "c", "function": {"name": "bash"}}] * 100_000)],
            [_step("x")],
        ),
    ],
    ids=["no step fits", "every other step fits", "many calls of one step"],
)
def test_a_long_run_is_read_in_time(
    tmp_path: Path, items: list[dict[str, Any]], steps: list[dict[str, Any]]
) -> None:
    with no_runaway():  # what is quadratic takes minutes
        transcript = _read(tmp_path, history=items, trajectory=steps)
    assert transcript.output
