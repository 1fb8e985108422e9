"""Ways in which something wrong could look right: none of them may end as a pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import one_test, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject


@pytest.fixture
def session(project: EvalProject) -> EvalProject:
    """A project with one session that says nothing of its cost."""
    project.sessions(recorded("Done with JWT."))
    return project


@pytest.mark.parametrize(
    ("assertion", "outcome"),
    [
        ("type: not-assert-set, assert: [{type: cost, max_usd: 1, on_missing: fail}]", "skipped"),
        ("type: not-assert-set, threshold: 0.6, assert: [contains: x, cost: 1]", "skipped"),
        (
            (
                "type: assert-set, threshold: 0.5, "
                "assert: [{contains: nowhere, required: true}, {contains: JWT}]"
            ),
            "failed",
        ),
        (
            (
                "type: execution-metrics, min_score: 0.5, "
                "max_tool_calls: 5, max_llm_calls: 0, max_cost_usd: 1"
            ),
            "failed",
        ),
    ],
)
def test_missing_data_and_required_members_are_never_outweighed(
    session: EvalProject, assertion: str, outcome: str
) -> None:
    session.assertions(f"{{{assertion}}}")
    assert list(session.grade().outcomes.values()) == [outcome]


@pytest.mark.parametrize(
    "assertion",
    [
        "{contains: nowhere, threshold: 0}",
        "{type: assert-set, threshold: 0, assert: [contains: nowhere]}",
    ],
)
def test_a_threshold_of_nothing_is_an_error(session: EvalProject, assertion: str) -> None:
    session.assertions(assertion)
    run = session.grade()
    assert run.code == 2
    assert "above 0" in run.problems["a.eval.yaml"]


def test_a_tiny_least_score_is_not_reached_by_nothing(session: EvalProject) -> None:
    session.assertions("{contains: nowhere, min_score: 0.0000000001}")
    assert list(session.grade().outcomes.values()) == ["failed"]


def test_an_expected_failure_in_an_own_assertion_is_an_error_also_if_negated(
    session: EvalProject,
) -> None:
    session.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest_agentv.assertion("gives-up")
        def gives_up(): pytest.xfail("some day")
        """
    )
    session.assertions("{type: gives-up}", "{type: not-gives-up}")
    assert list(session.grade().outcomes.values()) == ["error", "error"]


def test_an_own_assertion_cannot_take_a_key_that_every_assertion_has(
    session: EvalProject,
) -> None:
    session.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("mentions")
        def mentions(transcript, name="JWT"): return name in transcript.final_answer
        """
    )
    session.assertions("{type: mentions, name: Bob}")
    run = session.grade()
    assert run.code == 2
    assert "cannot take `name`" in run.problems["a.eval.yaml"]


@pytest.mark.parametrize(
    "arguments",
    [("-W", "ignore::UserWarning"), ("--deselect=z::y",), ("-k", "one or x")],
    ids=["warning", "deselect", "keyword"],
)
def test_other_options_do_not_hide_a_test_id_that_nobody_has(
    project: EvalProject, arguments: tuple[str, ...]
) -> None:
    project.assertions("contains: First")
    project.sessions(recorded("First", test_id="one"), recorded("x", test_id="typo"))
    run = project.grade(*arguments)
    assert run.code != 0
    assert "no collected test has the id 'typo'" in run.text


def test_sessions_that_a_key_of_a_file_names_in_vain_are_an_error(project: EvalProject) -> None:
    project.sessions(recorded("First"), name="one.jsonl")
    project.sessions(recorded("First"), recorded("Second"), name="two.jsonl")
    project.eval_file(
        """\
        transcript: [one.jsonl, two.jsonl]
        tests:
          - {id: one, assert: [contains: First]}
          - {id: two, assert: [contains: Second]}
        """
    )
    run = project.run()
    assert run.code == 2
    assert "`transcript: one.jsonl` names 1 session" in run.problems["a.eval.yaml"]


def test_a_key_cannot_name_sessions_of_a_person(project: EvalProject) -> None:
    project.assertions("contains: x", test="transcript: claude:latest")
    run = project.run()
    assert run.code == 2
    said = "is another session on each machine; use --transcript=claude:latest for that"
    assert said in run.problems["a.eval.yaml"]


def test_a_transcript_without_messages_is_an_error(project: EvalProject) -> None:
    project.sessions(recorded(output=[]))
    project.assertions("{type: execution-metrics, max_tool_calls: 5}")
    run = project.grade()
    assert list(run.outcomes.values()) == ["error"]
    assert "has no messages" in run.text_of["execution-metrics"]


@pytest.mark.parametrize("key", ["eval_cases", "evalcases"])
def test_other_names_of_tests_are_found_in_a_folder_named_evals(
    project: EvalProject, key: str
) -> None:
    project.write("evals/auth.yaml", one_test("contains: Done").replace("tests:", f"{key}:"))
    assert project.collected() == ["evals/auth.yaml::one::contains-Done"]


def test_a_file_of_several_sessions_serves_the_eval_file_with_as_many_tests(
    project: EvalProject,
) -> None:
    for name, count in (("two", 2), ("three", 3)):
        tests = [f"  - {{id: {name}-{n}, assert: [contains: {name}]}}" for n in range(count)]
        project.write(f"{name}.eval.yaml", "\n".join(["tests:", *tests, ""]))
        project.sessions(*(recorded(name) for _ in range(count)), name=f"{name}.jsonl")
    run = project.run("--transcript=two.jsonl", "--transcript=three.jsonl")
    assert (run.code, set(run.outcomes.values()), len(run.outcomes)) == (0, {"passed"}, 5)


def test_the_plan_of_a_run_is_shown_without_grading(session: EvalProject) -> None:
    session.assertions("contains: JWT")
    run = session.grade("--setup-plan")
    assert run.code == 0
    assert "SETUP    C transcript" in run.text


@pytest.mark.parametrize("text", ["false", "true"])
def test_a_quoted_yes_or_no_is_no_reason_to_skip(session: EvalProject, text: str) -> None:
    session.assertions("contains: JWT", test=f"skip: '{text}'")
    run = session.grade()
    assert run.code == 2
    assert "leave the quotes out" in run.problems["a.eval.yaml"]
