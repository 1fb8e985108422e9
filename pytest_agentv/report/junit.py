"""What a JUnit file says of an assertion besides its outcome."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from pytest_agentv.graders.judging import JudgeUse


def properties(
    *,
    assertion: str | None = None,
    test_id: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    session_id: str | None = None,
    score: float | None = None,
    weight: float | None = None,
) -> list[tuple[str, str]]:
    """Names and values for ``item.user_properties``; what is not known is left out.

    pytest writes names as they are, so none is made of anything foreign.
    """
    texts = {
        "agentv.provider": provider,
        "agentv.model": model,
        "agentv.session_id": session_id,
        "agentv.test_id": test_id,
        "agentv.assertion": assertion,
    }
    return [
        *numbers(score=score, weight=weight),
        *((name, one_line(value)) for name, value in texts.items() if value is not None),
    ]


def judge_properties(use: JudgeUse) -> list[tuple[str, str]]:
    """Who judged, and what it took."""
    found = [
        ("agentv.judge.model", one_line(use.model)),
        ("agentv.judge.cached", "true" if use.cached else "false"),
    ]
    figures = {
        "agentv.judge.input_tokens": use.input_tokens,
        "agentv.judge.output_tokens": use.output_tokens,
        "agentv.judge.cost_usd": use.cost_usd,
        "agentv.judge.agreement": use.agreement,
    }
    return found + [(name, _number(value)) for name, value in figures.items() if value is not None]


# Most assertions have the same: they share them, as there may be many thousands.
@lru_cache
def numbers(*, score: float | None, weight: float | None) -> tuple[tuple[str, str], ...]:
    """Those that differ from one assertion of a case to the next."""
    found = {"agentv.score": score, "agentv.weight": weight}
    return tuple((name, _number(one)) for name, one in found.items() if one is not None)


def _number(value: float) -> str:
    """With six digits after the point at most, and never with an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
