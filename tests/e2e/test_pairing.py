"""Which session is graded by which test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import one_test, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

TWO = """\
tests:
  - {id: one, assert: [contains: First]}
  - {id: two, assert: [contains: Second]}
"""
FITS_NOTHING = "and no collected eval file has as many tests"
FIX = "import the sessions with --test-id, or give each eval file a --transcript value of its own"


@pytest.fixture
def two(project: EvalProject) -> EvalProject:
    """A project with an eval file of two tests."""
    project.eval_file(TWO)
    return project


def test_by_position(two: EvalProject) -> None:
    two.sessions(recorded("First"), recorded("Second"))
    assert two.grade().outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-First": "passed",
        "a.eval.yaml::two[claude-cli]::contains-Second": "passed",
    }


def test_by_position_whatever_is_selected(two: EvalProject) -> None:
    two.sessions(recorded("First"), recorded("Second"))
    assert two.grade("-k", "two").by_name == {"contains-Second": "passed"}
    assert two.grade("a.eval.yaml::two[claude-cli]").by_name == {"contains-Second": "passed"}


def test_by_id(two: EvalProject) -> None:
    two.sessions(recorded("Second", test_id="two"), recorded("First", test_id="one"))
    assert set(two.grade().outcomes.values()) == {"passed"}


def test_an_id_that_comes_twice_is_a_repeat(two: EvalProject) -> None:
    two.sessions(
        recorded("First", test_id="one", session_id="aaaaaaaa-1"),
        recorded("Second", test_id="two"),
        recorded("Other", test_id="one", session_id="bbbbbbbb-1"),
    )
    assert two.grade().outcomes == {
        "a.eval.yaml::one[claude-cli-aaaaaaaa]::contains-First": "passed",
        "a.eval.yaml::one[claude-cli-bbbbbbbb]::contains-First": "failed",
        "a.eval.yaml::two[claude-cli]::contains-Second": "passed",
    }


def test_one_test_with_several_sessions_repeats_it(project: EvalProject) -> None:
    project.assertions("contains: First")
    project.sessions(recorded("First", session_id="a"), recorded("Second", session_id="b"))
    assert project.grade().outcomes == {
        "a.eval.yaml::one[claude-cli-a]::contains-First": "passed",
        "a.eval.yaml::one[claude-cli-b]::contains-First": "failed",
    }


@pytest.mark.parametrize(
    ("sessions", "said"),
    [
        (1, "names 1 session without test ids, but a.eval.yaml has 2 tests"),
        (3, "names 3 sessions without test ids, but a.eval.yaml has 2 tests"),
    ],
)
def test_counts_that_differ_are_an_error_that_says_both(
    two: EvalProject, sessions: int, said: str
) -> None:
    two.sessions(*[recorded()] * sessions)
    run = two.grade()
    assert run.code == 2
    assert run.problems == {"a.eval.yaml": f"--transcript=t.jsonl {said}; {FIX}"}


def test_an_id_that_no_test_has_is_an_error(two: EvalProject) -> None:
    two.sessions(
        recorded("First", test_id="one"),
        recorded("Second", test_id="two"),
        recorded(test_id="three"),
    )
    run = two.grade()
    assert run.code == 2
    assert list(run.problems.values()) == [
        "--transcript=t.jsonl: no collected test has the id 'three'; known: one, two"
    ]


def test_ids_of_tests_that_are_not_selected_are_no_error(two: EvalProject) -> None:
    two.sessions(recorded("First", test_id="one"), recorded("Second", test_id="two"))
    assert two.grade("-k", "one").code == 0
    assert two.grade("a.eval.yaml::one[claude-cli]").code == 0
    assert two.grade("a.eval.yaml::one[claude-cli]::contains-First").code == 0


def test_a_test_whose_id_no_session_has_is_an_error_and_no_pass(two: EvalProject) -> None:
    two.sessions(recorded("First", test_id="one"))
    run = two.grade()
    assert run.outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-First": "passed",
        "a.eval.yaml::two::contains-Second": "error",
    }
    assert run.code == 1
    said = "no session was given that has the test id 'two'; import one with --test-id two"
    assert said in run.text_of["contains-Second"]


def test_a_session_without_an_id_among_those_with_one_is_an_error(two: EvalProject) -> None:
    two.sessions(recorded("First", test_id="one"), recorded("Second"))
    run = two.grade()
    assert run.code == 2
    assert "--transcript=t.jsonl" in run.problems["a.eval.yaml"]
    assert "2" in run.problems["a.eval.yaml"]


def test_sessions_with_ids_serve_several_eval_files(project: EvalProject) -> None:
    project.eval_file(one_test("contains: First"), name="a.eval.yaml")
    project.eval_file(
        one_test("contains: Second").replace("id: one", "id: two"), name="b.eval.yaml"
    )
    project.sessions(recorded("First", test_id="one"), recorded("Second", test_id="two"))
    run = project.grade()
    assert run.outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-First": "passed",
        "b.eval.yaml::two[claude-cli]::contains-Second": "passed",
    }
    assert run.code == 0


def test_a_selection_in_one_file_leaves_the_sessions_of_another_alone(
    project: EvalProject,
) -> None:
    project.eval_file(one_test("contains: First"), name="a.eval.yaml")
    project.eval_file(one_test("contains: x").replace("id: one", "id: two"), name="b.eval.yaml")
    project.sessions(recorded("First", test_id="one"), recorded("Second", test_id="two"))
    for selected in (
        "a.eval.yaml::one[claude-cli]",
        "a.eval.yaml::one[claude-cli]::contains-First",
    ):
        run = project.grade(selected)
        assert (run.code, run.by_name) == (0, {"contains-First": "passed"})


def test_one_session_serves_every_eval_file_with_one_test(project: EvalProject) -> None:
    project.assertions("contains: First", name="a.eval.yaml")
    project.assertions("contains: First", name="b.eval.yaml")
    project.sessions(recorded("First"))
    run = project.grade()
    assert list(run.outcomes.values()) == ["passed", "passed"]
    assert run.code == 0


def test_several_sessions_by_position_serve_one_eval_file(two: EvalProject) -> None:
    two.eval_file(TWO, name="b.eval.yaml")
    two.sessions(recorded("First"), recorded("Second"))
    run = two.grade()
    assert run.code == 2
    assert run.problems == {
        "b.eval.yaml": "--transcript=t.jsonl names 2 sessions without test ids, which serve one "
        f"eval file by position: a.eval.yaml, and not b.eval.yaml too; {FIX}"
    }


def test_a_session_that_no_eval_file_grades_is_an_error(two: EvalProject) -> None:
    two.sessions(recorded("First"), recorded("Second"))
    two.sessions(recorded("Third"), name="u.jsonl")
    run = two.grade("--transcript=u.jsonl")
    assert run.code == 2
    assert list(run.problems.values()) == [
        f"--transcript=u.jsonl names 1 session without test ids, {FITS_NOTHING}; {FIX}"
    ]


def test_values_by_id_and_by_position_run_side_by_side(two: EvalProject) -> None:
    two.sessions(recorded("First", test_id="one"), recorded("Second", test_id="two"))
    two.sessions(
        recorded("First", provider="codex-cli"), recorded("x", provider="codex-cli"), name="u.jsonl"
    )
    assert two.grade("--transcript=u.jsonl").outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-First": "passed",
        "a.eval.yaml::one[codex-cli]::contains-First": "passed",
        "a.eval.yaml::two[claude-cli]::contains-Second": "passed",
        "a.eval.yaml::two[codex-cli]::contains-Second": "failed",
    }


def test_sessions_of_several_files_are_one_after_another(two: EvalProject) -> None:
    two.sessions(recorded("Second"), name="runs/b.jsonl")
    two.sessions(recorded("First"), name="runs/a.jsonl")
    assert set(two.run("--transcript=runs").outcomes.values()) == {"passed"}


def test_the_ids_of_many_sessions_without_a_test_are_counted(two: EvalProject) -> None:
    two.sessions(*[recorded("x", test_id=f"t{number}") for number in range(9)])
    (problem,) = two.grade().problems.values()
    assert problem == (
        "--transcript=t.jsonl: no collected test has the id "
        "'t0', 't1', 't2', 't3', 't4' and 4 more; known: one, two"
    )
