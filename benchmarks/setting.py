"""What made-up tool calls draw from: text, sizes, and the share of each tool.

Knows no vendor.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from synthetic_text import Texts

_Setting = TypeVar("_Setting", bound="Setting")
_Exchange = TypeVar("_Exchange")


@dataclass(frozen=True)
class Setting:
    """The chance and the texts of one session."""

    rng: Random
    texts: Texts

    def size(self, median: float, spread: float, most: int) -> int:
        """Draw from the long-tailed sizes that tool results have."""
        return min(int(median * self.rng.lognormvariate(0, spread)) + 1, most)

    def words(self, count: int) -> str:
        """Return a few words in a row."""
        return " ".join(self.rng.choices(self.texts.names, k=count))

    def prose(self, median: float) -> str:
        """Return escaped sentences, about `median` of them."""
        return self.texts.prose.sample(self.rng, self.size(median, 0.9, 80))


class Mixture(Generic[_Setting, _Exchange]):
    """Makers of tool calls, each with its share of all calls."""

    def __init__(self, *shares: tuple[Callable[[_Setting], _Exchange], float]) -> None:
        self._makers = [maker for maker, _ in shares]
        self._cumulative = list(accumulate(share for _, share in shares))

    def draw(self, setting: _Setting) -> _Exchange:
        """Return one call of any of the tools."""
        make = setting.rng.choices(self._makers, cum_weights=self._cumulative)[0]
        return make(setting)
