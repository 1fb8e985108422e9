"""How judges are called: by the options of a run, the project's settings and the environment."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_agentv.config.project import read_prices, read_table
from pytest_agentv.errors import Location, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Mode = Literal["cached", "live", "off"]
MODES: tuple[Mode, ...] = ("cached", "live", "off")

MODEL_VARIABLE = "AGENTV_MODEL"
CACHE_VARIABLE = "AGENTV_JUDGE_CACHE"
CACHE_FOLDER = Path(".agentv", "cache", "judge")

_OUTPUTS = ("tool", "native", "prompted")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """Who judges by default, and within which bounds."""

    cache: Path
    # As ``provider:model``.
    model: str | None = None
    # None: live if anybody names a model, else cached.
    mode: Mode | None = None
    # Of an OpenAI-compatible server; None: that of the provider, or of its own variable.
    base_url: str | None = None
    temperature: float | None = 0.0
    # Of what the judge reads about a session, and of what it may write.
    max_input_tokens: int = 24_000
    max_tokens: int = 4_000
    timeout: float = 120.0
    # How often an answer that does not fit is asked for again.
    retries: int = 2
    # How the answer is got: by a call of a tool, by the provider's own JSON mode, or by asking.
    output: str = "tool"
    concurrency: int = 4
    requests_per_minute: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # What a run takes out of every text that leaves the process.
    redact: Callable[[str], str] | None = None

    @property
    def decisive(self) -> tuple[object, ...]:
        """What a verdict depends on: not how long somebody waits for it, nor what it may cost."""
        asked = (self.model, self.mode, self.base_url, self.temperature, self.output)
        return (*asked, self.max_input_tokens, self.max_tokens)


_KEYS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "model": (str, "a text: provider:model"),
    "base_url": (str, "a text"),
    "cache": (str, "a path"),
    "temperature": ((int, float), "a number from 0 on"),
    "max_input_tokens": (int, "a whole number above 0"),
    "max_tokens": (int, "a whole number above 0"),
    "timeout": ((int, float), "a number of seconds above 0"),
    "retries": (int, "a whole number from 0 on"),
    "output": (str, f"one of {', '.join(_OUTPUTS)}"),
    "concurrency": (int, "a whole number above 0"),
    "requests_per_minute": (int, "a whole number above 0"),
}
_MAY_BE_0 = ("temperature", "retries")


def read_judge_settings(
    root: Path,
    environ: Mapping[str, str],
    *,
    model: str | None = None,
    mode: Mode | None = None,
    max_cost: float | None = None,
) -> JudgeSettings:
    """The settings of a project; what is given here counts more, the environment less."""
    path = root / "pyproject.toml"
    table = read_table(root, "judge")
    for key, value in table.items():
        _check(key, value, at=Location(path))
    given: dict[str, Any] = {key: value for key, value in table.items() if key != "cache"}
    given["model"] = model or given.get("model") or environ.get(MODEL_VARIABLE) or None
    cache = environ.get(CACHE_VARIABLE) or table.get("cache") or CACHE_FOLDER
    return JudgeSettings(
        cache=root / cache, mode=mode, max_cost=max_cost, prices=read_prices(root), **given
    )


def _check(key: str, value: Any, *, at: Location) -> None:
    if key not in _KEYS:
        known = ", ".join(sorted(_KEYS))
        raise SettingsError(f"`tool.agentv.judge` has no key {key!r}; known: {known}", at=at)
    kind, wanted = _KEYS[key]
    good = isinstance(value, kind) and not isinstance(value, bool)
    if good and not isinstance(value, str):
        good = math.isfinite(value) and (value >= 0 if key in _MAY_BE_0 else value > 0)
    if good and key == "output":
        good = value in _OUTPUTS
    if not good or value == "":
        raise SettingsError(f"`tool.agentv.judge.{key}` must be {wanted}, not {value!r}", at=at)
