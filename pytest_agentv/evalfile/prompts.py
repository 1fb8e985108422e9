"""Judges in eval files: who judges, and which names prompts leave open until a session is judged.

The same thing has several names, because prompts of AgentV and promptfoo run as they are.
"""

from __future__ import annotations

from typing import Any

# By what is put there.
_NAMES = {
    "criteria": ("criteria", "rubric", "rubrics", "outcome"),
    "data": (
        "output", "answer", "candidate", "candidate_answer", "transcript", "output_text",
    ),
    "task": ("input", "question", "input_text"),
    "expected": ("expected_output", "expected", "reference_answer", "expected_output_text"),
}  # fmt: skip
# What stands where a prompt names it.
PLACES = {name: place for place, names in _NAMES.items() for name in names}
# The types of assertions that judges grade, and their keys that are prompts.
JUDGED = frozenset(
    {"llm-rubric", "llm-grader", "rubrics", "agent-rubric", "trajectory:goal-success"}
)
PROMPT_KEYS = ("prompt", "rubric_prompt", "rubricPrompt")


def judge_model(document: Any) -> str | None:
    """Who judges the rubrics of a file, as ``provider:model``.

    AgentV 5 says so in ``defaults``, promptfoo in the options of the default test. Other names are
    those of settings that these programs have and we do not.
    """
    defaults = _inside(document, "defaults", "grader")
    options = _inside(document, "default_test", "options", "provider")
    for given in (defaults, options, _inside(document, "defaultTest", "options", "provider")):
        name = (
            next((given[key] for key in ("id", "model", "provider") if key in given), None)
            if isinstance(given, dict)
            else given
        )
        if isinstance(name, str) and ":" in name.strip(":"):
            return str(name)
    return None


def _inside(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
