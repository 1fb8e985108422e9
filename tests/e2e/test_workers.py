"""pytest-xdist: workers find the same items, and what is selected is selected there, too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, text
from eval_runs import WORKERS, recorded

from pytest_agentv.pytest_groups import CaseScheduling

if TYPE_CHECKING:
    from eval_runs import EvalProject


@pytest.fixture
def two(project: EvalProject) -> EvalProject:
    """A project with sessions of two clients, repeats and a plain test."""
    project.eval_file(
        """\
        tests:
          - id: first
            tags: [auth]
            assert: [contains: Done, icontains: DONE, {type: cost, max_usd: 1}]
          - id: second
            threshold: 0.4
            assert: [contains: Done, contains: missing]
          - id: third
            xfail: known
            assert: [contains: missing]
        """
    )
    project.write("test_it.py", "def test_it(transcript): pass\n")
    for provider in ("claude-cli", "codex-cli"):
        project.sessions(
            *[
                recorded(
                    provider=provider, test_id=test_id, session_id=f"{number}{test_id}-long-id"
                )
                for number in range(2)
                for test_id in ("first", "second", "third")
            ],
            name=f"runs/{provider}.jsonl",
        )
    return project


@pytest.mark.parametrize("workers", ["1", "2", "5"])
def test_the_same_items_with_the_same_outcomes(two: EvalProject, workers: str) -> None:
    alone = two.run("--transcript=runs")
    together = two.run("--transcript=runs", *WORKERS[:-1], workers)
    assert together.outcomes == alone.outcomes
    assert len(alone.outcomes) == 40
    assert together.texts == alone.texts
    assert together.properties == alone.properties
    assert together.code == alone.code == 0


def test_a_single_assertion_on_workers(two: EvalProject) -> None:
    nodeid = "a.eval.yaml::first[codex-cli-1first-l]::icontains-DONE"
    assert two.run("--transcript=runs", *WORKERS, nodeid).outcomes == {nodeid: "passed"}


def test_what_failed_before_on_workers(two: EvalProject) -> None:
    two.assertions("contains: Done", "contains: missing", name="a.eval.yaml")
    two.sessions(recorded())
    two.grade(*WORKERS)
    names = ["a.eval.yaml::one[claude-cli]::contains-missing"]
    assert list(two.grade("--lf", *WORKERS).outcomes) == names
    assert list(two.grade("--lf").outcomes) == names


def test_a_broken_eval_file_on_workers(two: EvalProject) -> None:
    two.write("b.eval.yaml", "tests: []\n")
    run = two.run("--transcript=runs", *WORKERS)
    assert run.code not in {0, 5}
    assert "`tests` is empty" in run.text
    assert "INTERNALERROR" not in run.text


def test_sessions_that_nobody_grades_on_workers(two: EvalProject) -> None:
    two.sessions(recorded(test_id="fourth"))
    run = two.run("--transcript=runs", "--transcript=t.jsonl", *WORKERS)
    assert run.code not in {0, 5}
    assert "no collected test has the id 'fourth'" in run.text


def test_the_latest_session_is_the_same_for_all(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(project.path / "home"))
    folder = project.path / "home" / "projects" / "-shop"
    for number in (1, 2):
        session = Session(f"{number}" * 8 + "-0000-4000-8000-000000000000")
        session.prompt("Do it")
        session.response("msg_1", text(f"This is {number}."))
        os.utime(session.write_in(folder), (1_774_000_000 + number,) * 2)
    # As if somebody worked on while the workers start.
    project.conftest(
        f"""\
        import os

        def pytest_configure(config):
            if hasattr(config, "workerinput"):
                os.utime({str(folder / "11111111-0000-4000-8000-000000000000.jsonl")!r})
        """
    )
    project.assertions("contains: This is 2", "contains: This is")
    run = project.run("--transcript=claude:latest", *WORKERS)
    assert list(run.outcomes.values()) == ["passed", "passed"]


def test_wrong_usage_on_workers(two: EvalProject) -> None:
    assert two.run("--transcript=nothing.jsonl", *WORKERS).code == 4


# Which worker graded which session, and by which object that was read from it.
_WHO_READS = """\
import os

import pytest

@pytest.fixture(autouse=True)
def noted(transcript):
    source = transcript.source
    with open(os.environ["PYTEST_XDIST_WORKER"] + ".txt", "a", encoding="utf-8") as file:
        print(f"{source.provider}:{source.session_id}", id(transcript), file=file)
"""


def _read(project: EvalProject) -> dict[str, set[tuple[str, str]]]:
    """For each session, the workers that had it and the objects that they had."""
    found: dict[str, set[tuple[str, str]]] = {}
    for file in project.path.glob("gw*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            session, read = line.split()
            found.setdefault(session, set()).add((file.stem, read))
    return found


@pytest.mark.parametrize("dist", ["loadscope", "loadgroup"])
def test_a_case_on_a_session_stays_with_one_worker(two: EvalProject, dist: str) -> None:
    (two.path / "test_it.py").unlink()
    alone = two.run("--transcript=runs")
    two.conftest(_WHO_READS)
    together = two.run("--transcript=runs", *WORKERS, "--dist", dist)
    reads = _read(two)
    assert len(reads) == 12
    assert {session: len(each) for session, each in reads.items()} == dict.fromkeys(reads, 1)
    assert len({worker for each in reads.values() for worker, _ in each}) == 2
    assert together.outcomes == alone.outcomes
    assert together.texts == alone.texts
    assert together.code == 0


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("test_it.py::test_it[1]@mine", "mine"),
        ("test_it.py::test_it[1]", "test_it.py::test_it[1]"),
        ("a.eval.yaml::first[claude-cli]::contains-x@y.z@mine", "mine"),
        ("a.eval.yaml::first[claude-cli]::contains-x", "a.eval.yaml::first[claude-cli]"),
        ("a.eval.yaml::first::contains-x", "a.eval.yaml::first"),
    ],
)
def test_with_loadgroup_marks_of_others_count_as_ever(nodeid: str, group: str) -> None:
    scheduler = object.__new__(CaseScheduling)
    assert scheduler._split_scope(nodeid) == group
