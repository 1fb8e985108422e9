"""What a grader is: the contract between an entry of an eval file and its grade."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.transcript.model import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFacts:
    """What a grader may know of the case besides the transcript."""

    id: str
    input: Any = None
    expected_output: Any = None
    criteria: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    # What the session cost by the eval file's word, in US dollars.
    cost_usd: float | None = None
    # Prices by model name or glob, in US dollars for a million tokens: input, output, cached,
    # cache_write.
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # That of the eval file; scripts run there.
    folder: Path | None = None
    # Whether scripts may be run at all.
    scripts: bool = True
    # Who judges what only a language model can; None: nobody.
    judge: Judge | None = None
    # Whom the eval file names for that, as ``provider:model``.
    judge_model: str | None = None


class Grader(BaseModel):
    """Judges one kind of assertion.

    The fields are the keys of an entry in YAML, besides those that every entry may have (``type``,
    ``metric``, ``weight``, ``required``, ``min_score``, ``on_missing``, ``negate``). Unknown keys
    are errors. ``threshold`` and ``in`` are a grader's own if it has such a field.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        defer_build=True,  # an eval file uses few of them
    )

    # What the type is called in YAML; the first name is the usual one.
    types: ClassVar[tuple[str, ...]] = ()
    # Keys that say what an assertion is about if it has no ``value``: they are part of its name.
    named_by: ClassVar[tuple[str, ...]] = ()

    # Whether it is a rubric, which a language model judges.
    asks_judge: ClassVar[bool] = False

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Grade a transcript; raises what goes wrong, and never grades it."""
        raise NotImplementedError
