"""Prompts typed while the agent worked: they live in the client's queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, image, said, text, tool_use

if TYPE_CHECKING:
    from claude_sessions import Read


def working_session(version: str = "2.1.62") -> Session:
    session = Session(version=version)
    session.prompt("Build it")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "make"}))
    return session


def test_a_prompt_that_the_model_got_in_the_middle_of_its_turn_is_kept(read: Read) -> None:
    session = working_session()
    session.queue("enqueue", "with debug symbols")
    session.tool_result("toolu_1", "made")
    session.queue("remove")
    session.response("msg_2", text("With symbols."))
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Build it"),
        ("assistant", ""),
        ("human", "with debug symbols"),
        ("assistant", "With symbols."),
    ]
    steering = transcript.output[2]
    assert (steering.line, steering.timestamp) == (3, "2026-03-02T09:00:02.000Z")


def test_a_prompt_that_became_a_record_is_told_once(read: Read) -> None:
    session = working_session()
    session.queue("enqueue", "Now test it")
    session.tool_result("toolu_1", "made")
    session.queue("dequeue")
    session.prompt("Now test it")
    assert said(read(session)) == [
        ("human", "Build it"),
        ("assistant", ""),
        ("human", "Now test it"),
    ]


def test_a_prompt_that_went_back_to_the_input_line_is_no_message(read: Read) -> None:
    session = working_session()
    session.queue("enqueue", "on second thought")
    session.queue("popAll", "on second thought")
    assert said(read(session)) == [("human", "Build it"), ("assistant", "")]


def test_a_prompt_that_was_still_waiting_at_the_end_is_no_message(read: Read) -> None:
    session = working_session()
    session.queue("enqueue", "too late")
    assert said(read(session)) == [("human", "Build it"), ("assistant", "")]


@pytest.mark.parametrize("removed_first", [True, False])
def test_a_prompt_that_queue_and_attachment_tell_of_is_told_once(
    read: Read,
    removed_first: bool,  # noqa: FBT001
) -> None:
    session = working_session("2.1.120")
    session.queue("enqueue", "with debug symbols")
    if removed_first:
        session.queue("remove")
    session.attachment("queued_command", prompt="with debug symbols", commandMode="prompt")
    if not removed_first:
        session.queue("remove")
    session.response("msg_2", text("With symbols."))
    assert said(read(session)) == [
        ("human", "Build it"),
        ("assistant", ""),
        ("human", "with debug symbols"),
        ("assistant", "With symbols."),
    ]


def test_a_prompt_that_only_an_attachment_tells_of_is_kept(read: Read) -> None:
    session = working_session("2.1.120")
    session.attachment("queued_command", prompt="with debug symbols", commandMode="prompt")
    transcript = read(session)
    assert said(transcript)[2] == ("human", "with debug symbols")
    assert transcript.output[2].line == 3
    assert transcript.output[2].id == "00000003-0000-4000-8000-000000000000"


def test_a_queued_prompt_may_be_a_list_of_blocks(read: Read) -> None:
    session = working_session("2.1.120")
    session.attachment(
        "queued_command", prompt=[text("with debug"), text("symbols")], commandMode="prompt"
    )
    assert said(read(session))[2] == ("human", "with debug\nsymbols")


def test_an_image_of_a_queued_prompt_is_described(read: Read) -> None:
    session = working_session("2.1.120")
    session.attachment(
        "queued_command", prompt=[text("like this one"), image()], commandMode="prompt"
    )
    message = read(session).output[2]
    assert (message.origin, message.content) == ("human", "like this one")
    assert [one.kind for one in message.attachments] == ["image"]


def test_a_queued_notification_is_injected(read: Read) -> None:
    session = working_session("2.1.120")
    notification = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
    session.attachment("queued_command", prompt=notification, commandMode="task-notification")
    assert said(read(session))[2] == ("injected", notification)


def test_the_mode_of_a_queued_command_tells_a_notification_without_a_tag(read: Read) -> None:
    session = working_session("2.1.120")
    session.attachment("queued_command", prompt="Agent done", commandMode="task-notification")
    assert said(read(session))[2] == ("injected", "Agent done")


def test_an_attachment_that_is_written_again_is_told_once(read: Read) -> None:
    session = working_session("2.1.120")
    session.attachment("queued_command", prompt="with debug symbols", commandMode="prompt")
    session.records.append(dict(session.record()))
    assert [text for origin, text in said(read(session)) if origin == "human"] == [
        "Build it",
        "with debug symbols",
    ]


def test_the_same_text_typed_twice_is_two_prompts(read: Read) -> None:
    session = working_session()
    for _ in range(2):
        session.queue("enqueue", "faster")
        session.queue("remove")
    assert [text for origin, text in said(read(session)) if origin == "human"] == [
        "Build it",
        "faster",
        "faster",
    ]


def test_removal_with_a_text_takes_that_prompt(read: Read) -> None:
    session = working_session()
    session.queue("enqueue", "one")
    session.queue("enqueue", "two")
    session.queue("remove", "two")
    session.queue("popAll", "one")
    assert said(read(session))[2:] == [("human", "two")]


def test_the_record_that_follows_tells_which_prompt_was_dequeued(read: Read) -> None:
    session = working_session()
    session.queue("enqueue", "one")
    session.queue("enqueue", "two")
    session.queue("dequeue")
    session.prompt("two")
    session.queue("remove")
    assert said(read(session))[2:] == [("human", "two"), ("human", "one")]


def test_an_empty_queue_forgives_every_operation(read: Read) -> None:
    session = working_session()
    for operation in ("dequeue", "remove", "popAll"):
        session.queue(operation)
    transcript = read(session)
    assert said(transcript) == [("human", "Build it"), ("assistant", "")]
    assert transcript.drift == {}


def test_an_unknown_operation_is_drift(read: Read) -> None:
    session = working_session()
    session.queue("shuffle")
    assert read(session).drift == {"queue operation 'shuffle'": 1}


@pytest.mark.parametrize("version", ["2.1.62", "2.1.120"])
def test_a_queued_prompt_goes_with_the_branch_in_which_the_model_got_it(
    read: Read, version: str
) -> None:
    session = Session(version=version)
    session.prompt("Start")
    (answer,) = session.response("msg_0", text("Started."))
    for way in "wrong", "right":
        session.prompt(f"The {way} way", parent=answer)
        session.response(f"msg_{way}", tool_use(f"toolu_{way}", "Bash", {"command": "make"}))
        session.queue("enqueue", f"The {way} hint")
        session.tool_result(f"toolu_{way}", "made")
        session.queue("remove")
        if version == "2.1.120":
            session.attachment("queued_command", prompt=f"The {way} hint", commandMode="prompt")
    transcript = read(session)
    assert transcript.prompts == ("Start", "The right way", "The right hint")
    assert transcript.left_out["message of an abandoned branch"] == 3
