"""Asks a language model, through pydantic-ai; whatever goes wrong is one sentence.

The only module that knows pydantic-ai, which is an extra and slow to import.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, Field

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.judging import Answer
from pytest_agentv.graders.rubrics import MOST_POINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.judging import Criterion
    from pytest_agentv.judge.prompt import Prompt
    from pytest_agentv.judge.settings import JudgeSettings

_EXTRA = "pip install 'pytest-agentv[llm]'"
_LONGEST = 400


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
    """What a model said, and what it took."""

    answers: tuple[Answer, ...]
    input_tokens: int | None
    output_tokens: int | None
    # By the price list of pydantic-ai, if it has the model.
    cost_usd: float | None


async def ask(
    name: str,
    prompt: Prompt,
    criteria: Sequence[Criterion],
    settings: JudgeSettings,
    *,
    temperature: float | None,
) -> Reply:
    """Put one question to a model, and again if the answer does not fit."""
    try:
        from pydantic_ai import Agent, ModelRetry  # noqa: PLC0415 (an extra)
        from pydantic_ai.exceptions import UserError  # noqa: PLC0415
    except ImportError as exc:
        raise NotGradable(f"a judge needs pydantic-ai: {_EXTRA}") from exc
    try:
        given: dict[str, Any] = {
            "output_type": _output(settings.output),
            "instructions": prompt.system,
            "retries": settings.retries,
            "model_settings": _parameters(settings, temperature),
        }
        agent: Agent[None, Judgement] = Agent(_model(name, settings), **given)
    except (UserError, ImportError, ValueError) as exc:
        raise NotGradable(f"the judge {name} cannot be asked: {_first(exc)}") from exc

    @agent.output_validator
    def fits(judgement: Judgement) -> Judgement:
        problem = _misfit(judgement, criteria)
        if problem is not None:
            raise ModelRetry(problem)
        return judgement

    try:
        result = await agent.run(prompt.user)
    except Exception as exc:  # noqa: BLE001 (clients of providers raise what they like)
        # Without its cause, whose traceback through the client takes pytest seconds to show.
        raise NotGradable(f"the judge {name} gave no verdict: {_why(exc)}") from None
    usage = result.usage
    return Reply(
        tuple(map(_answer, _in_order(result.output, criteria), criteria)),
        usage.input_tokens or None,
        usage.output_tokens or None,
        _cost(usage, result),
    )


async def embed(name: str, texts: list[str], settings: JudgeSettings) -> list[list[float]]:
    """What a model of embeddings makes of texts."""
    try:
        from pydantic_ai.embeddings import Embedder  # noqa: PLC0415 (an extra)
    except ImportError as exc:
        raise NotGradable(f"embeddings need pydantic-ai: {_EXTRA}") from exc
    try:
        result = await Embedder(_embedding_model(name, settings)).embed_documents(texts)
    except Exception as exc:  # noqa: BLE001 (clients of providers raise what they like)
        raise NotGradable(f"the model {name} gave no embeddings: {_why(exc)}") from None
    return [list(map(float, one)) for one in result.embeddings]


def _model(name: str, settings: JudgeSettings) -> Any:
    from pydantic_ai.models import infer_model  # noqa: PLC0415 (an extra)

    provider, _, model = name.rpartition(":")
    own_server = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    if own_server and provider in ("", "openai", "openai-chat"):
        from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 (an extra)

        # What other servers have in common with OpenAI's is its older interface.
        return OpenAIChatModel(model, provider=_server(own_server))
    return infer_model(name)


def _embedding_model(name: str, settings: JudgeSettings) -> Any:
    provider, _, model = name.rpartition(":")
    own_server = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    if own_server and provider in ("", "openai"):
        from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel  # noqa: PLC0415 (an extra)

        return OpenAIEmbeddingModel(model, provider=_server(own_server))
    return name


def _server(base_url: str) -> Any:
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 (an extra)

    # Servers on one's own machine want no key, but the client wants one.
    return OpenAIProvider(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")


def _output(kind: str) -> Any:
    from pydantic_ai import NativeOutput, PromptedOutput, ToolOutput  # noqa: PLC0415 (an extra)

    kinds = {"native": NativeOutput, "prompted": PromptedOutput, "tool": ToolOutput}
    return kinds[kind](Judgement)


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
    if criterion.ranges and said.points is not None:
        score = said.points / MOST_POINTS
        return Answer(met=said.points == MOST_POINTS, score=score, reason=said.reason)
    score = float(said.met) if said.score is None else said.score
    return Answer(met=said.met, score=score, reason=said.reason)


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


def _why(error: BaseException) -> str:
    """The reason behind an error, which clients wrap in others."""
    cause = error.__cause__
    said = _first(error)
    if cause is not None and (inner := _first(cause)) and inner not in said:
        return f"{said} ({inner})"[:_LONGEST]
    return said


def _first(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:_LONGEST]
