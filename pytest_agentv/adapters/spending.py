"""Tokens of single responses, added up to those of a session."""

from __future__ import annotations

from typing import Any

from pytest_agentv.transcript.model import TokenUsage, Usage


class Spending:
    """What the responses of a session state, each counted once."""

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self._responses = 0
        self._stating_output = 0

    def add(self, usage: Usage | None) -> None:
        """One more response; None if it states nothing."""
        self._responses += 1
        if usage is None:
            return
        self._stating_output += usage.output is not None
        for name in Usage.__struct_fields__:
            value = getattr(usage, name)
            if value is not None:
                self._sums[name] = self._sums.get(name, 0) + value

    def replace(self, before: Usage | None, after: Usage | None) -> None:
        """The response that was added last states its tokens at its end only, or states more."""
        for name in Usage.__struct_fields__:
            old, new = (getattr(one, name, None) for one in (before, after))
            if new is not None:
                self._sums[name] = self._sums.get(name, 0) + new - (old or 0)
                self._stating_output += name == "output" and old is None

    def restart(self) -> None:
        """Forget what was added: another file knows better."""
        self._sums.clear()
        self._responses = self._stating_output = 0

    def total(self) -> TokenUsage | None:
        """The sums; None if no response stated any. What none states stays unknown."""
        if not self._sums:
            return None
        complete = self._stating_output == self._responses if "output" in self._sums else None
        return TokenUsage(**self._sums, output_complete=complete)


def larger(one: Usage | None, other: Usage | None) -> Usage | None:
    """What a response took that states it twice: the larger figure of each kind."""
    if one is None or other is None:
        return one or other
    stated = {
        name: [value for value in (getattr(one, name), getattr(other, name)) if value is not None]
        for name in Usage.__struct_fields__
    }
    return Usage(**{name: max(values) for name, values in stated.items() if values})


def usage_of(
    *,
    input: int | None = None,  # noqa: A002 (the field is called so)
    output: int | None = None,
    cached: int | None = None,
    cache_write: int | None = None,
    reasoning: int | None = None,
) -> Usage | None:
    """Tokens in our meaning: ``input`` includes both caches, ``output`` reasoning; none: None.

    Parts that are larger than their whole were counted beside it by a vendor who said otherwise:
    such a part is dropped, as it would be a lie of one kind or the other.
    """
    figures = {
        "input": _count(input),
        "output": _count(output),
        "cached": _count(cached),
        "cache_write": _count(cache_write),
        "reasoning": _count(reasoning),
    }
    caches = (figures["cached"] or 0) + (figures["cache_write"] or 0)
    if figures["input"] is not None and caches > figures["input"]:
        figures["cached"] = figures["cache_write"] = None
    if figures["output"] is not None and (figures["reasoning"] or 0) > figures["output"]:
        figures["reasoning"] = None
    known = {name: value for name, value in figures.items() if value is not None}
    return Usage(**known) if known else None


def usage_beside_caches(
    *,
    fresh: Any,
    cached: Any,
    cache_write: Any,
    output: Any,
    reasoning: Any = None,
) -> Usage | None:
    """Tokens of a vendor who counts caches beside the input; None if all say nothing, or zero."""
    fresh, cached, cache_write, output = (
        _count(value) for value in (fresh, cached, cache_write, output)
    )
    if not any((fresh, cached, cache_write, output)):
        return None
    return usage_of(
        input=None if fresh is None else fresh + (cached or 0) + (cache_write or 0),
        output=output,
        cached=cached,
        cache_write=cache_write,
        reasoning=reasoning,
    )


def cost_of(value: Any) -> float | None:
    """What something cost in US dollars, if a value can be that."""
    is_number = type(value) is int or type(value) is float
    return float(value) if is_number and 0 <= value < _MAX_COST else None


def _count(value: int | None) -> int | None:
    return value if type(value) is int and 0 <= value < _LIMIT else None


# No session is larger; up to here a float holds every whole number.
_LIMIT = 2**53
_MAX_COST = 1e9
