"""Other pytest plugins beside ours: nothing that fails turns green."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

# What pytest-timeout does when a signal tells it that time is up.
TIMER = """\
import types

timer = types.ModuleType("pytest_timeout")
exec("def expire(): import pytest; pytest.fail('Timeout (>1.0s)')", vars(timer))
"""
SLOW = """\
import time
import pytest_agentv

@pytest_agentv.assertion("slow")
def slow(transcript):
    {body}
"""


@pytest.mark.parametrize("entry", ["{type: slow}", "{type: not-slow}"])
@pytest.mark.parametrize("test", ["", "threshold: 0.1", "xfail: known"])
def test_an_assertion_that_takes_too_long_is_an_error(
    project: EvalProject, entry: str, test: str
) -> None:
    project.conftest(TIMER + SLOW.format(body="timer.expire()"))
    project.assertions(entry, test=test)
    project.sessions(recorded())
    run = project.grade()
    assert set(run.outcomes.values()) == {"error"}
    assert "Timeout (>1.0s)" in run.text


def test_pytest_timeout_makes_an_error_of_an_assertion(project: EvalProject) -> None:
    pytest.importorskip("pytest_timeout")
    project.conftest(SLOW.format(body="time.sleep(20)"))
    project.assertions("{type: not-slow}")
    project.sessions(recorded())
    run = project.grade("-p", "pytest_timeout", "--timeout=0.5", "--timeout-method=signal")
    assert set(run.outcomes.values()) == {"error"}
