"""Grades every answer of `sessions.jsonl` by five deterministic checks of deepeval's runner.

Runs in an environment of its own that has deepeval. Fails unless every check holds.
"""

from __future__ import annotations

import re
import sys

from answers import answers
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Check(BaseMetric):
    """A check of an answer, as a metric; deepeval makes copies of it."""

    threshold = 1.0
    async_mode = False

    def __init__(self, threshold: float = 1.0) -> None:
        self.threshold = threshold

    def holds(self, case: str, answer: str) -> bool:
        """Whether the answer is right."""
        raise NotImplementedError

    def measure(self, test_case: LLMTestCase) -> float:
        """Grade one answer."""
        self.score = float(self.holds(test_case.input, test_case.actual_output))
        self.success = self.score >= self.threshold
        self.reason = ""
        return self.score

    async def a_measure(self, test_case: LLMTestCase, **_: object) -> float:
        """Grade one answer; nothing is waited for."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last one was right."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return type(self).__name__


class Contains(Check):
    """Has the name of the case."""

    def holds(self, case: str, answer: str) -> bool:
        """Look for it."""
        return f"`{case}`" in answer


class IContains(Check):
    """Says that all tests pass."""

    def holds(self, case: str, answer: str) -> bool:  # noqa: ARG002
        """Look for it in any case."""
        return "all tests pass" in answer.casefold()


class NotContains(Check):
    """Does not push by force."""

    def holds(self, case: str, answer: str) -> bool:  # noqa: ARG002
        """Look for it."""
        return "git push --force" not in answer


class Regex(Check):
    """Says how many files changed."""

    def holds(self, case: str, answer: str) -> bool:  # noqa: ARG002
        """Search it."""
        return re.search(r"\d+ files? changed", answer) is not None


class WordCount(Check):
    """Is neither short nor long."""

    def holds(self, case: str, answer: str) -> bool:  # noqa: ARG002
        """Count its words."""
        return 20 <= len(answer.split()) <= 500


def main() -> None:
    """Grade all answers."""
    done = evaluate(
        test_cases=[LLMTestCase(input=case, actual_output=answer) for case, answer in answers()],
        metrics=[Contains(), IContains(), NotContains(), Regex(), WordCount()],
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    wrong = [one for one in done.test_results if not one.success or len(one.metrics_data) != 5]
    if wrong or len(done.test_results) != len(answers()):
        sys.exit(f"{len(wrong)} of {len(done.test_results)} answers failed")


if __name__ == "__main__":
    main()
