"""Asks a language model, through pydantic-ai; whatever goes wrong is one sentence.

The only module that knows pydantic-ai, which is an extra and slow to import.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, Field

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.judging import Answer
from pytest_agentv.graders.rubrics import MOST_POINTS
from pytest_agentv.jsontext import well_formed
from pytest_agentv.judge.names import provider_and_model
from pytest_agentv.judge.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pytest_agentv.graders.judging import Criterion
    from pytest_agentv.judge.prompt import Prompt
    from pytest_agentv.judge.settings import JudgeSettings

_EXTRA = "pip install 'pytest-agentv[llm]'"
# Clients try a request that fails so often, and wait for so long in between, as the server tells.
_TRIES = 3
_PAUSES = 120.0


class Said(BaseModel):
    """The answer to one criterion."""

    id: str = Field(description="The criterion, as c1")
    reason: str = Field(description="One or two sentences: what in the data decides")
    met: bool
    score: float | None = Field(None, ge=0, le=1, description="How well it is met")
    points: int | None = Field(
        None, ge=0, le=MOST_POINTS, description="Only for a criterion with ranges of points"
    )


class Judgement(BaseModel):
    """The answers to all criteria, each once."""

    answers: list[Said]


class Reply(NamedTuple):
    """What a model said."""

    answers: tuple[Answer, ...]
    # By the price list of pydantic-ai, if it has the model.
    cost_usd: float | None


class Meter:
    """The requests of one question: each waits for its turn, and what they took is counted."""

    def __init__(self, turn: Callable[[], Awaitable[None]]) -> None:
        self.turn = turn
        # None: nobody knows.
        self.input_tokens: int | None = 0
        self.output_tokens: int | None = 0

    def lose(self) -> None:
        """A request is under way: what it takes is not known before it is answered."""
        self.input_tokens = self.output_tokens = None

    def count(self, before: tuple[int | None, int | None], read: int, written: int) -> None:
        """A request took so many tokens, besides those before; of none, nobody said how many."""
        known = read or written
        self.input_tokens = None if before[0] is None or not known else before[0] + read
        self.output_tokens = None if before[1] is None or not known else before[1] + written


async def ask(
    name: str,
    prompt: Prompt,
    criteria: Sequence[Criterion],
    settings: JudgeSettings,
    *,
    temperature: float | None,
    meter: Meter,
) -> Reply:
    """Put one question to a model, and again if the answer does not fit."""
    try:
        import pydantic_ai  # noqa: PLC0415 (an extra)
        from pydantic_ai import Agent, ModelRetry  # noqa: PLC0415
        from pydantic_ai.exceptions import UserError  # noqa: PLC0415
    except ImportError as exc:
        raise NotGradable(f"a judge needs pydantic-ai: {_EXTRA}") from exc
    # Else it greets whoever watches, in the middle of what we show them.
    pydantic_ai.BANNER_ENABLED = False
    try:
        model = _model(name, settings)
        given: dict[str, Any] = {
            "output_type": _output(settings.output),
            "instructions": prompt.system,
            "retries": settings.retries,
            "model_settings": _parameters(
                settings, temperature if _takes_temperature(model.profile) else None
            ),
        }
        seconds = _TRIES * settings.timeout + _PAUSES
        agent: Agent[None, Judgement] = Agent(_metered(model, meter, seconds=seconds), **given)
    except (UserError, ImportError, ValueError) as exc:
        raise NotGradable(f"the judge {name} cannot be asked: {reason_of(exc)}") from None

    @agent.output_validator
    def fits(judgement: Judgement) -> Judgement:
        problem = _misfit(judgement, criteria)
        if problem is not None:
            raise ModelRetry(problem)
        return judgement

    try:
        async with agent:
            result = await agent.run(prompt.user)
    except Exception as exc:  # noqa: BLE001 (clients of providers raise what they like)
        # Without its cause, whose traceback through the client takes pytest seconds to show.
        raise NotGradable(f"the judge {name} gave no verdict: {reason_of(exc)}") from None
    return Reply(
        tuple(map(_answer, _in_order(result.output, criteria), criteria)),
        _cost(result.usage, result),
    )


async def embed(
    name: str, texts: list[str], settings: JudgeSettings, *, meter: Meter
) -> list[list[float]]:
    """What a model of embeddings makes of texts."""
    try:
        from pydantic_ai.embeddings import Embedder  # noqa: PLC0415 (an extra)
    except ImportError as exc:
        raise NotGradable(f"embeddings need pydantic-ai: {_EXTRA}") from exc
    await meter.turn()
    meter.lose()
    try:
        model, provider = _embedding_model(name, settings)
        async with provider:
            # These clients have no time-out that could be set.
            work = Embedder(model).embed_documents(texts)
            result = await asyncio.wait_for(work, settings.timeout)
    except Exception as exc:  # noqa: BLE001 (clients of providers raise what they like)
        raise NotGradable(f"the model {name} gave no embeddings: {reason_of(exc)}") from None
    if len(result.embeddings) != len(texts):
        raise NotGradable(f"the model {name} gave {len(result.embeddings)} embeddings, not 2")
    meter.count((0, 0), result.usage.input_tokens, 0)
    return [list(map(float, one)) for one in result.embeddings]


def _metered(model: Any, meter: Meter, *, seconds: float) -> Any:
    """The same model, whose requests are counted, and do not go on for ever."""
    from pydantic_ai.exceptions import ModelHTTPError  # noqa: PLC0415 (an extra)
    from pydantic_ai.models.wrapper import WrapperModel  # noqa: PLC0415

    class Metered(WrapperModel):
        async def request(self, *given: Any, **more: Any) -> Any:
            await meter.turn()
            before = meter.input_tokens, meter.output_tokens
            meter.lose()
            try:
                # The client's own time-out is over whenever a byte comes.
                response = await asyncio.wait_for(super().request(*given, **more), seconds)
            except asyncio.TimeoutError:
                raise NotGradable(f"no answer within {seconds:g} seconds") from None
            except ModelHTTPError:
                meter.input_tokens, meter.output_tokens = before
                raise
            meter.count(before, response.usage.input_tokens, response.usage.output_tokens)
            return response

    return Metered(model)


def _model(name: str, settings: JudgeSettings) -> Any:
    from pydantic_ai.models import infer_model  # noqa: PLC0415 (an extra)

    provider, model = provider_and_model(name)
    own_server = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    if own_server and provider in ("", "openai", "openai-chat"):
        from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 (an extra)

        # What other servers have in common with OpenAI's is its older interface.
        return OpenAIChatModel(model, provider=_server(own_server))
    return infer_model(name)


def _embedding_model(name: str, settings: JudgeSettings) -> tuple[Any, Any]:
    """The model, and its provider, which has connections to close."""
    from pydantic_ai.embeddings import infer_embedding_model  # noqa: PLC0415 (an extra)
    from pydantic_ai.providers import infer_provider  # noqa: PLC0415

    kind, model = provider_and_model(name)
    own_server = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    own = own_server is not None and kind in ("", "openai")
    provider = _server(own_server) if own and own_server else infer_provider(kind)
    full = f"{kind or 'openai'}:{model}"
    return infer_embedding_model(full, provider_factory=lambda _: provider), provider


def _server(base_url: str) -> Any:
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 (an extra)

    # Servers on one's own machine want no key, but the client wants one.
    return OpenAIProvider(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")


def _output(kind: str) -> Any:
    from pydantic_ai import NativeOutput, PromptedOutput, ToolOutput  # noqa: PLC0415 (an extra)

    kinds = {"native": NativeOutput, "prompted": PromptedOutput, "tool": ToolOutput}
    return kinds[kind](Judgement)


def _takes_temperature(profile: Any) -> bool:
    """Whether a model has one: most that reason first have none, and clients warn of it."""
    if any(profile.get(f"{one}_disallows_sampling_settings") for one in ("anthropic", "bedrock")):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    can_be_off = profile.get("openai_supports_reasoning_effort_none")
    return bool(can_be_off) and not profile.get("thinking_enabled_by_default")


def _parameters(settings: JudgeSettings, temperature: float | None) -> dict[str, Any]:
    found: dict[str, Any] = {"max_tokens": settings.max_tokens, "timeout": settings.timeout}
    if temperature is not None:
        found["temperature"] = temperature
    return found


def _misfit(judgement: Judgement, criteria: Sequence[Criterion]) -> str | None:
    wanted = [f"c{number}" for number in range(1, len(criteria) + 1)]
    if sorted(one.id for one in judgement.answers) != sorted(wanted):
        return f"Answer every criterion exactly once: {', '.join(wanted)}."
    for said, criterion in zip(_in_order(judgement, criteria), criteria, strict=True):
        if criterion.ranges and said.points is None:
            return f"{said.id} needs `points`, a whole number from 0 to {MOST_POINTS}."
    return None


def _in_order(judgement: Judgement, criteria: Sequence[Criterion]) -> list[Said]:
    by_id = {one.id: one for one in judgement.answers}
    return [by_id[f"c{number}"] for number in range(1, len(criteria) + 1)]


def _answer(said: Said, criterion: Criterion) -> Answer:
    reason = well_formed(said.reason)
    if criterion.ranges and said.points is not None:
        score = said.points / MOST_POINTS
        return Answer(met=said.points == MOST_POINTS, score=score, reason=reason)
    score = float(said.met) if said.score is None else said.score
    return Answer(met=said.met, score=score, reason=reason)


def _cost(usage: Any, result: Any) -> float | None:
    stated = getattr(usage, "cost", None)
    if stated is None:
        try:
            stated = result.all_messages()[-1].cost().total_price
        except Exception:  # noqa: BLE001 (a list of prices that lacks this model, or does not exist)
            return None
    try:
        cost = float(stated)
    except (TypeError, ValueError):
        return None
    return cost if cost > 0 else None
