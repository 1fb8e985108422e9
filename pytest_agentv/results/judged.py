"""What rows keep of a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.results.model import Judged

if TYPE_CHECKING:
    from pytest_agentv.graders.grade import Grade


def judged(grade: Grade) -> Judged | None:
    """Who judged, and what it took; None if nobody did."""
    use = grade.judge
    if use is None or use.missed:
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
