"""Other pytest plugins beside ours: nothing that fails turns green."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

# What pytest-rerunfailures does, as simple as can be.
AGAIN = """\
import pytest
from _pytest.runner import runtestprotocol

@pytest.hookimpl
def pytest_runtest_protocol(item, nextitem):
    for attempt in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if attempt == 2 or not any(one.failed for one in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True

"""
FLAKY = """\
import pytest_agentv

calls = []

@pytest_agentv.assertion("flaky")
def flaky(transcript):
    calls.append(1)
    assert len(calls) > 1, "not yet"

@pytest_agentv.assertion("breaks-once")
def breaks_once(transcript):
    calls.append(1)
    if len(calls) == 2:
        raise RuntimeError("broken")
"""
# What pytest-json-report does: in one hook it counts on another.
PREPARED = """\
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    item.prepared = []
    result = yield
    del item.prepared
    return result

def pytest_runtest_setup(item):
    item.prepared.append("setup")

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    assert item.prepared
    return (yield)
"""
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


@pytest.mark.parametrize(
    ("entry", "test"),
    [
        ("{type: flaky}", ""),
        ("{type: flaky, required: true}", "threshold: 0.5"),
        ("{type: flaky, required: true}", "gate: 1"),
    ],
)
def test_what_fails_and_is_run_again_is_graded_again(
    project: EvalProject, entry: str, test: str
) -> None:
    project.conftest(AGAIN + FLAKY)
    project.assertions(entry, test=test)
    project.sessions(recorded())
    assert set(project.grade().outcomes.values()) == {"passed"}


def test_a_score_that_is_run_again_is_made_of_new_grades(project: EvalProject) -> None:
    project.conftest(AGAIN + FLAKY)
    project.assertions("contains: Done", "{type: flaky}", test="threshold: 0.9")
    project.sessions(recorded())
    assert project.grade("-k", "score").by_name == {"score": "passed"}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("{type: breaks-once}", "broken"),
        ("{type: contains, value: Done, weight: 0}", "weights"),
    ],
)
def test_a_gate_that_is_an_error_stays_one_when_it_is_run_again(
    project: EvalProject, entry: str, why: str
) -> None:
    project.conftest(AGAIN + FLAKY)
    project.assertions(entry, test="threshold: 0.5\ngate: 0.1")
    project.sessions(*(recorded(session_id=f"{one}-claude") for one in (111, 222, 333)))
    run = project.grade("-k", "gate")
    assert run.by_name == {"gate": "error"}
    assert why in run.text_of["gate"]
    assert "ValueError" not in run.text


@pytest.mark.parametrize("selection", [(), ("-k", "score or gate"), ("-k", "not gate")])
@pytest.mark.parametrize("test", ["threshold: 0.5", "gate: 0.5", "threshold: 0.5\ngate: 0.5"])
def test_a_broken_teardown_is_an_error_of_score_and_gate_whatever_ran_before(
    project: EvalProject, selection: tuple[str, ...], test: str
) -> None:
    project.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest.fixture
        def fragile():
            yield
            raise RuntimeError("torn")

        @pytest_agentv.assertion("fragile")
        def fragile_holds(fragile):
            return True
        """
    )
    project.assertions("contains: Done", "{type: fragile}", test=test)
    project.sessions(recorded())
    outcomes = project.grade(*selection).by_name
    assert outcomes.pop("contains-Done", "passed") == "passed"
    assert set(outcomes.values()) == {"error"}


@pytest.mark.parametrize("selection", [(), ("-k", "gate")])
def test_a_gate_grades_what_other_plugins_have_prepared(
    project: EvalProject, selection: tuple[str, ...]
) -> None:
    project.conftest(PREPARED)
    project.assertions("contains: Done", test="gate: 0.6")
    project.sessions(*(recorded(session_id=f"{one}-claude") for one in (111, 222, 333)))
    run = project.grade(*selection)
    assert set(run.outcomes.values()) == {"passed"}
    assert run.code == 0
