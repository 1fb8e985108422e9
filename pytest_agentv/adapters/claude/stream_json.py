"""What ``claude -p --output-format stream-json`` prints: the same records in other words.

Keys are in snake case, sub-agents are told by the call that spawned them, there are hardly any
times, and the prompt itself is missing unless it was asked for. In return a `result` record says
what the run cost.
"""

from typing import Any

import msgspec

from pytest_agentv.adapters.claude.records import (
    SYNTHETIC,
    Record,
    ToolUseResult,
    UsageRecord,
)
from pytest_agentv.adapters.clock import FOREVER

# Records for the screen or for the program that runs the client.
STREAM_TYPES = frozenset(
    {
        "stream_event",
        "rate_limit_event",
        "tool_progress",
        "tool_use_summary",
        "auth_status",
        "prompt_suggestion",
        "keep_alive",
        "control_request",
        "control_response",
        "control_cancel_request",
        "streamlined_text",
        "streamlined_tool_use_summary",
    }
)


def _named(name: str) -> Any:
    return msgspec.field(default=None, name=name)


class StreamRecord(Record, gc=False):
    """Any record of such a stream."""

    session_id: str | None = _named("session_id")
    parent_tool_use_id: str | None = _named("parent_tool_use_id")
    request_id: str | None = _named("request_id")
    version: str | None = _named("claude_code_version")
    total_cost_usd: float | None = _named("total_cost_usd")
    is_synthetic: bool | None = _named("isSynthetic")
    model: str | None = None
    usage: UsageRecord | None = None
    duration_ms: float | None = _named("duration_ms")
    tool_use_result: ToolUseResult | str | list[msgspec.Raw] | None = _named("tool_use_result")
    # Why the client answered in the model's place; of other records, anything.
    error: Any = None

    def __post_init__(self) -> None:
        """Printed, an API error has no flag of its own in most versions, only its reason."""
        if (
            isinstance(self.error, str)
            and self.message is not None
            and self.message.model == SYNTHETIC
        ):
            self.is_api_error_message = True


class RunResult:
    """What the `result` records of a run add up to."""

    def __init__(self) -> None:
        self.cost_usd: float | None = None
        self.duration_ms: int | None = None
        self.usages: list[UsageRecord] = []

    def take(self, record: StreamRecord) -> None:
        """Note one; a run of several turns has several, their cost is the cost so far."""
        if record.total_cost_usd is not None and record.total_cost_usd >= 0:
            self.cost_usd = record.total_cost_usd
        if record.duration_ms is not None and 0 <= record.duration_ms < FOREVER:
            self.duration_ms = round(record.duration_ms) + (self.duration_ms or 0)
        if record.usage is not None:
            self.usages.append(record.usage)
