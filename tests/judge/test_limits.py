"""What processes of a run share: claims that end with their process, a budget that is kept."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.errors import NotGradable
from pytest_agentv.judge import limits as module
from pytest_agentv.judge.limits import LEASE, LOOK_FOR_DEAD, RunLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path


class Clock:
    """A time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[..., RunLimits]]:
    """Makes what a process of the run has; all share one file."""
    made = []

    def make(**given: Any) -> RunLimits:
        known: dict[str, Any] = {"max_cost": None, "requests_per_minute": None, **given}
        made.append(RunLimits(tmp_path / "limits.sqlite", **known))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run something to its end; in a thread, as a browser's tests may have a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


async def _spend(limits: RunLimits, estimate: float, actual: float | None) -> None:
    async with limits.spending(estimate, model="x") as spending:
        spending.usd = actual


def test_a_question_is_claimed_by_one(process: Callable[..., RunLimits]) -> None:
    one, other = process(), process()
    assert one.claim("a")
    assert not other.claim("a")
    assert other.claim("b")
    other.release("a", answered=False)
    assert not other.claim("a"), "what another one claimed"
    one.release("a", answered=False)
    assert other.claim("a")


def test_the_claim_of_a_dead_process_ends_soon(
    process: Callable[..., RunLimits], clock: Clock
) -> None:
    dead, other = process(), process()
    assert dead.claim("a")
    clock.now += LEASE + 1
    assert other.claim("a")


# Claims a question and puts money aside, says so, and waits to be killed.
HOLDS = """\
import sys
from pathlib import Path
from pytest_agentv.judge.limits import RunLimits
limits = RunLimits(Path(sys.argv[1]), max_cost=1.0, requests_per_minute=None)
assert limits.claim("a") and limits._put_aside(0.6)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, which holds something."""
    command = [sys.executable, "-c", HOLDS, str(tmp_path / "limits.sqlite")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="there the lease has to end")
def test_nobody_waits_for_a_process_that_was_killed(
    process: Callable[..., RunLimits], clock: Clock, holder: subprocess.Popen[str]
) -> None:
    other = process(max_cost=1.0)
    assert not other.claim("a")
    assert other._put_aside(0.6) is None
    clock.now += LOOK_FOR_DEAD
    assert not other.claim("a"), "it lives"
    holder.send_signal(signal.SIGKILL)
    # Without wait(): nobody may have asked yet how it ended.
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
    clock.now += LOOK_FOR_DEAD
    assert other.claim("a")
    with pytest.raises(NotGradable, match=r"0\.6000 of 1 USD"):
        other._put_aside(0.6)


def test_a_process_that_looks_for_dead_ones_stays_alive_for_others(
    process: Callable[..., RunLimits], clock: Clock
) -> None:
    one, other = process(), process()
    assert one.claim("a")
    assert other.claim("b")
    for _ in range(3):
        clock.now += LOOK_FOR_DEAD
        assert not other.claim("a")
        assert not one.claim("b")


def test_the_claim_of_a_living_process_does_not_end(
    process: Callable[..., RunLimits], clock: Clock
) -> None:
    living, other = process(), process()
    assert living.claim("a")
    for _ in range(5):
        clock.now += LEASE - 1
        living.renew()
        assert not other.claim("a")


@pytest.mark.parametrize(("actual", "left"), [(0.1, True), (None, False)])
def test_what_nobody_knows_the_cost_of_counts_as_put_aside(
    process: Callable[..., RunLimits], *, actual: float | None, left: bool
) -> None:
    one, other = process(max_cost=1.0), process(max_cost=1.0)
    _run(_spend(one, 0.6, actual))
    if left:
        _run(_spend(other, 0.6, 0.6))
        return
    with pytest.raises(NotGradable, match=r"budget is used up: 0\.6000 of 1 USD"):
        _run(_spend(other, 0.6, 0.6))


def test_what_a_dead_process_put_aside_counts_as_spent(
    process: Callable[..., RunLimits], clock: Clock
) -> None:
    dead, other = process(max_cost=1.0), process(max_cost=1.0)
    assert dead._put_aside(0.6) is not None
    assert other._put_aside(0.6) is None, "the other one may yet cost less"
    clock.now += LEASE + 1
    with pytest.raises(NotGradable, match="budget is used up"):
        other._put_aside(0.6)


def test_a_rate_holds_for_all(
    process: Callable[..., RunLimits], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        clock.now += seconds

    monkeypatch.setattr("asyncio.sleep", wait)
    one, other = process(requests_per_minute=2), process(requests_per_minute=2)
    for limits in (one, other, one):
        _run(limits.turn())
        clock.now += 1
    assert waits == [58.0]


def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    limits = RunLimits(tmp_path / "no" / "x.sqlite", max_cost=None, requests_per_minute=None)
    with pytest.raises(NotGradable, match="what judges share in a run cannot be kept: unable"):
        limits.claim("a")
