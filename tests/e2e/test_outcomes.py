"""What becomes of an assertion: it holds, fails, errs, is skipped, or is expected to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded
from runaway import no_runaway

if TYPE_CHECKING:
    from eval_runs import EvalProject

OWN = """\
import pytest_agentv
from pytest_agentv import Grade, NotGradable

@pytest_agentv.assertion("crashes")
def crashes(transcript):
    return 1 / 0

@pytest_agentv.assertion("refuses")
def refuses(transcript):
    raise NotGradable("the moon is full")

@pytest_agentv.assertion("unsure")
def unsure(transcript):
    return Grade("skipped", "the session does not say")

@pytest_agentv.assertion("needs-fixture")
def needs_fixture(transcript, no_such_fixture):
    return True
"""


@pytest.fixture
def own(project: EvalProject) -> EvalProject:
    """A project with assertions of its own, and one session."""
    project.conftest(OWN)
    project.sessions(recorded("I use JWT now."))
    return project


def test_assertions_hold_and_the_run_is_good(own: EvalProject) -> None:
    own.assertions("contains: JWT", "not-contains: password")
    run = own.grade()
    assert run.by_name == {"contains-JWT": "passed", "not-contains-password": "passed"}
    assert run.code == 0
    assert run.warnings == []


def test_a_failure_says_where_what_was_expected_and_what_was_found(own: EvalProject) -> None:
    own.assertions("contains: JWT", "contains: OAuth")
    run = own.grade()
    assert run.code == 1
    assert run.text_of["contains-OAuth"].splitlines() == [
        "a.eval.yaml:5: contains-OAuth does not hold (claude-cli)",
        "  expected: the final answer contains 'OAuth'",
        "  found:    not found in 14 characters",
        "  session:  0763061e-9c91-4dee-9373-3bd69c817fd4 t.jsonl:1",
        "  at message 2, line 5 of the session:",
        "  | I use JWT now.",
    ]


def test_a_failed_negation_says_so(own: EvalProject) -> None:
    own.assertions("not-contains: JWT")
    text = own.grade().text_of["not-contains-JWT"]
    assert "expected: not: the final answer contains 'JWT'" in text
    assert "Traceback" not in text


def test_a_crash_is_an_error_with_a_traceback_and_never_a_failure(own: EvalProject) -> None:
    own.assertions("{type: crashes}", "{type: not-crashes}", "contains: JWT")
    run = own.grade()
    assert run.by_name == {"crashes": "error", "not-crashes": "error", "contains-JWT": "passed"}
    assert run.code == 1
    assert "return 1 / 0" in run.text_of["crashes"]
    assert "ZeroDivisionError" in run.text_of["crashes"]
    # Only the code of whoever wrote the assertion is shown.
    assert "pytest_agentv/" not in run.text_of["crashes"]


def test_what_cannot_be_graded_is_an_error_in_a_sentence(own: EvalProject) -> None:
    own.assertions("{type: refuses}", "{type: not-refuses}")
    run = own.grade()
    assert run.by_name == {"refuses": "error", "not-refuses": "error"}
    assert run.text_of["refuses"] == "a.eval.yaml:4: refuses cannot be graded: the moon is full"


def test_a_grader_of_ours_that_cannot_grade_is_an_error(own: EvalProject) -> None:
    weightless = "threshold: 0.5, assert: [{type: contains, value: JWT, weight: 0}]"
    own.assertions(f"{{type: assert-set, {weightless}}}", f"{{type: not-assert-set, {weightless}}}")
    run = own.grade()
    assert run.by_name == {"assert-set": "error", "not-assert-set": "error"}
    assert "there is no mean" in run.text_of["not-assert-set"]


def test_a_file_that_is_no_transcript_is_an_error_of_the_collection(own: EvalProject) -> None:
    own.assertions("contains: JWT")
    own.write("t.jsonl", b'{"schema_version":"1.0","source":{"provider":"x"},"output":[{]}\n')
    run = own.grade()
    assert run.code == 2
    assert "t.jsonl:1: is no transcript: JSON is malformed" in run.problems["a.eval.yaml"]
    assert "INTERNALERROR" not in run.text


def test_a_session_whose_messages_cannot_be_read_is_an_error_of_each_assertion(
    own: EvalProject,
) -> None:
    own.assertions("contains: JWT", "not-contains: JWT")
    # Its head is good, so it is collected.
    good = own.sessions(recorded()).read_bytes()
    own.write("t.jsonl", good[:-20] + b"\n")
    run = own.grade()
    assert run.by_name == {"contains-JWT": "error", "not-contains-JWT": "error"}
    assert run.text_of["contains-JWT"].startswith(
        "a.eval.yaml:4: contains-JWT cannot be graded: t.jsonl:1: "
    )


def test_a_thousand_errors_are_told_in_time(own: EvalProject) -> None:
    own.assertions(*(f"contains: '{number}'" for number in range(1_000)))
    good = own.sessions(recorded()).read_bytes()
    own.write("t.jsonl", good[:-20] + b"\n")
    with no_runaway():  # a traceback for each takes minutes
        run = own.grade()
    assert list(run.by_name.values()) == ["error"] * 1_000


def test_a_session_that_vanishes_after_the_collection_is_an_error(own: EvalProject) -> None:
    own.assertions("contains: JWT", "not-contains: x")
    own.conftest(
        """\
        def pytest_collection_finish(session):
            (session.config.rootpath / "t.jsonl").unlink()
        """
    )
    run = own.grade()
    assert run.by_name == {"contains-JWT": "error", "not-contains-x": "error"}
    assert run.text_of["contains-JWT"] == (
        "a.eval.yaml:4: contains-JWT cannot be graded: t.jsonl: no such file"
    )


def test_a_fixture_that_is_not_there_is_an_error(own: EvalProject) -> None:
    own.assertions("{type: needs-fixture}")
    run = own.grade()
    assert run.by_name == {"needs-fixture": "error"}
    assert "fixture 'no_such_fixture' not found" in run.text


def test_what_the_session_does_not_say_is_skipped_with_the_reason(own: EvalProject) -> None:
    own.assertions("{type: unsure}", "{type: not-unsure}", "{type: latency, max_ms: 5}")
    run = own.grade("-rs")
    assert set(run.outcomes.values()) == {"skipped"}
    assert run.code == 0
    assert run.text_of["unsure"].startswith("Skipped: not evaluable: the session does not say")
    assert "SKIPPED [1] a.eval.yaml:4: not evaluable: the session does not say" in run.text


def test_without_any_transcript_all_is_skipped_with_the_reason(own: EvalProject) -> None:
    own.assertions("contains: JWT", "{type: crashes}")
    run = own.run("-rs")
    assert run.by_name == {"contains-JWT": "skipped", "crashes": "skipped"}
    assert run.code == 0
    assert (
        "a.eval.yaml:4: no transcript: give --transcript=…, or the eval file a `transcript` key"
        in run.text
    )


def test_a_case_is_skipped_on_request(own: EvalProject) -> None:
    own.assertions("contains: JWT", test="skip: not yet")
    run = own.grade()
    assert run.by_name == {"contains-JWT": "skipped"}
    assert run.text_of["contains-JWT"] == "Skipped: not yet"


def test_a_case_that_is_expected_to_fail(own: EvalProject) -> None:
    own.assertions("contains: OAuth", "contains: JWT", test="xfail: known since May")
    run = own.grade()
    assert run.by_name == {"contains-OAuth": "xfailed", "contains-JWT": "xpassed"}
    assert run.text_of["contains-OAuth"].startswith("known since May")
    assert run.code == 0


def test_a_strict_expectation_that_is_not_met_is_a_failure(own: EvalProject) -> None:
    own.assertions("contains: JWT", test="xfail: {reason: known, strict: true}")
    run = own.grade()
    assert run.by_name == {"contains-JWT": "failed"}
    assert run.code == 1


def test_an_expected_failure_excuses_no_error(own: EvalProject) -> None:
    own.assertions("{type: crashes}", "{type: refuses}", test="xfail: true")
    run = own.grade()
    assert run.by_name == {"crashes": "error", "refuses": "error"}
    assert run.code == 1


def test_a_set_fails_with_the_grades_of_its_members(own: EvalProject) -> None:
    own.assertions(
        "{type: assert-set, metric: both, assert: [contains: JWT, contains: OAuth]}",
        "{type: not-assert-set, metric: not-both, assert: [contains: JWT, contains: OAuth]}",
        "{type: assert-set, mode: any, metric: some, assert: [contains: JWT, contains: OAuth]}",
    )
    run = own.grade()
    assert run.by_name == {"both": "failed", "not-both": "passed", "some": "passed"}
    assert "contains-OAuth: failed" in run.text_of["both"]
    assert "contains-JWT: passed" in run.text_of["both"]


@pytest.mark.parametrize("mode", ["all", "any", "weighted", "threshold"])
@pytest.mark.parametrize("kind", ["crashes", "not-crashes", "refuses"])
def test_an_error_deep_in_a_set_is_an_error_of_the_set(
    own: EvalProject, mode: str, kind: str
) -> None:
    threshold = ", threshold: 0.1" if mode in {"weighted", "threshold"} else ""
    inner = f"type: not-assert-set, mode: {mode}{threshold}"
    own.assertions(
        f"{{type: not-assert-set, metric: deep, assert: [{{{inner}, assert: [contains: JWT, "
        f"{{type: {kind}}}]}}]}}"
    )
    assert own.grade().by_name == {"deep": "error"}


def test_missing_data_deep_in_a_negated_set_is_no_pass(own: EvalProject) -> None:
    own.assertions("{type: not-assert-set, metric: deep, assert: [{type: not-unsure}]}")
    assert own.grade().by_name == {"deep": "skipped"}


def test_a_soft_exit_code_does_not_exist_for_nothing(own: EvalProject) -> None:
    own.assertions("contains: JWT")
    assert own.grade("-k", "no-such-thing").code == 5
