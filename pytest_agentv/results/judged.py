"""What rows keep of a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.results.model import Judged

if TYPE_CHECKING:
    from pytest_agentv.graders.judging import JudgeUse


def judged(use: JudgeUse) -> Judged | None:
    """Who judged, and what it took; None if nobody did."""
    if use.missed:
        return None
    return Judged(
        model=use.model[:200],
        cached=use.cached,
        question=use.question,
        samples=use.samples,
        agreement=use.agreement,
        input_tokens=use.input_tokens,
        output_tokens=use.output_tokens,
        cost_usd=use.cost_usd,
    )
