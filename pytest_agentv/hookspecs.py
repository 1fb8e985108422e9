"""The hooks by which others add to pytest-agentv; pluggy finds them by entry point `agentv`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.adapters.base import Adapter

PROJECT = "agentv"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def agentv_adapters() -> Iterable[Adapter]:  # type: ignore[empty-body]  # a declaration
    """Return session adapters to add."""
