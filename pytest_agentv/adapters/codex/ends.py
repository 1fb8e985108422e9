"""Events that say how a call ended: exit code, time, whether a patch was applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.clock import FOREVER
from pytest_agentv.adapters.codex.outputs import status_of_exit
from pytest_agentv.adapters.codex.records import McpResult

if TYPE_CHECKING:
    from pytest_agentv.adapters.codex.records import Duration, Payload

_STATUSES = {"declined": "denied", "failed": "error", "completed": "ok"}
# What an end may say of a command that was never run.
_NOT_RUN = -1


def changes_of(end: Payload) -> dict[str, Any]:
    """What an end tells of its call: fields of the call's result."""
    changes: dict[str, Any] = {}
    status = _STATUSES.get(end.status) if isinstance(end.status, str) else None
    if end.exit_code is not None and not (end.exit_code == _NOT_RUN and status in ("denied", None)):
        changes["exit_code"] = end.exit_code
        status = status_of_exit(end.exit_code) if status != "denied" else status
    if end.success is not None and status is None:
        status = "ok" if end.success else "error"
    if isinstance(end.result, McpResult):
        status = "error" if _is_error(end.result) else status or "ok"
    if status is not None:
        changes["status"] = status
    passed = _milliseconds(end.duration)
    if passed:
        changes.update(duration_ms=passed, duration_source="tool")
    return changes


def _is_error(result: McpResult) -> bool:
    answered = result.ok
    return result.err is not None or bool(
        result.is_error if answered is None else answered.is_error
    )


def _milliseconds(duration: Duration | None) -> int | None:
    if duration is None or duration.secs is None:
        return None
    measured = duration.secs * 1000 + (duration.nanos or 0) / 1e6
    return round(measured) if 0 <= measured < FOREVER else None
