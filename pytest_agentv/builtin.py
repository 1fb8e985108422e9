"""Our own adapters and graders, registered as anybody else's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_agentv.hookspecs import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.adapters.base import Adapter, LazyAdapter
    from pytest_agentv.catalogue import Listed
    from pytest_agentv.graders.base import Grader


@hookimpl
def agentv_adapters() -> Iterable[LazyAdapter]:
    """The adapters that come with the package."""
    from pytest_agentv.adapters.base import LazyAdapter  # noqa: PLC0415 (loads msgspec)
    from pytest_agentv.catalogue import ADAPTERS  # noqa: PLC0415

    return [LazyAdapter(one.name, partial(_made, one)) for one in ADAPTERS]


def _made(listed: Listed) -> Adapter:
    adapter: Adapter = getattr(listed.imported(), listed.adapter)()
    return adapter


@hookimpl
def agentv_graders() -> Iterable[type[Grader]]:
    """The graders that come with the package."""
    from pytest_agentv.graders.catalogue import BUILTIN_GRADERS  # noqa: PLC0415 (loads pydantic)

    return BUILTIN_GRADERS
