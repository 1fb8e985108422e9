"""What every grader keeps to, whatever the transcript holds."""

from __future__ import annotations

import pytest
from grading import CASE, GRADERS, answer, graded, grader, session
from hypothesis import given
from hypothesis import strategies as st
from one_of_each import ENTRIES
from sample_transcripts import patient, transcripts

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.script import Script

SCOPES = ["final", "any", "all", "user", "thinking", "tool-output", "transcript"]
SCOPED = [name for name, one in GRADERS.items() if "in_" in one.model_fields]
PRICED = CaseFacts(id="x", prices={"*": {"input": 1.0, "output": 1.0}})


def test_every_type_has_an_entry_here() -> None:
    assert sorted(ENTRIES) == sorted(GRADERS)


@patient
@given(transcripts, st.sampled_from(sorted(ENTRIES)), st.sampled_from(SCOPES))
def test_any_transcript_gets_a_grade_that_does_not_hold_both_ways(
    transcript: Transcript, type_: str, scope: str
) -> None:
    keys = {**ENTRIES[type_], **({"in_": scope} if type_ in SCOPED else {})}
    for case in (CASE, PRICED):
        grade = graded(type_, transcript, case=case, **keys)
        opposite = grade.negated()
        assert not (grade and opposite)
        assert (grade.outcome == "skipped") <= (opposite.outcome == "skipped")
        assert grade.claim
        assert grade.reason


@pytest.mark.parametrize("scope", ["tool-output", "transcript"])
@pytest.mark.parametrize("type_", SCOPED)
def test_what_the_session_did_not_keep_makes_no_opposite_hold(type_: str, scope: str) -> None:
    calls = (ToolCall(tool="x", output="~"), ToolCall(tool="x", output=None))
    transcript = session(Message(role="assistant", tool_calls=calls))
    grade = graded(type_, transcript, **{**ENTRIES[type_], "in_": scope})
    assert grade.outcome == "passed" or grade.negated().outcome == "skipped"


NOTHING = Message(role="assistant", tool_calls=(ToolCall(tool=""),))
ODD = {
    "empty": session(),
    "silent": session(NOTHING),
    "strangers": Transcript(source=Source(provider=""), output=(Message(role="martian"),)),
    "surrogates": answer("\ud800 \udfff a {\ud800}"),
    "blank": answer(" \n\t\u2028"),
    "zero bytes": answer("\x00\x1b[31m\x7f"),
    "large": answer("a b {[ " * 1_500_000),
    "one word": answer("a" * 10_000_000),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("type_", sorted(ENTRIES))
def test_odd_transcripts_are_graded(type_: str, name: str) -> None:
    grade = graded(type_, ODD[name], **ENTRIES[type_])
    assert grade.outcome in ("passed", "failed", "skipped")
    texts = [grade.claim, grade.reason, *(one.excerpt for one in grade.evidence)]
    assert max(map(len, texts)) < 400
    assert len(grade.details) < 20_000


@pytest.mark.parametrize("type_", sorted(ENTRIES))
def test_a_grader_describes_its_keys(type_: str) -> None:
    schema = GRADERS[type_].model_json_schema()
    keys = {"in" if key == "in_" else key for key in ENTRIES[type_]}
    assert keys <= schema["properties"].keys()
    # What a script does not know itself, the program may.
    assert schema["additionalProperties"] is (GRADERS[type_] is Script)


@pytest.mark.parametrize("type_", sorted(ENTRIES))
def test_a_grader_cannot_be_changed(type_: str) -> None:
    made = grader(type_, **ENTRIES[type_])
    with pytest.raises(ValueError, match="frozen"):
        made.value = "other"  # type: ignore[attr-defined]  # that is what is tested


@pytest.mark.parametrize(
    "type_", ["llm-rubric", "llm-grader", "rubrics", "agent-rubric", "trajectory:goal-success"]
)
def test_without_a_judge_a_rubric_is_never_passed(type_: str) -> None:
    grade = graded(type_, "All done.", value="Explains how to rotate the secret", threshold=0.8)
    assert grade.outcome == grade.negated().outcome == "skipped"
    whose = "the session" if type_ == "trajectory:goal-success" else "the final answer"
    assert grade.claim == f"{whose} satisfies 'Explains how to rotate the secret'"
    assert grade.reason == "no judge is set up: a language model would have to read this"
