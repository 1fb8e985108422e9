"""A trajectory as it is written: all of ATIF 1.0 to 1.8 that a transcript has a place for.

Writers may add fields anywhere and often do; ``extra`` is where ours puts what ATIF lacks.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Agent(msgspec.Struct):
    """Who acted."""

    name: str | None = None
    version: str | None = None
    model_name: str | None = None


class Call(msgspec.Struct):
    """A tool call."""

    tool_call_id: str | None = None
    function_name: str | None = None
    arguments: Any = None
    extra: dict[str, Any] | None = None


class Result(msgspec.Struct):
    """What a call returned."""

    source_call_id: str | None = None
    content: Any = None
    subagent_trajectory_ref: Any = None
    extra: dict[str, Any] | None = None


class Observation(msgspec.Struct):
    """What the calls of a step returned."""

    results: list[Result] | None = None


class Metrics(msgspec.Struct):
    """What a step took."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    extra: dict[str, Any] | None = None


class Step(msgspec.Struct):
    """What somebody said, with the calls made and their results."""

    timestamp: str | None = None
    source: str | None = None
    message: Any = None
    model_name: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[Call] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    extra: dict[str, Any] | None = None


class FinalMetrics(msgspec.Struct):
    """What all of it took."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    extra: dict[str, Any] | None = None


class Trajectory(msgspec.Struct):
    """One session. Its steps and sub-agents are decoded one by one."""

    schema_version: str | None = None
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent | None = None
    steps: list[msgspec.Raw] | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    subagent_trajectories: list[msgspec.Raw] | None = None
    extra: dict[str, Any] | None = None


class Name(msgspec.Struct):
    """What a trajectory is called."""

    schema_version: str | None = None
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent | None = None
