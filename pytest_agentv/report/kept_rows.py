"""Rows as results keep them, whoever graded: every text that others wrote is cleaned and cut."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from pytest_agentv.graders.costs import exact_cost
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.kept_texts import (
    kept_details,
    kept_phrase,
    kept_places,
    kept_prompt,
    kept_source,
)
from pytest_agentv.results.figures import figures_of
from pytest_agentv.results.model import Row
from pytest_agentv.results.writing import now

if TYPE_CHECKING:
    from pytest_agentv.evalfile.model import Case
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.results.model import Score
    from pytest_agentv.transcript.model import Transcript

# For what all cases of a file have in common.
_line_of = lru_cache(one_line)


def kept_case(
    case: Case,
    *,
    name: str,
    suite: str,
    category: str | None,
    eval_file: str,
    target: str | None,
    **session: Any,
) -> Row:
    """A row without its scores; ``session`` are the fields that tell of its session."""
    return Row(
        timestamp=now(),
        test_id=case.id,
        suite=_line_of(suite),
        category=None if category is None else _line_of(category),
        tags=tuple(map(one_line, case.tags)),
        eval_file=eval_file,
        line=case.at.line,
        case=name,
        target=None if target is None else _line_of(target),
        threshold=case.threshold,
        **session,
    )


def kept_session(transcript: Transcript, facts: CaseFacts, *, shown: Transcript) -> dict[str, Any]:
    """The fields of a row that tell of its session, which may be ``shown`` as something else."""
    return {
        "source": kept_source(shown.source),
        "input": kept_prompt(shown.input),
        **asdict(figures_of(transcript, exact_cost(transcript, facts))),
    }


def kept_score(score: Score) -> Score:
    """What became of an assertion."""
    return replace(
        score,
        claim=kept_phrase(score.claim),
        reason=kept_phrase(score.reason),
        details=kept_details(score.details),
        evidence=kept_places(score.evidence),
    )
