"""Assertions that a language model would have to judge. There is no judge yet: they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import AliasChoices, Field

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.fields import (  # noqa: TC001 (pydantic looks it up)
    AnyText,
    Count,
    Limit,
    Threshold,
)
from pytest_agentv.graders.grade import Grade, missing
from pytest_agentv.graders.phrases import shown

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import Transcript


class LlmRubric(Grader):
    """The session does what a rubric says; never graded, until there is a judge."""

    types: ClassVar[tuple[str, ...]] = (
        "llm-rubric", "llm-grader", "rubrics", "agent-rubric", "trajectory:goal-success",
    )  # fmt: skip
    # AgentV 4 has other names for it.
    value: str | list[Any] | dict[str, Any] | None = Field(
        None, validation_alias=AliasChoices("value", "criteria", "rubrics")
    )
    prompt: AnyText | None = Field(
        None, validation_alias=AliasChoices("prompt", "rubric_prompt", "rubricPrompt")
    )
    # Who is to judge, and how.
    provider: str | dict[str, Any] | None = None
    target: AnyText | None = None
    model: AnyText | None = None
    max_steps: Count | None = None
    temperature: Limit | None = None
    threshold: Threshold | None = None

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Nobody can say."""
        rubric = self.value if self.value is not None else self.prompt
        claim = "the session does what the rubric says"
        if rubric is not None:
            claim += f": {shown(rubric)}"
        return missing(claim, "no judge is set up: a language model would have to read this")
