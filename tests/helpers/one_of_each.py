"""One good entry of every type of assertion."""

from __future__ import annotations

from typing import Any

from scripts import PYTHON

ENTRIES: dict[str, dict[str, Any]] = {
    "contains": {"value": "a"},
    "icontains": {"value": "a"},
    "contains-any": {"value": ["a", "b"]},
    "contains-all": {"value": ["a", "b"]},
    "icontains-any": {"value": ["a", "b"]},
    "icontains-all": {"value": ["a", "b"]},
    "starts-with": {"value": "a"},
    "ends-with": {"value": "a"},
    "equals": {"value": {"a": 1}},
    "word-count": {"max": 3},
    "similar": {"value": "a b"},
    "regex": {"value": "a."},
    "is-json": {},
    "contains-json": {},
    "json-schema": {"value": {"type": "object"}},
    "field-accuracy": {"fields": [{"path": "a"}], "expected": {"a": 1}},
    "latency": {"max_ms": 5},
    "cost": {"max_usd": 5},
    "token-usage": {"max_total": 5},
    "execution-metrics": {"max_tool_calls": 5, "target_exploration_ratio": 0.5},
    "script": {"command": [*PYTHON, "-c", ""]},
    "code-grader": {"value": [*PYTHON, "-c", "raise SystemExit(1)"]},
    "command-run": {"value": "a*"},
    "files-changed": {"value": ["a*", "b"], "max": 3},
    "files-read": {"forbidden": "a*"},
    "tool-errors": {"max": 1},
    "tool-status": {"tool": "*"},
    "skill-used": {"value": {"name": "a*"}},
    "skill-trigger": {"skill": "a", "should_trigger": False},
    "no-loop": {"max": 2},
    "tool-trajectory": {"expected": ["a", {"tool": "*", "args": {"path": "a*"}}]},
    "trajectory:tool-used": {"value": {"name": "a*", "max": 3}},
    "trajectory:tool-sequence": {"value": ["a", "*"]},
    "trajectory:tool-args-match": {"value": {"name": "*", "args": {"path": "a"}}},
    "trajectory:step-count": {"value": {"type": "tool", "max": 3}},
    "tool-call-f1": {"expected": ["a", "b*"]},
    "tool-order": {"value": ["a", "*"]},
    "llm-rubric": {"value": "is good"},
    "llm-grader": {"value": ["is good"]},
    "rubrics": {"prompt": "is it good?"},
    "agent-rubric": {"value": ["is good"], "target": "judge", "max_steps": 5},
    "trajectory:goal-success": {"value": {"goal": "it is done"}, "provider": {"id": "judge"}},
}
