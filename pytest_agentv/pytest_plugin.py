"""The pytest plugin: options and fixtures.

pytest imports this module in every run of every project that has us installed. It imports nothing
of ours before a test asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_agentv.testing import AdapterCheck


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    group = parser.getgroup("agentv", "grading recorded AI coding sessions")
    group.addoption(
        "--agentv-update-golden",
        action="store_true",
        help="write the transcripts that adapter tests compare with, instead of comparing",
    )


@pytest.fixture(scope="session")
def agentv_check_adapter(pytestconfig: pytest.Config) -> AdapterCheck:
    """The function ``pytest_agentv.testing.check_adapter``; it obeys --agentv-update-golden."""
    from functools import partial  # noqa: PLC0415

    from pytest_agentv.testing import check_adapter  # noqa: PLC0415 (loads the whole model)

    return partial(check_adapter, update_golden=pytestconfig.getoption("agentv_update_golden"))
