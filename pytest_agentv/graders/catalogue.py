"""Our assertion types, and where their graders are: each is loaded when an eval file uses it.

To load all of them takes as long as grading hundreds of assertions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_agentv.graders.base import Grader


class Catalogued(NamedTuple):
    """An assertion type, and the module and the class of its grader."""

    assertion: str
    module: str
    name: str

    def load(self) -> type[Grader]:
        """The grader."""
        grader: type[Grader] = getattr(import_module(f"{__package__}.{self.module}"), self.name)
        return grader


CATALOGUE = (
    Catalogued("contains", "text", "Contains"),
    Catalogued("icontains", "text", "IContains"),
    Catalogued("contains-any", "text", "ContainsAny"),
    Catalogued("contains-all", "text", "ContainsAll"),
    Catalogued("icontains-any", "text", "IContainsAny"),
    Catalogued("icontains-all", "text", "IContainsAll"),
    Catalogued("starts-with", "text", "StartsWith"),
    Catalogued("ends-with", "text", "EndsWith"),
    Catalogued("word-count", "text", "WordCount"),
    Catalogued("similar", "text", "Similar"),
    Catalogued("equals", "structure", "Equals"),
    Catalogued("regex", "regex_grader", "Regex"),
    Catalogued("is-json", "json_graders", "IsJson"),
    Catalogued("contains-json", "json_graders", "ContainsJson"),
    Catalogued("json-schema", "json_graders", "JsonSchema"),
    Catalogued("field-accuracy", "accuracy", "FieldAccuracy"),
    Catalogued("latency", "budget", "Latency"),
    Catalogued("cost", "budget", "Cost"),
    Catalogued("token-usage", "budget", "TokenBudget"),
    Catalogued("execution-metrics", "budget", "ExecutionMetrics"),
    Catalogued("script", "script", "Script"),
    Catalogued("code-grader", "script", "Script"),
    Catalogued("tool-trajectory", "trajectory", "ToolTrajectory"),
    Catalogued("trajectory:tool-used", "trajectory_steps", "ToolUsed"),
    Catalogued("trajectory:tool-sequence", "trajectory_steps", "ToolSequence"),
    Catalogued("trajectory:step-count", "trajectory_steps", "StepCount"),
    Catalogued("trajectory:tool-args-match", "tool_arguments", "ToolArgsMatch"),
    Catalogued("tool-call-f1", "tool_order", "ToolCallF1"),
    Catalogued("tool-order", "tool_order", "ToolOrder"),
    Catalogued("command-run", "commands", "CommandRun"),
    Catalogued("files-changed", "files_touched", "FilesChanged"),
    Catalogued("files-read", "files_touched", "FilesRead"),
    Catalogued("tool-errors", "call_status", "ToolErrors"),
    Catalogued("tool-status", "call_status", "ToolStatus"),
    Catalogued("skill-used", "skills", "SkillUsed"),
    Catalogued("skill-trigger", "skills", "SkillUsed"),
    Catalogued("no-loop", "loops", "NoLoop"),
    Catalogued("llm-rubric", "judge", "LlmRubric"),
    Catalogued("llm-grader", "judge", "LlmRubric"),
    Catalogued("rubrics", "judge", "LlmRubric"),
    Catalogued("agent-rubric", "judge", "LlmRubric"),
    Catalogued("trajectory:goal-success", "judge", "GoalSuccess"),
)


def builtin_graders() -> tuple[type[Grader], ...]:
    """All of our graders, loaded."""
    return tuple(dict.fromkeys(one.load() for one in CATALOGUE))
