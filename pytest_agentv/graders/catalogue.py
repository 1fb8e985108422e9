"""Our graders. Importing this loads all of them: wait until there is something to grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.graders import (
    accuracy,
    budget,
    call_status,
    commands,
    files_touched,
    json_graders,
    judge,
    loops,
    regex_grader,
    script,
    skills,
    structure,
    text,
    tool_arguments,
    tool_order,
    trajectory,
    trajectory_steps,
)

if TYPE_CHECKING:
    from pytest_agentv.graders.base import Grader

BUILTIN_GRADERS: tuple[type[Grader], ...] = (
    text.Contains,
    text.IContains,
    text.ContainsAny,
    text.ContainsAll,
    text.IContainsAny,
    text.IContainsAll,
    text.StartsWith,
    text.EndsWith,
    text.WordCount,
    text.Similar,
    structure.Equals,
    regex_grader.Regex,
    json_graders.IsJson,
    json_graders.ContainsJson,
    json_graders.JsonSchema,
    accuracy.FieldAccuracy,
    budget.Latency,
    budget.Cost,
    budget.TokenBudget,
    budget.ExecutionMetrics,
    script.Script,
    trajectory.ToolTrajectory,
    trajectory_steps.ToolUsed,
    trajectory_steps.ToolSequence,
    trajectory_steps.StepCount,
    tool_arguments.ToolArgsMatch,
    tool_order.ToolCallF1,
    tool_order.ToolOrder,
    commands.CommandRun,
    files_touched.FilesChanged,
    files_touched.FilesRead,
    call_status.ToolErrors,
    call_status.ToolStatus,
    skills.SkillUsed,
    loops.NoLoop,
    judge.LlmRubric,
    judge.GoalSuccess,
)
