"""``pytest_agentv.testing.check_grader``: every promise of a grader that is broken is said."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from grading import answer

from pytest_agentv import CaseFacts, Grade, Grader, NotGradable, Transcript, assertion
from pytest_agentv.graders.script import Script
from pytest_agentv.graders.text import Contains
from pytest_agentv.testing import check_grader

if TYPE_CHECKING:
    from pathlib import Path

DONE = answer("Done.")


class Longer(Grader):
    """The final answer is longer than so many characters."""

    types: ClassVar[tuple[str, ...]] = ("longer",)
    than: int

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        del case
        length = len(transcript.final_answer or "")
        outcome = "passed" if length > self.than else "failed"
        return Grade(outcome, f"{length} characters")  # type: ignore[arg-type]


@assertion("says")
def says(transcript: Transcript, value: str, words: tuple[str, ...] = ()) -> bool:
    return value in (transcript.final_answer or "") or value in words


@assertion("in-words")
def in_words(value: str, words: list[str]) -> bool:
    return value in words


def test_a_class_that_keeps_its_contract_gets_its_grade() -> None:
    grade = check_grader(Longer, {"type": "longer", "than": 3}, DONE, expected="passed")
    assert grade.reason == "5 characters"
    check_grader(Longer, {"type": "longer", "than": 30}, DONE, expected="failed")
    check_grader(Longer, {"longer": {"than": 3}}, DONE, expected="passed")


def test_a_function_that_keeps_its_contract_gets_its_grade() -> None:
    check_grader(says, {"says": "Done"}, DONE, expected="passed")
    check_grader(says, {"type": "not-says", "value": "x"}, DONE, expected="passed")
    entry = {"type": "in-words", "value": "a"}
    check_grader(in_words, entry, DONE, expected="passed", fixtures={"words": ["a"]})


def test_a_grader_of_ours_keeps_the_contract() -> None:
    check_grader(Contains, {"contains": "Done"}, DONE, expected="passed")
    check_grader(Contains, {"contains": "x"}, DONE, expected="failed")


def complaint(grader: Any, entry: dict[str, Any], expected: Any = "passed") -> str:
    with pytest.raises(AssertionError) as caught:
        check_grader(grader, entry, DONE, expected=expected)
    return str(caught.value)


def function(name: str, body: Any) -> Any:
    return assertion(name)(body)


def test_another_grade_than_expected_is_said() -> None:
    assert "not failed" in complaint(says, {"says": "Done"}, "failed")


def test_a_grade_that_changes_is_said() -> None:
    answers = iter([True, False])
    changing = function("changing", lambda: next(answers))
    assert "the same must get the same grade" in complaint(changing, {"type": "changing"})


def test_a_grade_without_a_reason_is_said() -> None:
    silent = function("silent", lambda: Grade("failed"))
    assert "must say why" in complaint(silent, {"type": "silent"}, "failed")


def test_an_expected_failure_is_no_grade_and_is_said() -> None:
    def hopeful() -> None:
        pytest.xfail("not yet")

    said = complaint(function("hopeful", hopeful), {"type": "hopeful"}, "failed")
    assert said == "assertion 'hopeful' raised XFailed: not yet"


def test_what_is_no_grade_is_said() -> None:
    class Odd(Longer):
        types: ClassVar[tuple[str, ...]] = ("odd",)

        def grade(self, transcript: Transcript, case: CaseFacts) -> Any:
            return super().grade(transcript, case).outcome

    with pytest.raises(AssertionError, match="the grader of 'odd' returned 'passed', no Grade"):
        check_grader(Odd, {"type": "odd", "than": 1}, DONE, expected="passed")


def test_a_key_that_is_let_through_is_said() -> None:
    class Lenient(Longer, extra="ignore"):
        types: ClassVar[tuple[str, ...]] = ("lenient",)

    assert "an unknown key must be an error" in complaint(Lenient, {"type": "lenient", "than": 1})


def test_a_function_that_takes_any_key_may() -> None:
    greedy = function("greedy", lambda **keys: not keys.get("x"))
    check_grader(greedy, {"type": "greedy"}, DONE, expected="passed")


def test_a_class_that_takes_any_key_may(tmp_path: Path) -> None:
    code = "import json, sys; sys.exit('Done' not in json.load(sys.stdin)['config']['word'])"
    entry = {"type": "script", "command": [sys.executable, "-S", "-c", code], "word": "Done"}
    check_grader(Script, entry, DONE, expected="passed", folder=tmp_path)
    check_grader(Script, {**entry, "word": "x"}, DONE, expected="failed", folder=tmp_path)


def test_a_crash_on_a_poor_session_is_said() -> None:
    rash = function("rash", lambda transcript: transcript.output[1].content == "Done.")
    assert "a session that says nothing" in complaint(rash, {"type": "rash"})


def test_a_refusal_of_a_poor_session_is_fine() -> None:
    def careful(transcript: Transcript) -> bool:
        if transcript.final_answer is None:
            raise NotGradable("there is no answer")
        return True

    check_grader(function("careful", careful), {"type": "careful"}, DONE, expected="passed")


def test_what_a_case_says_is_given() -> None:
    class Expected(Grader):
        types: ClassVar[tuple[str, ...]] = ("expected",)

        def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
            same = transcript.final_answer == case.expected_output
            return Grade("passed" if same else "failed", "compared")

    entry = {"type": "expected"}
    check_grader(Expected, entry, DONE, expected="passed", expected_output="Done.")
    check_grader(Expected, entry, DONE, expected="failed", expected_output="x")
