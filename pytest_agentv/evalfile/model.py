"""An eval file as it is after loading: everything resolved, nothing left to look up.

Templates are filled in, other files taken in, defaults applied. Types of assertions are names
only: what they mean is not known here. Structs of msgspec, because there may be many thousands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_agentv.errors import Location


class Entry(Struct, frozen=True, kw_only=True):
    """One assertion as it is written."""

    # Without the prefix ``not-``.
    type: str
    # By ``not-`` or by ``negate: true``; by both, it is not.
    negated: bool = False
    # Every key but those below, by its name in YAML.
    keys: Mapping[str, Any] = {}
    # The same before templates and files were put in: what messages may show.
    written: Mapping[str, Any] = {}
    # Written as ``type: value``: a mapping there may also be the keys themselves.
    short: bool = False
    # Written as a plain text: a judge is asked about all such texts of a case at once.
    plain: bool = False
    # Assertions that stand inside of this one, as those of a set.
    members: tuple[Entry, ...] | None = None
    metric: str | None = None
    weight: float = 1.0
    required: bool = False
    min_score: float | None = None
    on_missing: Literal["skip", "fail"] | None = None
    at: Location
    # The place of a key, or of something inside of its value: ("fields", 2, "path").
    locate: Callable[[tuple[str | int, ...]], Location]


class Xfail(Struct, frozen=True):
    """A case that is known to fail."""

    reason: str
    strict: bool | None = None


class Case(Struct, frozen=True, kw_only=True):
    """One entry of ``tests``."""

    id: str
    at: Location
    entries: tuple[Entry, ...]
    description: str | None = None
    input: Any = None
    expected_output: Any = None
    criteria: str | None = None
    metadata: Mapping[str, Any] = {}
    tags: tuple[str, ...] = ()
    # The reason.
    skip: str | None = None
    xfail: Xfail | None = None
    threshold: float | None = None
    # How many of its sessions have to pass, as a share of those of one provider.
    gate: float | None = None
    transcript: tuple[str, ...] = ()
    cost_usd: float | None = None


class EvalFile(Struct, frozen=True, kw_only=True):
    """A file of cases."""

    path: Path
    cases: tuple[Case, ...]
    name: str | None = None
    description: str | None = None
    category: str | None = None
    transcript: tuple[str, ...] = ()
    # Who judges its rubrics, as ``provider:model``.
    judge_model: str | None = None

    @property
    def suite(self) -> str:
        """What its cases are called together: its name, or that of the file or its folder."""
        stem = self.path.name.partition(".")[0]
        return self.name or (self.path.parent.name if stem.lower() == "eval" else stem)
