"""pytest-xdist: workers find the same items, and what is selected is selected there, too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, text
from eval_runs import WORKERS, recorded

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


def test_the_same_items_with_the_same_outcomes(two: EvalProject) -> None:
    alone = two.run("--transcript=runs")
    together = two.run("--transcript=runs", *WORKERS)
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
