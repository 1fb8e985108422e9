"""What shapes an index and says where sessions lie; values only, whoever read them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.config import Config

NO_REDACTION = "none"


@dataclass(frozen=True)
class Choices:
    """What of a session is indexed; an index that was made by other choices is made anew."""

    thinking: bool = False
    tool_output: bool = False
    subagents: bool = True
    # A profile of redaction for what is stored, or none.
    redact: str = NO_REDACTION

    def as_dict(self) -> dict[str, object]:
        """The choices as the index keeps them."""
        return asdict(self)


@dataclass(frozen=True)
class VectorSettings:
    """Whether and how vectors are made, and what is done where they cannot be."""

    enabled: bool = True
    # f16 or f32: of each number.
    precision: str = "f16"
    # Without the extra: "hash", or "none" for a sentence that says so.
    fallback: str = "hash"


@dataclass(frozen=True)
class SearchSettings:
    """Where sessions lie, and what of them is indexed."""

    choices: Choices = field(default_factory=Choices)
    vector: VectorSettings = field(default_factory=VectorSettings)
    # Paths and globs instead of where clients keep their sessions, by name of adapter.
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)


def settings_of(config: Config) -> SearchSettings:
    """What is configured."""
    return SearchSettings(
        choices=Choices(
            thinking=config.flag("index.thinking"),
            tool_output=config.flag("index.tool_output"),
            subagents=config.flag("index.subagents"),
            redact=config.text("index.redact"),
        ),
        vector=VectorSettings(
            enabled=config.flag("index.vector.enabled"),
            precision=config.text("index.vector_precision"),
            fallback=config.text("index.vector.fallback"),
        ),
        places={name: one.value for name, one in config.sources.items()},
        environ=config.environ,
    )
