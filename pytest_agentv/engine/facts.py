"""What graders may know of a case, put together of what its file and its run say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.graders.base import CaseFacts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_agentv.evalfile.model import Case
    from pytest_agentv.graders.judging import Judge


def case_facts(
    case: Case,
    *,
    folder: Path,
    prices: Mapping[str, Mapping[str, float]],
    scripts: bool,
    judge: Judge | None,
    judge_model: str | None,
) -> CaseFacts:
    """The facts of a case, whoever grades it."""
    return CaseFacts(
        id=case.id,
        input=case.input,
        expected_output=case.expected_output,
        criteria=case.criteria,
        metadata=case.metadata,
        cost_usd=case.cost_usd,
        prices=prices,
        folder=folder,
        scripts=scripts,
        judge=judge,
        judge_model=judge_model,
    )
