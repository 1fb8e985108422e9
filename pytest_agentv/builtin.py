"""Our own adapters and graders, registered as anybody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.hookspecs import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.adapters.base import Adapter
    from pytest_agentv.graders.catalogue import Catalogued


@hookimpl
def agentv_adapters() -> Iterable[Adapter]:
    """The adapters that come with the package."""
    from pytest_agentv.adapters.claude.adapter import ClaudeAdapter  # noqa: PLC0415 (costly)
    from pytest_agentv.adapters.codex.adapter import CodexAdapter  # noqa: PLC0415
    from pytest_agentv.adapters.copilot.adapter import CopilotAdapter  # noqa: PLC0415

    return [ClaudeAdapter(), CodexAdapter(), CopilotAdapter()]


@hookimpl
def agentv_graders() -> Iterable[Catalogued]:
    """The graders that come with the package."""
    from pytest_agentv.graders.catalogue import CATALOGUE  # noqa: PLC0415 (few commands grade)

    return CATALOGUE
