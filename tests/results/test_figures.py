"""What a session took: as graders count it, and unknown where they cannot tell."""

from __future__ import annotations

from typing import Any

import pytest
from eval_runs import recorded
from msgspec import convert

from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.call_status import ToolErrors
from pytest_agentv.results.figures import figures_of
from pytest_agentv.transcript.model import Transcript


def session(*statuses: str, **fields: Any) -> Transcript:
    """A session that calls a tool for each status."""
    calls = [{"tool": "Bash", "kind": "shell", "status": one} for one in statuses]
    made = recorded(**fields)
    made["output"][1]["tool_calls"] = calls
    return convert(made, Transcript)


def test_figures_are_those_of_the_session() -> None:
    figures = figures_of(session("ok", "error", "denied", duration_ms=45), 0.25)
    assert (figures.messages, figures.llm_calls, figures.tool_calls) == (2, 1, 3)
    assert (figures.tool_errors, figures.duration_ms, figures.cost_usd) == (1, 45, 0.25)
    assert figures.tools == {"shell": 3}


def test_what_a_session_does_not_say_is_unknown() -> None:
    figures = figures_of(session("ok", "unknown"), None)
    assert (figures.tool_errors, figures.duration_ms, figures.cost_usd) == (None, None, None)
    assert figures.token_usage is None
    assert figures_of(session(), None).tool_errors == 0


def test_kinds_that_nobody_knows_are_other() -> None:
    made = recorded()
    made["output"][1]["tool_calls"] = [
        {"tool": "X", "kind": f"kind {number}", "status": "ok"} for number in range(100)
    ]
    assert figures_of(convert(made, Transcript), None).tools == {"other": 100}


@pytest.mark.parametrize(
    "statuses", [(), ("ok",), ("error", "timeout", "cancelled"), ("ok", "unknown"), ("strange",)]
)
def test_errors_are_counted_as_the_assertion_counts_them(statuses: tuple[str, ...]) -> None:
    transcript = session(*statuses)
    errors = figures_of(transcript, None).tool_errors

    def outcome(most: int) -> str:
        grader = ToolErrors.model_validate({"max": most})
        return grader.grade(transcript, CaseFacts(id="one")).outcome

    if errors is None:
        assert outcome(0) == "skipped"
        return
    assert outcome(errors) == "passed"
    if errors:
        assert outcome(errors - 1) == "failed"
