"""A trajectory as a stream, with what our own export says of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.atif.session import stated_count, stated_text
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.transcript.stream import Head, Tail

if TYPE_CHECKING:
    from pytest_agentv.adapters.atif.records import Trajectory
    from pytest_agentv.adapters.base import SessionRef
    from pytest_agentv.adapters.told import Told


class AtifSession(ToldSession):
    """A trajectory as a stream; what our own export says of the session comes back as it was."""

    def __init__(
        self,
        told: Told,
        ref: SessionRef,
        trajectory: Trajectory,
        *,
        provider: str,
        is_own: bool,
    ) -> None:
        # The version is that of any agent: there is none to compare it with.
        super().__init__(told, ref, tested=told.version or "")
        self._provider = provider
        self._extra = trajectory.extra or {}
        self._final = trajectory.final_metrics
        self._is_own = is_own

    @property
    def head(self) -> Head:
        """Source, first prompt and test."""
        extra, head = self._extra, super().head
        source = head.source
        more = {
            "provider": self._provider,
            "title": stated_text(extra.get("title")) or source.title,
            "git_branch": stated_text(extra.get("git_branch")),
            "cwd": stated_text(extra.get("cwd")),
        }
        if self._is_own:
            more["timestamp"] = stated_text(extra.get("started_at"))
            more["ended_at"] = stated_text(extra.get("ended_at"))
        return Head(
            source=msgspec.structs.replace(source, **more),
            input=head.input,
            test_id=stated_text(extra.get("test_id")),
        )

    @property
    def tail(self) -> Tail:
        """Tokens, duration, cost and what was left out."""
        tail = super().tail
        if not self._is_own:
            return tail
        final = self._final
        took = stated_count(((final and final.extra) or {}).get("duration_ms"))
        privacy = self._extra.get("privacy")
        return msgspec.structs.replace(
            tail,
            token_usage=self._told.usage,
            duration_ms=took,
            cost_usd=final and final.total_cost_usd,
            privacy=privacy if isinstance(privacy, dict) else None,
            drift=_counts(self._extra.get("drift")) | tail.drift,
            left_out=_counts(self._extra.get("left_out")) | tail.left_out,
        )


def _counts(value: Any) -> dict[str, int]:
    try:
        return msgspec.convert(value or {}, dict[str, int])
    except (msgspec.ValidationError, RecursionError):
        return {}
