"""Responses: which items belong together, their thoughts, models and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from codex_sessions import CONTEXT, Session, ran, tokens

if TYPE_CHECKING:
    from codex_sessions import Read


@pytest.fixture
def session() -> Session:
    session = Session()
    session.ask("Add a cart")
    return session


def test_a_response_is_one_message_with_its_thoughts_texts_and_calls(
    session: Session, read: Read
) -> None:
    session.thought("**Planning**", "**Looking**")
    session.answer("I look around.", id="msg_1", phase="commentary")
    session.function("call_1", "exec_command", {"cmd": "ls"})
    session.function("call_2", "exec_command", {"cmd": "pwd"})
    session.output("call_1", ran("a.py"))
    session.output("call_2", ran("/home/dev/shop"))
    session.used(tokens(100, 20))
    session.answer("Done.", id="msg_2", phase="final_answer")
    session.used(tokens(150, 5))
    first, second = read(session).messages(role="assistant")
    assert first.thinking == "**Planning**\n\n**Looking**"
    assert first.content == "I look around."
    assert [call.id for call in first.tool_calls] == ["call_1", "call_2"]
    assert first.model == "gpt-5.3-codex"
    assert first.usage is not None
    assert second.usage is not None
    assert (first.usage.input, second.usage.input) == (100, 150)
    assert second.content == "Done."


def test_tokens_may_be_counted_between_calls_and_outputs(session: Session, read: Read) -> None:
    for number in (1, 2):
        session.function(f"call_{number}", "exec_command", {"cmd": "ls"})
        session.used(tokens(100 * number, 20))
        session.output(f"call_{number}", ran("a.py"))
    responses = read(session).messages(role="assistant")
    assert [message.usage and message.usage.input for message in responses] == [100, 200]


def test_old_versions_count_first_and_write_a_response_at_once(read: Read) -> None:
    session = Session(version="0.36.0", step=0.001)
    session.prompt("Add a cart")
    for number in (1, 2):
        session.record("turn_context", cwd="/home/dev/shop", model="gpt-5-codex")
        session.event("agent_message", message=f"Step {number}")
        session.used(tokens(100 * number, 20))
        session.message("assistant", f"Step {number}")
        for call in "ab":
            session.function(f"call_{number}{call}", "shell", {"command": ["ls"]})
            session.output(f"call_{number}{call}", '{"output":"","metadata":{"exit_code":0}}')
    responses = read(session).messages(role="assistant")
    assert [message.content for message in responses] == ["Step 1", "Step 2"]
    assert [message.usage and message.usage.input for message in responses] == [100, 200]
    assert [len(message.tool_calls) for message in responses] == [2, 2]
    # Call and output have the same time there, which says nothing.
    assert {call.duration_ms for message in responses for call in message.tool_calls} == {None}


def test_tokens_that_are_counted_before_any_response_do_not_mislead(
    session: Session, read: Read
) -> None:
    session.count(tokens(50, 5))  # of a compaction, say
    for number in (1, 2):
        session.run(f"call_{number}", "ls", ran("a.py"))
        session.count(tokens(50 + 100 * number, 5 + 10 * number), tokens(100, 10))
    session.answer("Done.")
    responses = read(session).messages(role="assistant")
    assert [len(message.tool_calls) for message in responses] == [1, 1, 0]


def test_without_counted_tokens_a_response_ends_with_its_outputs(
    session: Session, read: Read
) -> None:
    session.run("call_1", "ls", ran("a.py"))
    session.run("call_2", "pwd", ran("/"))
    session.answer("Done.")
    assert len(read(session).messages(role="assistant")) == 3


def test_a_thought_that_is_encrypted_is_no_thinking(session: Session, read: Read) -> None:
    session.thought()
    session.answer("Done.")
    (response,) = read(session).messages(role="assistant")
    assert response.thinking is None


def test_raw_thoughts_are_thinking_as_well(session: Session, read: Read) -> None:
    session.item("reasoning", summary=[], content=[{"type": "reasoning_text", "text": "Hm."}])
    session.answer("Done.")
    (response,) = read(session).messages(role="assistant")
    assert response.thinking == "Hm."


def test_the_model_may_change_and_the_first_is_the_sessions(session: Session, read: Read) -> None:
    session.answer("One.")
    session.model = "gpt-5.5"
    session.ask("More")
    session.answer("Two.")
    transcript = read(session)
    assert transcript.source.model == "gpt-5.3-codex"
    assert [message.model for message in transcript.messages(role="assistant")] == [
        "gpt-5.3-codex", "gpt-5.5",
    ]  # fmt: skip


def test_a_compaction_leaves_what_was_said_before_it(session: Session, read: Read) -> None:
    session.answer("One.")
    copy = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}
    session.record("compacted", message="", replacement_history=[copy])
    session.event("context_compacted")
    session.answer("Two.")
    transcript = read(session)
    assert [message.content for message in transcript.output] == ["Add a cart", "One.", "Two."]
    assert transcript.left_out == {"compacted record": 1, "context_compacted event": 1}


def test_turns_that_were_taken_back_are_no_part_of_the_conversation(
    session: Session, read: Read
) -> None:
    session.answer("One.")
    session.used(tokens(100, 10))
    session.ask("Wrong")
    session.function("call_1", "exec_command", {"cmd": "rm x"})
    session.used(tokens(100, 10))
    session.event("thread_rolled_back", num_turns=1)
    session.output("call_1", ran(""))
    session.ask("Right")
    session.answer("Two.")
    transcript = read(session)
    assert [message.content for message in transcript.output] == [
        "Add a cart", "One.", "Right", "Two.",
    ]  # fmt: skip
    assert transcript.token_usage is not None
    assert transcript.token_usage.input == 200
    assert transcript.left_out == {
        "message of a turn that was taken back": 2,
        "output of a call that was taken back": 1,
    }


def test_what_was_injected_for_a_turn_is_taken_back_with_it(session: Session, read: Read) -> None:
    session.answer("One.")
    session.user("<turn_aborted>\nThe turn was stopped.\n</turn_aborted>")
    session.turn()
    session.message("developer", "The sandbox is off")
    session.prompt("# Context from my IDE:\n- a.py\n\n## My request for Codex:\nWrong")
    session.answer("Two.")
    session.event("thread_rolled_back", num_turns=1)
    session.ask("Right")
    assert [message.content for message in read(session).output] == [
        "Add a cart",
        "One.",
        "<turn_aborted>\nThe turn was stopped.\n</turn_aborted>",
        "Right",
    ]


def test_what_an_editor_knows_is_taken_back_where_no_turn_is_announced(
    session: Session, read: Read
) -> None:
    session.answer("One.")
    session.prompt("# Context from my IDE:\n- a.py\n\n## My request for Codex:\nWrong")
    session.event("thread_rolled_back", num_turns=1)
    session.prompt("Right")
    assert [message.content for message in read(session).output] == ["Add a cart", "One.", "Right"]


def test_the_context_of_a_session_stays_when_its_first_turn_is_taken_back(read: Read) -> None:
    session = Session()
    session.turn()
    session.user(CONTEXT)
    session.prompt("Wrong")
    session.event("thread_rolled_back", num_turns=1)
    session.ask("Right")
    assert [message.content for message in read(session).output] == [CONTEXT, "Right"]


def test_turns_are_taken_back_across_a_compaction(session: Session, read: Read) -> None:
    session.answer("One.")
    session.ask("Wrong")
    session.record("compacted", message="", replacement_history=[{"type": "message"}])
    session.event("context_compacted")
    session.answer("Two.")
    session.ask("Wrong again")
    session.event("thread_rolled_back", num_turns=2)
    session.ask("Right")
    assert [message.content for message in read(session).output] == ["Add a cart", "One.", "Right"]


def test_taking_back_all_turns_takes_the_input_back(session: Session, read: Read) -> None:
    session.answer("One.")
    session.event("thread_rolled_back", num_turns=5)
    session.ask("Right")
    assert read(session).input == "Right"


@pytest.mark.parametrize("turns", [0, -1, None, "2"])
def test_a_number_of_turns_that_is_none_takes_nothing_back(
    session: Session, read: Read, turns: object
) -> None:
    session.event("thread_rolled_back", num_turns=turns)
    assert read(session).input == "Add a cart"
