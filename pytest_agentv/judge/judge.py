"""The judge of a run: answers from the cache, else from a model, within the bounds of the run.

What goes wrong on the way is raised where the answer is asked for.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import AgentvError, NotGradable
from pytest_agentv.graders.judging import Likeness, NotJudged, Verdict
from pytest_agentv.graders.phrases import shown
from pytest_agentv.jsontext import well_formed
from pytest_agentv.judge.background import Background
from pytest_agentv.judge.cache import (
    CachedAnswer,
    CachedVerdict,
    Key,
    VerdictCache,
    judge_digest,
    question_digest,
)
from pytest_agentv.judge.costs import price_of
from pytest_agentv.judge.limits import RunLimits
from pytest_agentv.judge.prompt import Prompt, prompt_for
from pytest_agentv.judge.votes import together
from pytest_agentv.judge.waiting import Asked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from pytest_agentv.graders.judging import Criterion, Question
    from pytest_agentv.judge.settings import JudgeSettings, Mode
    from pytest_agentv.judge.waiting import Watcher
    from pytest_agentv.transcript.model import Transcript

OFF = "judges are off (--agentv-judge=off)"
NOT_CACHED = "no verdict in the cache, and only the cache is asked"
NO_MODEL = (
    "no judge is set up: name a model by --agentv-model (by --model if pytest does not run), "
    "or set AGENTV_MODEL"
)


class ModelJudge:
    """Answers by a language model."""

    def __init__(
        self,
        settings: JudgeSettings,
        *,
        shared: Path | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        """``shared`` is a file that other processes of the run use, too."""
        self._settings = settings
        self._cache = VerdictCache(settings.cache)
        self._limits = RunLimits(
            shared,
            max_cost=settings.max_cost,
            requests_per_minute=settings.requests_per_minute,
        )
        self._asked_here = Asked(watcher)
        # Why an answer could not be kept, if one could not.
        self._unkept = ""
        self._background = Background()
        self._room: asyncio.Semaphore | None = None

    def mode(self, model: str | None) -> Mode:
        """Whether a model is asked."""
        return self._settings.mode or ("cached" if model is None else "live")

    def begin(self, question: Question, transcript: Transcript) -> None:
        """Put a question that is not in the cache, and go on."""
        model = question.model or self._settings.model
        if model is not None and self.mode(model) == "live":
            prompt = self._prompt(question, transcript)
            for sample in range(question.samples):
                key = self._key(question, prompt, model, sample)
                if key not in self._asked_here and self._cache.get(key) is None:
                    self._put(key, question, prompt, model)

    def answer(self, question: Question, transcript: Transcript) -> Verdict | NotJudged:
        """Answer from the cache, or ask."""
        model = question.model or self._settings.model
        mode = self.mode(model)
        if mode == "off":
            return NotJudged(OFF)
        if model is None and mode == "live":
            raise NotGradable(NO_MODEL)
        prompt = self._prompt(question, transcript)
        found = [self._one(question, prompt, model, mode, one) for one in range(question.samples)]
        verdicts = [one for one, _ in found if one is not None]
        if len(verdicts) < len(found):
            reason = NOT_CACHED if model is not None else f"{NO_MODEL}; {NOT_CACHED}"
            return NotJudged(reason, missed=True)
        wrong = [one for one in verdicts if len(one.answers) != len(question.criteria)]
        if wrong:
            raise NotGradable("the cache holds a verdict on other criteria; clear it")
        return together(
            verdicts,
            cached=all(cached for _, cached in found),
            question=f"{question_digest(prompt, question.samples)}-"
            f"{judge_digest(verdicts[0].model, {})}",
            unkept=self._unkept,
        )

    def alike(self, model: str, one: str, other: str) -> Likeness | NotJudged:
        """The likeness of two texts by a model of embeddings, from the cache if it is known."""
        mode = self.mode(model)
        if mode == "off":
            return NotJudged(OFF)
        clean = self._settings.redact or (lambda text: text)
        prompt = Prompt(well_formed(clean(one)), well_formed(clean(other)))
        key = Key(question_digest(prompt, 0), judge_digest(model, {}))
        known = self._cache.get(key)
        cached = known is not None and not self._limits.was_answered(key.name)
        if known is None:
            if mode == "cached":
                return NotJudged(NOT_CACHED, missed=True)
            asked = self._asked_here.put(key, self._run(self._embedded(key, model, prompt)))
            known = self._asked_here.wait(asked, model=model, about=("embeddings",))
        use = together([known], cached=cached, question=key.name, unkept=self._unkept).use
        return Likeness(score=known.answers[0].score, use=use)

    def close(self) -> None:
        """End; what is still asked is given up."""
        self._background.close()
        self._limits.close()

    def _prompt(self, question: Question, transcript: Transcript) -> Prompt:
        settings = self._settings
        return prompt_for(
            question, transcript, max_tokens=settings.max_input_tokens, redact=settings.redact
        )

    def _key(self, question: Question, prompt: Prompt, model: str, sample: int) -> Key:
        return Key(question_digest(prompt, sample), judge_digest(model, self._parameters(question)))

    def _parameters(self, question: Question) -> dict[str, Any]:
        settings = self._settings
        return {
            "temperature": self._temperature(question),
            "max_tokens": settings.max_tokens,
            "output": settings.output,
        }

    def _temperature(self, question: Question) -> float | None:
        if question.temperature is not None:
            return question.temperature
        # Several answers of a model that never varies would be one.
        return self._settings.temperature if question.samples == 1 else 1.0

    def _one(
        self, question: Question, prompt: Prompt, model: str | None, mode: Mode, sample: int
    ) -> tuple[CachedVerdict | None, bool]:
        """One answer, and whether it was in the cache."""
        if model is None:
            return self._of_anybody(question_digest(prompt, sample)), True
        key = self._key(question, prompt, model, sample)
        asked = self._asked_here.get(key)
        if asked is None:
            known = self._cache.get(key)
            if known is not None or mode == "cached":
                return known, known is None or not self._limits.was_answered(key.name)
            asked = self._put(key, question, prompt, model)
        about = tuple(one.text for one in question.criteria)
        return self._asked_here.wait(asked, model=model, about=about), False

    def _of_anybody(self, question: str) -> CachedVerdict | None:
        found = self._cache.of_anybody(question)
        models = sorted({one.model for one in found})
        if len(models) > 1:
            names = ", ".join(map(shown, models))
            raise NotGradable(f"the cache has verdicts of {names}; choose by --agentv-model")
        return max(found, key=lambda one: one.created, default=None)

    def _put(
        self, key: Key, question: Question, prompt: Prompt, model: str
    ) -> Future[CachedVerdict]:
        work = self._asked(key, prompt, model, question.criteria, self._temperature(question))
        return self._asked_here.put(key, self._run(work))

    def _run(self, work: Coroutine[Any, Any, CachedVerdict]) -> Future[CachedVerdict]:
        if self._room is None:
            self._room = asyncio.Semaphore(self._settings.concurrency)
            self._background.put(self._limits.hold_on())
        return self._background.put(work)

    async def _asked(
        self,
        key: Key,
        prompt: Prompt,
        model: str,
        criteria: Sequence[Criterion],
        temperature: float | None,
    ) -> CachedVerdict:
        from pytest_agentv.judge.models import Meter, ask  # noqa: PLC0415 (slow, and an extra)

        async def request() -> CachedVerdict:
            price = price_of(model, self._settings)
            most = None if price is None else price.at_most(prompt, self._settings)
            async with self._limits.spending(most, model=model) as spending:
                meter = Meter(self._limits.turn)
                try:
                    reply = await ask(
                        model,
                        prompt,
                        criteria,
                        self._settings,
                        temperature=temperature,
                        meter=meter,
                    )
                finally:
                    read, written = meter.input_tokens, meter.output_tokens
                    cost = spending.usd = None if price is None else price.of(read, written)
            return CachedVerdict(
                model=model,
                answers=tuple(
                    CachedAnswer(met=one.met, score=one.score, reason=one.reason)
                    for one in reply.answers
                ),
                input_tokens=read,
                output_tokens=written,
                cost_usd=reply.cost_usd if cost is None else cost,
                created=int(time.time()),
            )

        return await self._once(key, request)

    async def _embedded(self, key: Key, model: str, prompt: Prompt) -> CachedVerdict:
        from pytest_agentv.judge.models import Meter, embed  # noqa: PLC0415 (slow, and an extra)

        async def request() -> CachedVerdict:
            price = price_of(model, self._settings)
            most = None if price is None else price.to_read(prompt)
            async with self._limits.spending(most, model=model) as spending:
                meter = Meter(self._limits.turn)
                try:
                    one, other = await embed(model, list(prompt), self._settings, meter=meter)
                finally:
                    cost = None if price is None else price.of(meter.input_tokens, 0)
                    spending.usd = cost
            return CachedVerdict(
                model=model,
                answers=(CachedAnswer(met=True, score=_cosine(one, other)),),
                input_tokens=meter.input_tokens,
                output_tokens=None if meter.input_tokens is None else 0,
                cost_usd=cost,
                created=int(time.time()),
            )

        return await self._once(key, request)

    async def _once(
        self, key: Key, request: Callable[[], Awaitable[CachedVerdict]]
    ) -> CachedVerdict:
        """Ask, unless another process does so or did: then take its answer."""
        while not self._limits.claim(key.name):
            await self._limits.look_again()
        verdict = None
        try:
            known = self._cache.get(key)
            if known is not None:
                return known
            assert self._room is not None  # it is made before this runs
            async with self._room:
                verdict = await request()
            try:
                self._cache.put(key, verdict)
            except AgentvError as exc:
                # An answer that cannot be kept is an answer all the same.
                self._unkept = str(exc)
            return verdict
        finally:
            self._limits.release(key.name, answered=verdict is not None)


def _cosine(one: list[float], other: list[float]) -> float:
    """From 0 to 1; opposite meanings are not more alike than unrelated ones by less than that."""
    if len(one) != len(other):
        raise NotGradable("the model of embeddings returned vectors of two lengths")
    product: float = sum(a * b for a, b in zip(one, other, strict=True))
    lengths: float = (sum(a * a for a in one) * sum(b * b for b in other)) ** 0.5
    if not lengths:
        raise NotGradable("the model of embeddings returned nothing but zeros")
    return min(max(product / lengths, 0.0), 1.0)
