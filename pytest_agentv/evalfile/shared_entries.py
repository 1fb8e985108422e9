"""Assertions that many cases have: those of ``default_test`` and of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.placed import Part
from pytest_agentv.evalfile.templates import has_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.evalfile.entries import Entries
    from pytest_agentv.evalfile.model import Entry
    from pytest_agentv.evalfile.templates import Scope


class SharedEntries:
    """The assertions of a list that many cases have; those without templates are read once."""

    def __init__(self, part: Part, entries: Entries, scope: Scope) -> None:
        self._entries = entries
        elements = list(part.elements()) if isinstance(part.data, list) else [part]
        self._prepared = [
            one
            if has_template(one.data) or _has_include(one.data)
            else entries.read_one(one, scope)
            for one in elements
        ]

    def read(self, scope: Scope) -> Iterator[Entry]:
        """The assertions as they are for one case."""
        for one in self._prepared:
            yield from self._entries.read_one(one, scope) if isinstance(one, Part) else one


def _has_include(data: Any) -> bool:
    if isinstance(data, dict):
        return "include" in data or any(map(_has_include, data.values()))
    return isinstance(data, list) and any(map(_has_include, data))
