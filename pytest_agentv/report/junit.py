"""What a JUnit file says of an assertion besides its outcome."""

from __future__ import annotations

from pytest_agentv.report.clean import one_line


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
    numbers = {"agentv.score": score, "agentv.weight": weight}
    texts = {
        "agentv.provider": provider,
        "agentv.model": model,
        "agentv.session_id": session_id,
        "agentv.test_id": test_id,
        "agentv.assertion": assertion,
    }
    return [
        *((name, _number(value)) for name, value in numbers.items() if value is not None),
        *((name, one_line(value)) for name, value in texts.items() if value is not None),
    ]


def _number(value: float) -> str:
    """With six digits after the point at most, and never with an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
