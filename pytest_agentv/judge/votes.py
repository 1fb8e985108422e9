"""Several answers to one question as one: of each criterion what most of them say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_agentv.graders.judging import Answer, JudgeUse, Verdict, total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.judge.cache import CachedVerdict


def together(
    verdicts: Sequence[CachedVerdict], *, cached: bool, question: str, unkept: str
) -> Verdict:
    """What several answers say together: of each criterion what most of them say."""
    answers = []
    agreements = []
    for several in zip(*(one.answers for one in verdicts), strict=True):
        votes = Counter(one.met for one in several)
        met = votes[True] * 2 > len(several)
        agreements.append(votes[met] / len(several))
        speaker = next((one for one in several if one.met == met), several[0])
        score = sum(one.score for one in several) / len(several)
        tied = votes[True] == votes[False]
        answers.append(Answer(met=met, score=score, reason=speaker.reason, tied=tied))
    count = len(verdicts)
    use = JudgeUse(
        model=verdicts[0].model,
        cached=cached,
        question=question,
        input_tokens=total([one.input_tokens for one in verdicts]),
        output_tokens=total([one.output_tokens for one in verdicts]),
        cost_usd=total([one.cost_usd for one in verdicts]),
        agreement=min(agreements) if count > 1 else None,
        samples=count,
        unkept=unkept,
    )
    return Verdict(answers=tuple(answers), use=use)
