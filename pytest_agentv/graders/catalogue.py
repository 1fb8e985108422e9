"""Our graders. Importing this loads all of them: wait until there is something to grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.graders import (
    accuracy,
    budget,
    json_graders,
    judge,
    regex_grader,
    structure,
    text,
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
    judge.LlmRubric,
)
