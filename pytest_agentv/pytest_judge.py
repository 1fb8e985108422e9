"""Judges in a run of pytest: made when the first question comes; what they took, in the summary."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_agentv.errors import SettingsError
from pytest_agentv.pytest_redaction import outgoing_of
from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.engine.assertions import Assertion
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.judging import JudgeUse, Likeness, NotJudged, Question, Verdict
    from pytest_agentv.judge.judge import ModelJudge
    from pytest_agentv.transcript.model import Transcript

# What a worker of pytest-xdist is told, and the attribute of a report.
SHARED = "agentv_judge"

_Answered = TypeVar("_Answered")

_folder_key = pytest.StashKey["TemporaryDirectory[str]"]()


def shared_folder(config: pytest.Config) -> bytes:
    """A folder for what the workers of a run share; it lives as long as the run."""
    if _folder_key not in config.stash:
        folder = TemporaryDirectory(prefix="agentv-judge-", ignore_cleanup_errors=True)
        config.stash[_folder_key] = folder
        config.add_cleanup(folder.cleanup)
    return os.fsencode(config.stash[_folder_key].name)


class RunJudge:
    """The judge of a run; it costs nothing before it is asked."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._made: ModelJudge | None = None
        # The case whose questions were put last; which assertions are graded, by their case.
        self._case: object = None
        self._selected: dict[int, set[int | None]] | None = None
        # What answers took that were got since the last assertion was done.
        self.uses: list[JudgeUse] = []

    def begin(self, question: Question, transcript: Transcript) -> None:
        """Put a question that will be asked soon."""
        self._judge().begin(question, transcript)

    def begin_case(
        self,
        item: pytest.Item,
        assertions: Sequence[Assertion],
        facts: CaseFacts,
        transcript: Transcript,
    ) -> None:
        """Put the questions of a case at once, when the first of its assertions is graded."""
        if item.parent is self._case:
            return
        self._case = item.parent
        numbers = self._selected_of(item)
        for number, assertion in enumerate(assertions):
            # Without a number: the score, which needs all of them.
            if number in numbers or None in numbers:
                for question in assertion.questions(facts):
                    self.begin(question, transcript)

    def _selected_of(self, item: pytest.Item) -> set[int | None]:
        """The assertions of the same case that will be graded, too."""
        if self._selected is None:
            self._selected = {}
            for one in item.session.items:
                number = getattr(one, "number", None)
                self._selected.setdefault(id(one.parent), set()).add(number)
        return self._selected.get(id(item.parent), set())

    def answer(self, question: Question, transcript: Transcript) -> Verdict | NotJudged:
        """Answer a question."""
        return self._noted(self._judge().answer(question, transcript))

    def alike(self, model: str, one: str, other: str) -> Likeness | NotJudged:
        """How alike two texts are by what they mean."""
        return self._noted(self._judge().alike(model, one, other))

    def _noted(self, answer: _Answered) -> _Answered:
        use = getattr(answer, "use", None)
        if use is not None:
            self.uses.append(use)
        return answer

    def facts(self, use: JudgeUse | None, *, done: bool) -> list[dict[str, Any]]:
        """What a report says of judges, by what its grade says and by what was asked for it.

        The score of a case and its gate have answers that are no part of their grades. What could
        not be graded is told twice rather than not at all: who adds it up counts questions.
        """
        graded = [] if use is None else list(use.parts or (use,))
        told = {one.question for one in graded}
        facts = [*graded, *(one for one in self.uses if one.question not in told)]
        if done:
            self.uses.clear()
        return [_facts(one) for one in facts]

    def _judge(self) -> ModelJudge:
        if self._made is None:
            # Judges are rare, and asyncio is slow to import.
            from pytest_agentv.judge.judge import ModelJudge  # noqa: PLC0415
            from pytest_agentv.judge.settings import MODES, read_judge_settings  # noqa: PLC0415
            from pytest_agentv.pytest_waiting import waiting_line  # noqa: PLC0415

            config = self._config
            mode: Any = config.getoption("agentv_judge") or config.getini("agentv_judge") or None
            if mode not in (None, *MODES):
                raise SettingsError(f"agentv_judge must be one of {', '.join(MODES)}, not {mode!r}")
            settings = read_judge_settings(
                config.rootpath,
                os.environ,
                model=config.getoption("agentv_model") or config.getini("agentv_model") or None,
                mode=mode,
                max_cost=config.getoption("agentv_max_cost"),
            )
            outgoing = outgoing_of(config)
            if outgoing is not None:
                # The same text in every process and run, or no verdict would be found again.
                settings = replace(settings, redact=outgoing.name)
            folder: bytes | None = getattr(config, "workerinput", {}).get(SHARED)
            shared = None if folder is None else Path(os.fsdecode(folder), "limits.sqlite")
            self._made = ModelJudge(settings, shared=shared, watcher=waiting_line(config))
            config.add_cleanup(self._made.close)
        return self._made


def _facts(use: JudgeUse) -> dict[str, Any]:
    """What it took to get an answer, as values that any process can be sent."""
    return {
        "question": use.question,
        "model": one_line(use.model),
        "cached": use.cached,
        "missed": use.missed,
        "samples": use.samples,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost_usd": use.cost_usd,
        "unkept": one_line(use.unkept),
    }


def judge_lines(reports: Iterable[Any]) -> list[str]:
    """What judges were asked and took in this run; nothing if none was needed."""
    found = [one for report in reports for one in getattr(report, SHARED, ())]
    # Texts that were judged together have one answer; who asked it counts more than who then
    # found it in the cache.
    found.sort(key=lambda one: not one["cached"])
    uses = {one["question"]: one for one in found if not one["missed"]}.values()
    missed = sum(one["missed"] for one in found)
    asked = [one for one in uses if not one["cached"]]
    lines = []
    if uses:
        parts = [f"{len(uses) - len(asked)} from the cache", f"{len(asked)} asked"]
        if asked:
            parts.append(
                f"{_total(asked, 'input_tokens')} + {_total(asked, 'output_tokens')} tokens"
            )
            costs = [one["cost_usd"] for one in asked]
            parts.append("cost unknown" if None in costs else f"{sum(costs):.4f} USD")
        lines.append(
            f"judge: {len(uses)} {'verdict' if len(uses) == 1 else 'verdicts'}: {', '.join(parts)}"
        )
    if missed:
        ask = "--agentv-model and --agentv-judge=live ask"
        lines.append(f"judge: {missed} skipped: not in the cache ({ask})")
    unkept = next((one["unkept"] for one in found if one["unkept"]), None)
    if unkept is not None:
        lines.append(f"judge: verdicts are not kept, and the next run asks again: {unkept}")
    return lines


def _total(uses: Iterable[dict[str, Any]], name: str) -> str:
    values = [one[name] for one in uses]
    return "unknown" if None in values else f"{sum(values):,}"
