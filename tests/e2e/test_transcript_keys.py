"""Sessions that an eval file names itself: the key `transcript` of the file and of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

BOTH = """\
transcript: runs/both.jsonl
tests:
  - {id: one, assert: [contains: First]}
  - {id: two, assert: [contains: Second]}
"""


def test_the_key_of_a_file_serves_its_tests(project: EvalProject) -> None:
    project.eval_file(BOTH, name="evals/a.eval.yaml")
    project.sessions(recorded("First"), recorded("Second"), name="evals/runs/both.jsonl")
    run = project.run()
    assert run.outcomes == {
        "evals/a.eval.yaml::one[claude-cli]::contains-First": "passed",
        "evals/a.eval.yaml::two[claude-cli]::contains-Second": "passed",
    }


def test_the_key_of_a_test_serves_it_and_leaves_the_others(project: EvalProject) -> None:
    project.eval_file(
        """\
        tests:
          - {id: one, transcript: runs/a.jsonl, assert: [contains: First]}
          - {id: two, transcript: [runs/a.jsonl, runs/b.jsonl], assert: [contains: Second]}
          - {id: three, assert: [contains: Third]}
        """
    )
    project.sessions(recorded("First"), name="runs/a.jsonl")
    project.sessions(recorded("Second", provider="codex-cli"), name="runs/b.jsonl")
    assert project.run().outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-First": "passed",
        "a.eval.yaml::two[claude-cli]::contains-Second": "failed",
        "a.eval.yaml::two[codex-cli]::contains-Second": "passed",
        "a.eval.yaml::three::contains-Third": "skipped",
    }


def test_the_key_of_a_test_takes_the_sessions_of_its_id(project: EvalProject) -> None:
    project.assertions("contains: First", test="transcript: runs/*.jsonl")
    project.sessions(recorded("Other", test_id="two"), name="runs/a.jsonl")
    project.sessions(recorded("First", test_id="one"), name="runs/b.jsonl")
    # The files are one value: if any of its sessions has an id, all go by their ids.
    assert project.run().outcomes == {"a.eval.yaml::one[claude-cli]::contains-First": "passed"}


def test_the_option_wins_over_the_keys(project: EvalProject) -> None:
    project.assertions("contains: First", test="transcript: nothing-there.jsonl")
    project.sessions(recorded("First"))
    assert project.grade().by_name == {"contains-First": "passed"}


@pytest.mark.parametrize("what", ["nothing.jsonl", "runs/*.jsonl", "empty"])
def test_a_key_that_names_nothing_is_an_error(project: EvalProject, what: str) -> None:
    (project.path / "empty").mkdir()
    project.assertions("contains: First", test=f"transcript: '{what}'")
    run = project.run()
    assert run.code == 2
    assert what in run.problems["a.eval.yaml"]
    assert "Traceback" not in run.text


def test_a_key_cannot_reach_out_of_the_root_directory(
    project: EvalProject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    target = project.sessions(recorded("First"), name="t.jsonl").rename(outside / "t.jsonl")
    (project.path / "link.jsonl").symlink_to(target)
    for what in (str(target), "link.jsonl"):
        project.assertions("contains: First", test=f"transcript: '{what}'")
        run = project.run()
        assert run.code == 2
        assert f"`transcript: {what}` lies outside of {project.path}" in run.problems["a.eval.yaml"]


def test_a_key_with_a_colon_cannot_reach_out_of_the_root_directory(
    project: EvalProject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("out:side")
    target = project.sessions(recorded("First"), name="t.jsonl").rename(outside / "t.jsonl")
    project.assertions("contains: First", test=f"transcript: '{target}'")
    run = project.run()
    assert run.code == 2
    assert "lies outside of" in run.problems["a.eval.yaml"]


def test_counts_that_differ_are_an_error(project: EvalProject) -> None:
    project.eval_file(BOTH)
    project.sessions(recorded(), recorded(), recorded(), name="runs/both.jsonl")
    run = project.run()
    assert run.code == 2
    assert (
        "`transcript: runs/both.jsonl` names 3 sessions without test ids, but a.eval.yaml has "
        "2 tests" in run.problems["a.eval.yaml"]
    )


def test_a_test_that_its_key_gives_no_session_is_an_error_and_no_pass(
    project: EvalProject,
) -> None:
    project.assertions("contains: First", test="transcript: t.jsonl")
    project.sessions(recorded("First", test_id="other"))
    run = project.run()
    assert run.code in {1, 2}
    assert "passed" not in run.outcomes.values()
