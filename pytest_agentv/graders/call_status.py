"""Graders of how calls ended: how many failed, and whether those of a tool ended as they should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, AliasChoices, Field

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_fields import (
    STATUSES,
    Patterns,
    Statuses,
    Times,
    comparable,
    lines,
    statuses_shown,
)
from pytest_agentv.graders.calls import Matcher, steps
from pytest_agentv.graders.fields import Count  # noqa: TC001 (pydantic looks it up)
from pytest_agentv.graders.figures import ERRORS, KNOWN_ENDS
from pytest_agentv.graders.grade import Grade
from pytest_agentv.graders.phrases import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import Transcript

_SHOWN_EVIDENCE = 5


def _told(found: Sequence[Step]) -> list[str]:
    return [f"{step.call.status}: {step.text}" for step in found]


class ToolErrors(Grader):
    """At most so many calls failed."""

    types: ClassVar[tuple[str, ...]] = ("tool-errors",)
    max: Count = Field(0, validation_alias=AliasChoices("max", "value"))
    tool: Patterns | None = None
    status: Statuses = Field(ERRORS, validation_alias=AliasChoices("status", "statuses"))

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Count; calls that nobody knows the end of may have failed, too."""
        matcher = Matcher(transcript)
        made = [
            step
            for step in steps(transcript)
            if self.tool is None or any(matcher.is_tool(step.call, name) for name in self.tool)
        ]
        bad = [step for step in made if step.call.status in self.status]
        unsure = [step for step in made if step.call.status not in KNOWN_ENDS]
        unsure = [step for step in unsure if step.call.status not in self.status]
        outcome = Times(0, self.max).outcome(len(bad), len(unsure))
        reason = f"{len(bad):,} of {counted(len(made), 'call')}"
        if outcome == "skipped":
            reason += f"; of {len(unsure):,} more nobody knows how they ended"
        most = f"at most {counted(self.max, 'call')}" if self.max else "no call"
        of = "" if self.tool is None else f" of {listed(self.tool)}"
        return Grade(
            outcome,
            reason,
            None,
            f"{most}{of} ended {statuses_shown(self.status)}",
            tuple(step.evidence for step in (bad or unsure)[:_SHOWN_EVIDENCE]),
            lines("calls", _told(bad)) if bad else "",
        )


class ToolStatus(Grader):
    """Every call of a tool ended as it should."""

    types: ClassVar[tuple[str, ...]] = ("tool-status",)
    tool: Patterns = Field(validation_alias=AliasChoices("tool", "value"))
    args: Annotated[dict[str, Any], AfterValidator(comparable)] = Field(default_factory=dict)
    status: Statuses = ("ok",)

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Look at every call that is meant."""
        matcher = Matcher(transcript)
        made = [
            step
            for step in steps(transcript)
            if any(matcher.is_tool(step.call, name) for name in self.tool)
            and not matcher.different(step.call, self.args)
        ]
        such = " with these arguments" if self.args else ""
        claim = f"every call of {listed(self.tool)}{such} ended {statuses_shown(self.status)}"
        if not made:
            return Grade("failed", "there is no such call", None, claim, vacuous=True)
        unsure = [step for step in made if step.call.status not in KNOWN_ENDS]
        bad = [step for step in made if step.call.status in KNOWN_ENDS - set(self.status)]
        if self.status == STATUSES:
            unsure = []
        good = len(made) - len(bad) - len(unsure)
        if bad:
            reason = f"{len(bad):,} of {counted(len(made), 'call')} did not"
        elif unsure:
            reason = f"of {len(unsure):,} of {counted(len(made), 'call')} nobody knows how it ended"
        else:
            reason = counted(len(made), "call")
        return Grade(
            "failed" if bad else "skipped" if unsure else "passed",
            reason,
            # Of what is not known in full there is no share.
            None if unsure else good / len(made),
            claim,
            tuple(step.evidence for step in (bad or unsure)[:_SHOWN_EVIDENCE]),
            lines("calls", _told(bad)) if bad else "",
        )
