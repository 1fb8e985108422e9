"""The garbage collector: kept off what was collected, and left as it was."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING
from weakref import ref

import pytest
from eval_runs import one_test, recorded

from pytest_agentv.pytest_memory import CollectedMemory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eval_runs import EvalProject


# Newer ones collect bit by bit.
GENERATIONS = pytest.mark.skipif(
    not gc.get_threshold()[2], reason="this Python makes no full collections by itself"
)
MANY = one_test(*[f"{{contains: Done, metric: m{n}}}" for n in range(1100)])


class Cyclic:
    """Refers to itself, so that only the garbage collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collector() -> Iterator[None]:
    """The garbage collector of this process, put back afterwards."""
    CollectedMemory().resume()
    yield
    CollectedMemory().resume()
    assert (gc.isenabled(), _is_frozen()) == (True, False)


def _is_frozen() -> bool:
    """Whether more is frozen than what Python 3.12 has there from the start: some 400 objects."""
    return gc.get_freeze_count() > 500


@pytest.mark.usefixtures("collector")
def test_it_rests_while_eval_files_are_collected() -> None:
    memory = CollectedMemory()
    assert not gc.isenabled()
    memory.collected(5)
    assert gc.isenabled()
    assert not _is_frozen()


@pytest.mark.usefixtures("collector")
def test_many_items_are_frozen_until_another_run_begins() -> None:
    CollectedMemory().collected(5000)
    assert gc.isenabled()
    assert _is_frozen()
    CollectedMemory().resume()
    assert not _is_frozen()


@pytest.mark.usefixtures("collector")
def test_what_a_long_run_leaves_is_looked_through_once() -> None:
    memory = CollectedMemory()
    memory.collected(5000)
    left: list[list[None]] = [[]]
    dropped = _garbage()
    memory.finished()
    assert not any(one is left for one in gc.get_objects())
    assert dropped() is None


@GENERATIONS
@pytest.mark.usefixtures("collector")
def test_between_items_reports_are_frozen_once_a_full_collection_is_due() -> None:
    memory = CollectedMemory()
    memory.collected(5000, only_reports=True)
    kept: list[list[None]] = [[]]
    memory.between_items()
    assert any(one is kept for one in gc.get_objects())
    dropped = _garbage()
    _make_due()
    memory.between_items()
    assert not any(one is kept for one in gc.get_objects())
    assert dropped() is None


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize(("items", "only_reports"), [(5000, False), (5, True)])
def test_between_items_all_else_is_left_alone(items: int, *, only_reports: bool) -> None:
    memory = CollectedMemory()
    memory.collected(items, only_reports=only_reports)
    kept: list[list[None]] = [[]]
    _make_due()
    memory.between_items()
    assert any(one is kept for one in gc.get_objects())


def _make_due() -> None:
    """Have so many collections of younger objects that a full one is due."""
    for _ in range(gc.get_threshold()[2] + 1):
        gc.collect(1)


@pytest.mark.usefixtures("collector")
def test_what_a_short_run_leaves_is_left_alone() -> None:
    memory = CollectedMemory()
    memory.collected(5)
    memory.finished()
    assert not _is_frozen()


def _garbage() -> ref[Cyclic]:
    """What nobody but itself refers to."""
    one = Cyclic()
    return ref(one)


@pytest.mark.usefixtures("collector")
def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        CollectedMemory().collected(5)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_thousands_of_assertions_are_graded(project: EvalProject) -> None:
    project.eval_file(MANY)
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", "-q")
    assert run.code == 0
    assert "1100 passed" in run.text


def test_what_finalizers_raise_at_the_end_of_a_long_run_is_told(project: EvalProject) -> None:
    project.eval_file(MANY)
    project.sessions(recorded())
    project.conftest(
        """
        import gc, pytest

        class Broken:
            def __init__(self):
                self.itself = self

            def __del__(self):
                raise ValueError("told in the end")

        @pytest.hookimpl(trylast=True)
        def pytest_unconfigure():
            gc.disable()  # so that nobody finds it by chance
            Broken()
        """
    )
    run = project.run_apart("--transcript=t.jsonl", "-q", "-W", "default")
    assert "told in the end" in run.errors


_DUE = """
import gc, pytest, weakref

def pytest_runtest_logfinish():
    for _ in range(gc.get_threshold()[2] + 1):  # a full collection is due after every item
        gc.collect(1)

@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    global collected
    collected = gc.get_freeze_count()
"""


@GENERATIONS
def test_reports_of_a_long_run_are_frozen_while_it_runs(project: EvalProject) -> None:
    project.eval_file(MANY)
    project.sessions(recorded())
    project.conftest(f"""{_DUE}
def pytest_sessionfinish():
    assert gc.get_freeze_count() - collected > 3 * 1000  # a report for each phase
    print("frozen")
""")
    run = project.run_apart("--transcript=t.jsonl", "-q", "-s")
    assert "frozen" in run.text
    assert run.code == 0


def test_what_fixtures_hold_is_freed_in_a_long_run_as_in_any(project: EvalProject) -> None:
    for name in ("a.eval.yaml", "b.eval.yaml"):
        project.eval_file(MANY, name=name)
    project.sessions(recorded())
    project.conftest(f"""{_DUE}
class Held:
    def __init__(self):
        self.itself = self

held = []

@pytest.fixture(scope="module", autouse=True)
def of_a_file():
    one = Held()
    held.append(weakref.ref(one))
    yield one

def pytest_sessionfinish():
    gc.collect()
    assert [one() for one in held] == [None, None]
    print("freed")
""")
    run = project.run_apart("--transcript=t.jsonl", "-q", "-s")
    assert "freed" in run.text
    assert run.code == 0
