"""Where an adapter looks for sessions instead of in its own places: names, variables, paths."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from pytest_agentv.catalogue import ADAPTERS
from pytest_agentv.config.keys import is_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_VARIABLE = re.compile(r"AGENTV_([A-Z0-9_]+)_PATH")
# Names that other programs use; those of providers are known as well.
_ALIASES = {"claude-code": "claude", **{one.provider: one.name for one in ADAPTERS}}


def source_name(said: str) -> str:
    """The name of the adapter that somebody means: ``claude_code`` is claude."""
    name = said.lower().replace("_", "-")
    return _ALIASES.get(name, name)


def source_variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables that are set for adapters, each with the adapter's name."""
    for variable in sorted(environ):
        found = _VARIABLE.fullmatch(variable)
        if found and found[1] != "INDEX" and environ[variable]:
            yield variable, source_name(found[1])


def patterns_of(value: Any) -> tuple[str, ...] | None:
    """The paths and globs that a key says; None if it says something else."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values:
        return None
    good = all(isinstance(one, str) and is_path(one) for one in values)
    return tuple(values) if good else None


def split_paths(text: str) -> tuple[str, ...]:
    """The paths of a variable, as those of PATH."""
    return tuple(one for one in text.split(os.pathsep) if is_path(one))
