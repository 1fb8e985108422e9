"""What shapes an index and says where sessions lie; values only, whoever read them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
    # Folders instead of those that adapters know, by name of adapter.
    roots: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
