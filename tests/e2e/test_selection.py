"""Selecting assertions as any test: by id, by words, by marks, by what failed before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

EVAL = """\
tests:
  - id: first
    tags: [auth, slow.one]
    assert:
      - contains: Done
      - icontains: DONE
  - id: second
    assert:
      - contains: Done
      - contains: missing
      - {type: word-count, max: 5, metric: brief}
"""
CLAUDE = "a.eval.yaml::second[claude-cli]"
CODEX = "a.eval.yaml::second[codex-cli]"


@pytest.fixture
def two(project: EvalProject) -> EvalProject:
    """A project with two tests, and sessions of two clients for both."""
    project.eval_file(EVAL)
    project.sessions(recorded(), recorded())
    project.sessions(
        recorded(provider="codex-cli"), recorded(provider="codex-cli"), name="codex.jsonl"
    )
    project.ini("addopts = --transcript=t.jsonl --transcript=codex.jsonl --strict-markers")
    return project


def test_the_file(two: EvalProject) -> None:
    assert len(two.run("a.eval.yaml").outcomes) == 10


def test_a_case_by_its_id(two: EvalProject) -> None:
    assert list(two.run(CLAUDE).outcomes) == [
        f"{CLAUDE}::contains-Done",
        f"{CLAUDE}::contains-missing",
        f"{CLAUDE}::brief",
    ]


def test_a_case_and_an_assertion_where_no_transcript_is_given(two: EvalProject) -> None:
    two.ini()
    assert len(two.run("a.eval.yaml::second").outcomes) == 3
    assert list(two.run("a.eval.yaml::second::brief").outcomes) == ["a.eval.yaml::second::brief"]


def test_a_case_without_its_bracket_means_all_of_its_sessions(two: EvalProject) -> None:
    assert list(two.run("a.eval.yaml::second").outcomes) == [
        f"{case}::{name}"
        for case in (CLAUDE, CODEX)
        for name in ("contains-Done", "contains-missing", "brief")
    ]


def test_an_assertion_without_the_bracket_of_its_case_is_never_left_out_silently(
    two: EvalProject,
) -> None:
    run = two.run("a.eval.yaml::second::brief")
    # Some versions of pytest take it for all sessions, others do not find it.
    both = [f"{CLAUDE}::brief", f"{CODEX}::brief"]
    assert (run.code, list(run.outcomes)) in [(0, both), (4, [])]


def test_a_single_assertion(two: EvalProject) -> None:
    run = two.run(f"{CODEX}::contains-missing")
    assert run.outcomes == {f"{CODEX}::contains-missing": "failed"}
    assert run.code == 1


def test_a_single_assertion_with_the_bracket_that_pytest_shows(two: EvalProject) -> None:
    assert two.run(f"{CODEX}::brief]").outcomes == {f"{CODEX}::brief": "passed"}


def test_several_assertions_and_other_arguments(two: EvalProject) -> None:
    two.write("test_it.py", "def test_it(): pass\n")
    two.assertions("contains: Done", name="b.eval.yaml")
    two.ini("addopts = --transcript=t.jsonl --transcript=codex.jsonl")
    run = two.run(f"{CLAUDE}::brief", "test_it.py", f"{CODEX}::contains-Done")
    assert sorted(run.outcomes) == [
        f"{CLAUDE}::brief",
        f"{CODEX}::contains-Done",
        "test_it.py::test_it",
    ]


def test_a_file_together_with_one_of_its_assertions_is_the_file(two: EvalProject) -> None:
    assert len(two.run("a.eval.yaml", f"{CLAUDE}::brief").outcomes) == 10
    assert len(two.run(f"{CLAUDE}::brief", "a.eval.yaml").outcomes) == 10


def test_a_case_together_with_one_of_its_assertions_is_the_case(two: EvalProject) -> None:
    assert sorted(two.run(CODEX, f"{CLAUDE}::brief").outcomes) == [
        f"{CLAUDE}::brief",
        f"{CODEX}::brief",
        f"{CODEX}::contains-Done",
        f"{CODEX}::contains-missing",
    ]


@pytest.mark.parametrize(
    "unknown",
    [f"{CLAUDE}::nothing", "a.eval.yaml::second[nobody]::brief", "a.eval.yaml::third[x]::brief"],
)
def test_an_assertion_that_is_not_there_is_an_error(two: EvalProject, unknown: str) -> None:
    run = two.run(unknown)
    assert run.code not in {0, 5}
    assert f"not found: {unknown}" in run.text + run.errors


def test_a_case_that_is_not_there_is_wrong_usage(two: EvalProject) -> None:
    run = two.run("a.eval.yaml::third[claude-cli]")
    assert run.code == 4
    assert "not found: " in run.errors


def test_a_file_that_is_not_there_is_wrong_usage(two: EvalProject) -> None:
    assert two.run("b.eval.yaml::second[claude-cli]::brief").code == 4


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("first", ["contains-Done", "icontains-DONE"] * 2),
        ("second and brief", ["brief"] * 2),
        ("missing", ["contains-missing"] * 2),
        ("icontains", ["icontains-DONE"] * 2),
        ("word-count", ["brief"] * 2),
        ("codex and brief", ["brief"]),
        ("not contains", ["brief"] * 2),
        ("slow.one", ["contains-Done", "icontains-DONE"] * 2),
    ],
)
def test_words(two: EvalProject, words: str, names: list[str]) -> None:
    run = two.run("-k", words)
    assert [nodeid.rpartition("::")[2] for nodeid in run.outcomes] == names


def test_tags_are_marks_that_need_no_declaration(two: EvalProject) -> None:
    assert len(two.run("-m", "auth").outcomes) == 4
    assert len(two.run("-m", "not auth").outcomes) == 6


def test_the_marks_of_a_run_name_the_tags(two: EvalProject) -> None:
    two.conftest("def pytest_collection_modifyitems(config): print(config.getini('markers'))")
    assert "auth: a tag of an eval file" in two.run("--collect-only", "-s").text


def test_what_failed_before(two: EvalProject) -> None:
    two.run()
    run = two.run("--lf")
    assert run.outcomes == {
        f"{CLAUDE}::contains-missing": "failed",
        f"{CODEX}::contains-missing": "failed",
    }
    assert run.code == 1


def test_what_failed_before_comes_first(two: EvalProject) -> None:
    two.run()
    run = two.run("--ff")
    assert list(run.outcomes)[:2] == [f"{CLAUDE}::contains-missing", f"{CODEX}::contains-missing"]
    assert len(run.outcomes) == 10


def test_a_failure_that_is_mended_is_forgotten(two: EvalProject) -> None:
    two.run()
    two.sessions(recorded("missing"), recorded("missing"))
    assert two.run("--lf").outcomes == {
        f"{CLAUDE}::contains-missing": "passed",
        f"{CODEX}::contains-missing": "failed",
    }
    assert list(two.run("--lf").outcomes) == [f"{CODEX}::contains-missing"]


def test_failures_of_a_single_assertion_are_remembered(two: EvalProject) -> None:
    two.run(f"{CODEX}::contains-missing")
    assert list(two.run("--lf").outcomes) == [f"{CODEX}::contains-missing"]


def test_new_files_first_and_stepwise(two: EvalProject) -> None:
    assert len(two.run("--nf").outcomes) == 10
    assert list(two.run("--sw").outcomes)[-1] == f"{CLAUDE}::contains-missing"
    assert next(iter(two.run("--sw").outcomes)) == f"{CLAUDE}::contains-missing"


def test_the_first_failure_ends_the_run(two: EvalProject) -> None:
    run = two.run("-x")
    assert list(run.outcomes.values()).count("failed") == 1
    assert len(run.outcomes) < 10


def test_deselecting_an_assertion_or_a_case(two: EvalProject) -> None:
    run = two.run("--deselect", f"{CLAUDE}::contains-missing", "--deselect", CODEX)
    assert set(run.outcomes.values()) == {"passed"}
    assert len(run.outcomes) == 6


def test_durations_name_the_assertions(two: EvalProject) -> None:
    run = two.run("--durations=0", "-vv", CLAUDE)
    assert f"call     {CLAUDE}::brief" in run.text


def test_without_the_cache_nothing_is_missing(two: EvalProject) -> None:
    run = two.run("-p", "no:cacheprovider", f"{CLAUDE}::brief")
    assert run.outcomes == {f"{CLAUDE}::brief": "passed"}
    assert not (two.path / ".pytest_cache").exists()


def test_the_short_summary_names_the_assertion_as_it_can_be_selected(two: EvalProject) -> None:
    run = two.run("-rA", "-v", CLAUDE)
    assert f"PASSED {CLAUDE}::brief\n" in run.text
    assert f"FAILED {CLAUDE}::contains-missing" in run.text


def test_other_arguments_with_brackets_are_left_alone(two: EvalProject) -> None:
    two.write(
        "test_it.py",
        """\
        import pytest

        class TestIt:
            @pytest.mark.parametrize("x", ["a]::b", "c"])
            def test_it(self, x): pass
        """,
    )
    assert list(two.run("test_it.py::TestIt::test_it[a]::b]").outcomes) == [
        "test_it.py::TestIt::test_it[a]::b]"
    ]
