"""What a session tells of itself and of its conversation, whichever way it is written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_agentv.adapters.conversation import Conversation

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.records import Drift
    from pytest_agentv.transcript.model import TokenUsage


class Told:
    """A session as far as it was read."""

    def __init__(self, drift: Drift) -> None:
        self.drift = drift
        self.conversation = Conversation()
        self.left_out: Counter[str] = Counter()
        self.session_id: str | None = None
        self.version: str | None = None
        self.model: str | None = None
        self.title: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.started: datetime | None = None
        self.ended: datetime | None = None
        # The first prompt a person typed.
        self.opening: str | None = None
        self.usage: TokenUsage | None = None
        self.duration_ms: int | None = None

    def typed(self, text: str) -> None:
        """A person typed a text."""
        if self.opening is None:
            self.opening = text.strip() or None
