"""What plugin authors use in their tests: checks that adapters and graders keep their contracts."""

from __future__ import annotations

from pytest_agentv.testing.adapters import AdapterCheck, check_adapter
from pytest_agentv.testing.graders import check_grader

__all__ = ["AdapterCheck", "check_adapter", "check_grader"]
