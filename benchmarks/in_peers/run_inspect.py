"""Grades every answer of `sessions.jsonl` by five scorers of Inspect.

Runs in an environment of its own that has inspect-ai. Fails unless every check holds.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from answers import answers
from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

if TYPE_CHECKING:
    from collections.abc import Callable


@solver
def recorded() -> Solver:
    """Take the answer that was recorded: nothing is generated."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        state.output = ModelOutput.from_content("recorded", state.metadata["answer"])
        return state

    return solve


def check(name: str, holds: Callable[[str, str], bool]) -> Scorer:
    """Return a scorer of this name."""

    @scorer(metrics=[accuracy()], name=name)
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=float(holds(target.text, state.output.completion)))

        return score

    return made()


SCORERS = [
    check("contains", lambda case, answer: f"`{case}`" in answer),
    check("icontains", lambda _, answer: "all tests pass" in answer.casefold()),
    check("not_contains", lambda _, answer: "git push --force" not in answer),
    check("regex", lambda _, answer: re.search(r"\d+ files? changed", answer) is not None),
    check("word_count", lambda _, answer: 20 <= len(answer.split()) <= 500),
]


def main() -> None:
    """Grade all answers."""
    samples = [
        Sample(id=case, input=case, target=case, metadata={"answer": answer})
        for case, answer in answers()
    ]
    task = Task(dataset=samples, solver=recorded(), scorer=SCORERS)
    (log,) = eval(task, model="mockllm/model", display="none", log_dir="logs")
    right = [score.metrics["accuracy"].value for score in log.results.scores]
    if log.status != "success" or right != [1.0] * 5:
        sys.exit(f"{log.status}: {right}")


if __name__ == "__main__":
    main()
