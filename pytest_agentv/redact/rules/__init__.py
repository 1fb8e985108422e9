"""The kinds of secrets that are known, by who gives them out."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pytest_agentv.redact.rules import clouds, forges, general, models, services

if TYPE_CHECKING:
    from pytest_agentv.redact.rule import Context, Token

_FAMILIES = (models, forges, clouds, services, general)

TOKENS: tuple[Token, ...] = tuple(chain.from_iterable(one.TOKENS for one in _FAMILIES))
CONTEXTS: tuple[Context, ...] = tuple(chain.from_iterable(one.CONTEXTS for one in _FAMILIES))
