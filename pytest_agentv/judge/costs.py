"""What a question costs by the project's own prices: at most, and in fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.graders.costs import price_of as price_by_name
from pytest_agentv.judge.names import provider_and_model

if TYPE_CHECKING:
    from pytest_agentv.judge.prompt import Prompt
    from pytest_agentv.judge.settings import JudgeSettings

_MILLION = 1_000_000
# Tokens that describe the form of the answer, and how much denser than prose a text may be.
_FORM = 1_000
_DENSEST = 2


class Price(NamedTuple):
    """What a token costs, in US dollars."""

    read: float
    written: float

    def of(self, read: int | None, written: int | None) -> float | None:
        """What so many tokens cost; None if nobody counted them."""
        if read is None or written is None:
            return None
        return read * self.read + written * self.written

    def at_most(self, prompt: Prompt, settings: JudgeSettings) -> float:
        """The most that a question may cost, with every retry."""
        times = settings.retries + 1
        # Each retry repeats what was said before it.
        read = prompt.tokens * _DENSEST + _FORM + settings.max_tokens * (times - 1)
        return read * times * self.read + settings.max_tokens * times * self.written

    def to_read(self, prompt: Prompt) -> float:
        """The most that a prompt may cost which nothing is written about."""
        return prompt.tokens * _DENSEST * self.read


def price_of(model: str, settings: JudgeSettings) -> Price | None:
    """The price of a model, by its name with or without its provider."""
    _, bare = provider_and_model(model)
    found = price_by_name(model, settings.prices) or price_by_name(bare, settings.prices)
    if found is None:
        return None
    return Price(found["input"] / _MILLION, found["output"] / _MILLION)
