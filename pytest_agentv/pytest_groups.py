"""Which items pytest-xdist gives to one worker: all assertions of a case on one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdist.scheduler import LoadGroupScheduling

from pytest_agentv.pytest_ids import parts_of

if TYPE_CHECKING:
    import pytest


class CaseScheduling(LoadGroupScheduling):  # type: ignore[misc]  # it has no types
    """``--dist loadgroup`` of pytest-xdist, where a case on a session is a group as well."""

    def _split_scope(self, nodeid: str) -> str:
        """The group of an item: that of its mark, else its case."""
        scope: str = super()._split_scope(nodeid)
        found = parts_of(nodeid) if scope == nodeid else None
        return scope if found is None else f"{found.file}::{found.case}"


def scheduling(config: pytest.Config, log: Any) -> CaseScheduling:
    """The scheduler of a run."""
    return CaseScheduling(config, log)
