"""What a grading without pytest goes by."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_agentv.engine.assertions import Context
from pytest_agentv.graders.functions import Outcomes

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import Transcript


def context_of(transcript: Transcript, facts: CaseFacts) -> Context:
    """A context without fixtures; what assertions raise means the same as in pytest."""
    return Context(transcript, facts, {}, outcomes=_outcomes())


def _outcomes() -> Outcomes:
    if "pytest" not in sys.modules:  # then nobody raises its exceptions, and it is slow to load
        return Outcomes()
    from pytest_agentv.pytest_outcomes import OUTCOMES  # noqa: PLC0415 (loads pytest)

    return OUTCOMES
