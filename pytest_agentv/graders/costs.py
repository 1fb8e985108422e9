"""What a session cost: by its own word, by the eval file's, or by the user's prices."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.figures import Figure, amount, count, known, together
from pytest_agentv.graders.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.transcript.model import TokenUsage, Transcript, Usage

_MILLION = 1_000_000

# The parts of the input that may have prices of their own.
_PARTS = ("cached", "cache_write")


def cost_usd(transcript: Transcript, case: CaseFacts) -> Figure:
    """The cost in US dollars."""
    if transcript.cost_usd is not None:
        stated = amount(transcript.cost_usd)
        return (
            Figure(why="the cost of the session is no amount") if stated is None else known(stated)
        )
    if case.cost_usd is not None:
        given = amount(case.cost_usd)
        if given is None:
            raise NotGradable(f"the case's `cost_usd` is no amount: {case.cost_usd!r}")
        return known(given)
    if not case.prices:
        return Figure(why="the session does not say what it cost, and no prices are set up")
    return _computed(transcript, case.prices)


def exact_cost(transcript: Transcript, case: CaseFacts) -> float | None:
    """The same, if it is known exactly."""
    try:
        return cost_usd(transcript, case).exact
    except NotGradable:
        return None


def _computed(transcript: Transcript, prices: Mapping[str, Mapping[str, float]]) -> Figure:
    responses = [
        (message.model or transcript.source.model, message.usage)
        for message in transcript.output
        if message.role == "assistant"
    ]
    models = {model for model, _ in responses} or {transcript.source.model}
    usage = transcript.token_usage
    if len(models) == 1 and usage is not None:
        figure = _cost_of(models.pop(), usage, prices)
        partial = usage.output_complete is False
    else:
        figure = together(*(_cost_of(model, one, prices) for model, one in responses))
        partial = not responses or _leaves_out(responses, usage)
    if partial:
        why = figure.why or "the session logged a part of its tokens only"
        return Figure(figure.low, None, why)
    return figure


def _leaves_out(
    responses: Sequence[tuple[str | None, Usage | None]], usage: TokenUsage | None
) -> bool:
    """Whether the session took more tokens than its messages tell of, or may have."""
    if usage is None:
        return False
    if usage.output_complete is False:
        return True
    for name in ("input", "output"):
        told = sum(count(getattr(one, name, None)) or 0 for _, one in responses)
        if told < (count(getattr(usage, name)) or 0):
            return True
    return False


def _cost_of(
    model: str | None,
    usage: Usage | TokenUsage | None,
    prices: Mapping[str, Mapping[str, float]],
) -> Figure:
    if model is None:
        return Figure(why="the session does not say which model it used")
    price = price_of(model, prices)
    if price is None:
        return Figure(why=f"there is no price for the model {shown(model)}")
    prompt = None if usage is None else count(usage.input)
    written = None if usage is None else count(usage.output)
    figures = [
        Figure(why="the session does not say how many input tokens it took")
        if prompt is None or usage is None
        else _prompt_cost(prompt, usage, price),
        Figure(why="the session does not say how many output tokens it took")
        if written is None
        else known(written * price["output"] / _MILLION),
    ]
    return together(*figures)


def _prompt_cost(prompt: int, usage: Usage | TokenUsage, price: Mapping[str, float]) -> Figure:
    """The cost of the input: in doubt, of its cheapest and of its dearest reading."""
    parts = {name: count(getattr(usage, name)) for name in _PARTS}
    rest = prompt - sum(part or 0 for part in parts.values())
    if rest < 0:
        return Figure(why="the session counts more cached tokens than input tokens")
    stated = sum((part or 0) * price[name] for name, part in parts.items())
    possible = [price["input"], *(price[name] for name, part in parts.items() if part is None)]
    low, high = (stated + rest * one for one in (min(possible), max(possible)))
    why = "" if low == high else "the session does not say how many tokens were cached"
    return Figure(low / _MILLION, high / _MILLION, why)


def price_of(model: str, prices: Mapping[str, Mapping[str, float]]) -> Mapping[str, float] | None:
    """The prices of a model by its name, else by the first glob that fits it."""
    found = prices.get(model)
    if found is None:
        found = next((price for glob, price in prices.items() if fnmatchcase(model, glob)), None)
    if found is None:
        return None
    for name in ("input", "output"):
        if name not in found:
            raise NotGradable(f"the prices of {shown(model)} lack `{name}`")
    whole = {**found, **{name: found.get(name, found["input"]) for name in _PARTS}}
    for name, value in whole.items():
        if amount(value) is None:
            raise NotGradable(f"the price `{name}` of {shown(model)} is no amount: {value!r}")
    return whole
