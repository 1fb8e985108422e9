"""What a session took, as a run keeps it: by the same definitions as the graders go by."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from pytest_agentv.graders import figures
from pytest_agentv.results.model import Figures
from pytest_agentv.transcript.model import Kind

if TYPE_CHECKING:
    from pytest_agentv.graders.figures import Figure
    from pytest_agentv.transcript.model import Transcript

_KINDS = frozenset(get_args(Kind))
_OTHER = "other"


def figures_of(transcript: Transcript, cost_usd: float | None) -> Figures:
    """The figures of a session; what it cost is a matter of prices, and so of the case."""
    calls = [call for message in transcript.output for call in message.tool_calls]
    kinds: dict[str, int] = {}
    for call in calls:
        kind = call.kind if call.kind in _KINDS else _OTHER
        kinds[kind] = kinds.get(kind, 0) + 1
    return Figures(
        token_usage=transcript.token_usage,
        duration_ms=figures.count(transcript.duration_ms),
        cost_usd=cost_usd,
        messages=len(transcript.output),
        llm_calls=_count(figures.llm_calls(transcript)),
        tool_calls=len(calls),
        tool_errors=_count(figures.errors_among(calls)),
        tools=dict(sorted(kinds.items())),
    )


def _count(figure: Figure) -> int | None:
    """A count that is known exactly."""
    return None if figure.exact is None else int(figure.exact)
