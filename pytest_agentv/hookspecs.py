"""The hooks by which others add to pytest-agentv; pluggy finds them by entry point `agentv`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.adapters.base import Adapter, LazyAdapter
    from pytest_agentv.graders.base import Grader

PROJECT = "agentv"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def agentv_adapters() -> Iterable[Adapter | LazyAdapter]:  # type: ignore[empty-body]  # a declaration
    """Return session adapters to add."""


@hookspec
def agentv_graders() -> Iterable[type[Grader] | Callable[..., object]]:  # type: ignore[empty-body]
    """Return grader classes to add, or functions made assertions by ``assertion``."""
