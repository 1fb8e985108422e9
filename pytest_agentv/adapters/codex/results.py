"""Results of calls: what an output tells, what an end tells, and which of them is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.clock import milliseconds

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.codex.outputs import Outcome
    from pytest_agentv.adapters.conversation import OpenCall, Result


def complete(
    outcome: Outcome,
    call: OpenCall,
    *,
    status: str | None,
    answered: datetime | None,
    is_poll: bool,
) -> None:
    """Add to what an output tells of its call what else is known: of an end that came first, say.

    ``status`` is what the end said, ``answered`` when the output was written, None if that says
    nothing. A poll asks how a process goes on.
    """
    if is_poll and outcome.running is not None:
        outcome.status = "ok"  # it asked, and was told: the process goes on
    if call.result is not None:
        _improve(outcome, call.result)
    if status is not None and may_become(outcome, status):
        outcome.status = status
    if outcome.duration_ms is None and outcome.running is None and answered is not None:
        passed = 0 if call.called is None else milliseconds(call.called, answered)
        if passed > 0:
            outcome.duration_ms, outcome.duration_source = passed, "timestamps"


def status_for(call: OpenCall, outcome: Outcome) -> str:
    """What an output says of a call: that a script ran to its end says nothing of its commands."""
    if outcome.is_script and outcome.status == "ok" and call.kind == "shell":
        return "unknown"
    return outcome.status


def changes_by(outcome: Outcome) -> dict[str, Any]:
    """What another output of the same call changes in its result."""
    changes: dict[str, Any] = {"output": outcome.text, "status": outcome.status}
    if outcome.exit_code is not None:
        changes["exit_code"] = outcome.exit_code
    if outcome.duration_ms is not None:
        changes["duration_ms"] = outcome.duration_ms
        changes["duration_source"] = outcome.duration_source
    return changes


def may_become(result: Result, status: str | None) -> bool:
    """Whether an end may say it better than the output: a denial or an exit code stands."""
    if result.status not in ("ok", "error", "unknown"):
        return False
    return status != "ok" or not result.exit_code


def _improve(result: Result, noted: Result) -> None:
    """Take over what an end said."""
    if noted.exit_code is not None:
        result.exit_code = noted.exit_code
    if noted.duration_ms is not None:
        result.duration_ms = noted.duration_ms
        result.duration_source = noted.duration_source
    if noted.status != "unknown" and may_become(result, noted.status):
        result.status = noted.status
