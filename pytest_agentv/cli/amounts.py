"""Numbers as options take them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click import Context, Parameter


class Amount(click.FloatRange):
    """A number in a range. What is no number would be in every one: nothing is less or more."""

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> float:
        """The number; refuses ``nan`` and ``inf``, which Python takes for numbers."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no amount.", param, ctx)
        return number
