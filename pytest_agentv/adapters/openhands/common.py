"""What events of both versions have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.spending import cost_of, usage_of
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from pytest_agentv.adapters.told import Told

# A shell whose command goes on has no exit code yet.
_STILL_RUNNING = -1
_TIMED_OUT = ("timed out after", "has no new output after", "no new output")


def exit_code_of(*places: Any) -> int | None:
    """The exit code that one of some objects has; of a command that goes on there is none."""
    for place in places:
        code = place.get("exit_code") if isinstance(place, dict) else None
        if type(code) is int:
            return None if code == _STILL_RUNNING else code
    return None


def status_of_shell(place: Any, *, timed_out: bool = False) -> str | None:
    """Whether a command was given up waiting for: its exit code says that it still ran."""
    code = place.get("exit_code") if isinstance(place, dict) else None
    suffix = str(place.get("suffix") or "") if isinstance(place, dict) else ""
    if timed_out or (code == _STILL_RUNNING and any(words in suffix for words in _TIMED_OUT)):
        return "timeout"
    return None


def take_metrics(told: Told, metrics: list[Any], *, caches_apart: bool = False) -> None:
    """The totals that OpenHands keeps itself, added up over the models that were used."""
    sums: dict[str, int] = {}
    costs: list[Any] = []
    is_unpriced = False
    for one in metrics:
        if not isinstance(one, dict):
            continue
        usage = object_in(one, "accumulated_token_usage")
        cost = one.get("accumulated_cost")
        # Tokens that cost nothing are those of a model whose price the client does not know.
        is_unpriced = is_unpriced or (cost == 0 and any(usage.values()))
        costs.append(cost)
        for name, count in usage.items():
            if type(count) is int and count >= 0 and isinstance(name, str):
                sums[name] = sums.get(name, 0) + count
    if any(cost_of(one) is not None for one in costs):
        told.cost_usd = None  # what was stated before is in it
    for cost in () if is_unpriced else costs:
        told.costs(cost)
    input_ = sums.get("prompt_tokens")
    if input_ is not None and caches_apart:
        input_ += sums.get("cache_read_tokens", 0) + sums.get("cache_write_tokens", 0)
    found = usage_of(
        input=input_,
        output=sums.get("completion_tokens"),
        cached=sums.get("cache_read_tokens"),
        cache_write=sums.get("cache_write_tokens"),
        reasoning=sums.get("reasoning_tokens"),
    )
    if found is not None:
        told.usage = TokenUsage(
            input=found.input,
            output=found.output,
            cached=found.cached,
            cache_write=found.cache_write,
            reasoning=found.reasoning,
            output_complete=None if found.output is None else True,
        )


def object_in(value: Any, *names: str) -> dict[str, Any]:
    """An object inside of others; an empty one if it is not there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def string_in(value: Any, name: str) -> str | None:
    """A text of an object, if it has it and it says something."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) and found else None
