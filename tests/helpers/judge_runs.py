"""Runs of pytest that ask a judge: what they are told, and what is looked at in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judge_server import MODEL

if TYPE_CHECKING:
    from eval_runs import EvalProject, EvalRun

ASKED = f"--agentv-model={MODEL}"
RUBRIC = "llm-rubric: It is polite"
# What the assertion is called.
NAME = "llm-rubric-It-is-polite"


def settings(project: EvalProject, *lines: str) -> None:
    """Write the judge's settings of a project."""
    project.write("pyproject.toml", "\n".join(["[tool.agentv.judge]", *lines, ""]))


def only(run: EvalRun) -> str:
    """The one outcome of a run."""
    (outcome,) = run.outcomes.values()
    return outcome
