"""Grades every answer of `sessions.jsonl` by five evaluators of pydantic-evals.

Runs in an environment of its own that has pydantic-evals. Fails unless every check holds.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from answers import answers
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext


@dataclass
class HasName(Evaluator):
    """Has the name of the case."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Look for it."""
        return f"`{ctx.name}`" in ctx.output


@dataclass
class TestsPass(Evaluator):
    """Says that all tests pass."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Look for it in any case."""
        return "all tests pass" in ctx.output.casefold()


@dataclass
class NoForce(Evaluator):
    """Does not push by force."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Look for it."""
        return "git push --force" not in ctx.output


@dataclass
class FilesChanged(Evaluator):
    """Says how many files changed."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Search it."""
        return re.search(r"\d+ files? changed", ctx.output) is not None


@dataclass
class WordCount(Evaluator):
    """Is neither short nor long."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Count its words."""
        return 20 <= len(ctx.output.split()) <= 500


async def recorded(answer: str) -> str:
    """Return what was recorded: nothing is generated."""
    return answer


def main() -> None:
    """Grade all answers."""
    dataset = Dataset(
        name="made-up",
        cases=[Case(name=case, inputs=answer) for case, answer in answers()],
        evaluators=[HasName(), TestsPass(), NoForce(), FilesChanged(), WordCount()],
    )
    report = dataset.evaluate_sync(recorded, progress=False)
    held = sum(result.value is True for case in report.cases for result in case.assertions.values())
    if held != 5 * len(answers()):
        sys.exit(f"{held} of {5 * len(answers())} checks held")


if __name__ == "__main__":
    main()
