"""Rewinds are not part of the conversation; compactions, clears and stale parents lose nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, said, text, tokens, tool_use

from pytest_agentv import TokenUsage

if TYPE_CHECKING:
    from claude_sessions import Read

TEN = tokens(10, 10, written=0, cached=0)


def test_a_prompt_taken_back_is_left_out_with_all_that_followed_it(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_1", text("Started."), usage=TEN)
    session.prompt("The wrong way")
    session.response("msg_2", tool_use("toolu_1", "Bash", {"command": "rm x"}), usage=TEN)
    session.tool_result("toolu_1", "gone")
    session.response("msg_3", text("Removed."), usage=TEN)
    session.prompt("The right way", parent=answer)
    session.response("msg_4", text("Right."), usage=TEN)
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Start"),
        ("assistant", "Started."),
        ("human", "The right way"),
        ("assistant", "Right."),
    ]
    assert transcript.left_out == {"message of an abandoned branch": 3}
    assert transcript.token_usage == TokenUsage(
        input=40, output=40, cached=0, cache_write=0, output_complete=True
    )
    assert transcript.drift == {}


def test_the_branch_that_was_written_to_last_lives(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_1", text("Started."))
    first = session.prompt("One way")
    session.prompt("Another way", parent=answer)
    session.response("msg_2", text("Another."))
    session.response("msg_3", text("One."), parent=first)
    assert said(read(session)) == [
        ("human", "Start"),
        ("assistant", "Started."),
        ("human", "One way"),
        ("assistant", "One."),
    ]


def test_of_three_attempts_only_the_last_is_told(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    for attempt in ("one", "two", "three"):
        session.prompt(attempt, parent=answer)
        session.response(f"msg_{attempt}", text(f"Did {attempt}."))
    transcript = read(session)
    assert transcript.prompts == ("Start", "three")
    assert transcript.final_answer == "Did three."
    assert transcript.left_out == {"message of an abandoned branch": 4}


def test_a_rewind_inside_an_abandoned_branch_is_left_out_with_it(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    session.prompt("outer")
    (inner,) = session.response("msg_1", text("Outer."))
    session.prompt("inner one", parent=inner)
    session.prompt("inner two", parent=inner)
    session.prompt("lives", parent=answer)
    assert read(session).prompts == ("Start", "lives")


def test_a_rewind_to_the_first_prompt_changes_the_input(read: Read) -> None:
    session = Session(version="2.1.120")
    hook = session.attachment("hook_success", hookName="SessionStart:startup")
    session.prompt("A first try")
    session.response("msg_1", text("Tried."))
    session.prompt("A second try", parent=hook)
    session.response("msg_2", text("Done."))
    transcript = read(session)
    assert transcript.input == "A second try"
    assert transcript.prompts == ("A second try",)


def test_a_record_that_stands_before_its_parent_belongs_to_its_branch(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    session.prompt("dies")
    session.response("msg_1", text("Late."))
    session.response("msg_2", text("Early."))
    session.records[-2:] = reversed(session.records[-2:])
    session.prompt("lives", parent=answer)
    assert said(read(session))[2:] == [("human", "lives")]


def test_the_same_prompt_twice_on_one_parent_is_no_rewind(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    session.prompt("Go on")
    session.response("msg_1", text("One."))
    session.prompt("Go on", parent=answer)
    session.response("msg_2", text("Two."))
    transcript = read(session)
    assert transcript.prompts == ("Start", "Go on", "Go on")
    assert transcript.left_out == {}


@pytest.mark.parametrize("calls", [1, 10])
def test_any_number_of_records_may_stand_before_their_parents(read: Read, calls: int) -> None:
    session = Session(version="2.1.150")
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    for way in "wrong", "right":
        session.prompt(f"The {way} way", parent=answer)
        for number in range(calls):
            session.call(f"toolu_{way}_{number}", "Bash", {"command": "ls"}, "a")
            session.records[-2:] = reversed(session.records[-2:])
        session.response(f"msg_{way}", text(f"The {way} way it was."))
    transcript = read(session)
    assert [words for _, words in said(transcript) if words] == [
        "Start",
        "Started.",
        "The right way",
        "The right way it was.",
    ]
    assert [call.output for call in transcript.tool_calls()] == ["a"] * calls


@pytest.mark.parametrize(
    ("attempts", "told"),
    [
        (["a", "b", "a"], ["a 3"]),
        (["a", "a", "b"], ["b 3"]),
        (["a", "b", "a", "a"], ["a 3", "a 4"]),
        (["a", "b", "c", "b"], ["b 4"]),
    ],
)
def test_a_text_that_is_typed_again_after_another_is_a_new_attempt(
    read: Read, attempts: list[str], told: list[str]
) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    for number, attempt in enumerate(attempts, 1):
        session.prompt(attempt, parent=answer)
        session.response(f"msg_{number}", text(f"{attempt} {number}"))
    responses = [words for who, words in said(read(session)) if who == "assistant"]
    assert responses == ["Started.", *told]


def test_a_record_that_is_repeated_in_an_abandoned_branch_is_no_part_of_it(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    again = session.record()
    wrong = session.prompt("The wrong way")
    session.records.append({**again, "parentUuid": wrong})
    session.prompt("The right way", parent=answer)
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Start"),
        ("assistant", "Started."),
        ("human", "The right way"),
    ]
    assert transcript.left_out == {"repeated record": 1, "message of an abandoned branch": 1}


def test_a_prompt_on_a_stale_parent_is_no_rewind(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "ls"}))
    stale = session.tool_result("toolu_1", "a")
    session.response("msg_2", text("Listed."))
    session.prompt("And then?", parent=stale)
    session.response("msg_3", text("Then that."))
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Start"),
        ("assistant", ""),
        ("assistant", "Listed."),
        ("human", "And then?"),
        ("assistant", "Then that."),
    ]
    assert transcript.left_out == {}


def test_parallel_calls_fork_the_tree_and_are_no_rewind(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    one, two = session.response(
        "msg_1", tool_use("toolu_1", "Bash", {}), tool_use("toolu_2", "Bash", {})
    )
    session.tool_result("toolu_1", "1", parent=one)
    session.tool_result("toolu_2", "2", parent=two)
    session.progress({"type": "bash_progress"}, call_id="toolu_1")
    assert [call.output for call in read(session).tool_calls()] == ["1", "2"]


def test_injected_records_and_echoes_on_one_parent_are_no_rewind(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    (answer,) = session.response("msg_1", text("Started."))
    session.prompt("Go on", parent=answer)
    session.response("msg_2", text("Went on."))
    session.meta("A hook says so", parent=answer)
    session.user("<bash-input>ls</bash-input>", parent=answer)
    transcript = read(session)
    assert transcript.final_answer == "Went on."
    assert transcript.left_out == {}


def test_a_dangling_parent_and_a_cycle_of_parents_lose_nothing(read: Read) -> None:
    session = Session()
    uuid = session.prompt("Start", parent="dead0000-0000-4000-8000-000000000000")
    session.response("msg_1", text("Started."))
    session.prompt("One", parent=uuid)
    session.prompt("Two", parent=uuid)
    session.record(0)["parentUuid"] = session.last
    transcript = read(session)
    assert transcript.final_answer == "Started."
    assert transcript.prompts[-1] == "Two"


def test_a_compaction_keeps_what_went_before_it(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    session.call("toolu_1", "Bash", {"command": "ls"}, "a")
    session.compaction("This session is being continued …", logical_parent="unsaved")
    session.call("toolu_2", "Bash", {"command": "pwd"}, "/")
    session.response("msg_2", text("Done."))
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Start"),
        ("assistant", ""),
        ("injected", "This session is being continued …"),
        ("assistant", ""),
        ("assistant", "Done."),
    ]
    assert [call.output for call in transcript.tool_calls()] == ["a", "/"]
    assert transcript.left_out == {"system record 'compact_boundary'": 1}


def test_a_call_cut_off_by_a_compaction_stays_unanswered(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "ls"}))
    session.compaction("Summary")
    session.response("msg_2", text("Done."))
    transcript = read(session)
    assert [(call.output, call.status) for call in transcript.tool_calls()] == [(None, "unknown")]
    assert transcript.drift == {}


def test_new_roots_inside_a_file_lose_nothing(read: Read) -> None:
    session = Session()
    session.prompt("Before")
    session.response("msg_1", text("One."))
    session.prompt("After a clear", parent=None)
    session.response("msg_2", text("Two."))
    assert said(read(session)) == [
        ("human", "Before"),
        ("assistant", "One."),
        ("human", "After a clear"),
        ("assistant", "Two."),
    ]


def test_a_shell_line_at_the_end_hides_nothing(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    session.call("toolu_1", "Bash", {"command": "ls"}, "a")
    session.last = None
    session.bash("git status", "clean")
    transcript = read(session)
    assert len(transcript.tool_calls()) == 1
    assert transcript.input == "Start"
