"""Which user messages a person typed, and which the client put in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from copilot_sessions import Session, said

if TYPE_CHECKING:
    from copilot_sessions import Read


def _one_user_message(content: str, **fields: Any) -> Session:
    session = Session()
    session.start()
    session.user(content, **fields)
    session.assistant("Done.")
    return session


def test_what_was_typed_is_told_without_what_the_client_adds(read: Read) -> None:
    transcript = read(_one_user_message("Add a login page"))
    assert said(transcript)[0] == ("human", "Add a login page")
    assert transcript.input == "Add a login page"


@pytest.mark.parametrize(
    "source", ["system", "instruction-discovery", "agent-1f2e", "skill-pdf", "autopilot"]
)
def test_a_message_that_names_another_source_is_injected(read: Read, source: str) -> None:
    transcript = read(_one_user_message("Mind the rules.", source=source))
    assert said(transcript)[0] == ("injected", "Mind the rules.")
    assert transcript.input is None


@pytest.mark.parametrize("source", ["user", "command", "command-plan"])
def test_a_slash_command_that_the_model_got_is_a_prompt(read: Read, source: str) -> None:
    assert read(_one_user_message("Plan the page", source=source)).input == "Plan the page"


def test_a_task_id_of_a_parent_is_on_typed_prompts_as_well(read: Read) -> None:
    transcript = read(_one_user_message("Go on", parentAgentTaskId="5cffe862"))
    assert transcript.input == "Go on"


def test_a_message_without_a_text_of_its_own_says_what_the_model_got(read: Read) -> None:
    nudge = "You have not yet marked the task as complete."
    transcript = read(_one_user_message("", transformedContent=nudge, agentMode="autopilot"))
    assert said(transcript)[0] == ("injected", nudge)


def test_a_continuation_of_autopilot_is_injected(read: Read) -> None:
    transcript = read(_one_user_message("Go on", isAutopilotContinuation=True))
    assert said(transcript)[0] == ("injected", "Go on")


def test_a_reminder_is_injected_whatever_its_source(read: Read) -> None:
    transcript = read(_one_user_message("<system_reminder>\nTools\n</system_reminder>"))
    assert transcript.input is None


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("Fix it\n\n<current_datetime>2025-12-18T22:00:00Z</current_datetime>", "Fix it"),
        ("Fix it\n<current_datetime>2025</current_datetime>\n", "Fix it"),
        ("What does <current_datetime> mean?", "What does <current_datetime> mean?"),
        ("Close it: </current_datetime>", "Close it: </current_datetime>"),
    ],
)
def test_the_date_behind_a_prompt_is_no_part_of_it(read: Read, content: str, typed: str) -> None:
    assert read(_one_user_message(content)).input == typed


def test_an_attached_file_is_described(read: Read) -> None:
    file = {"type": "file", "path": "/home/dev/shop/a.py", "displayName": "@a.py"}
    image = {"type": "blob", "data": "aW1hZ2U=", "mimeType": "image/png"}
    message = read(_one_user_message("Look", attachments=[file, image])).output[0]
    assert [(one.kind, one.name, one.media_type, one.size) for one in message.attachments] == [
        ("file", "@a.py", None, None),
        ("blob", None, "image/png", 5),
    ]


def test_an_image_without_a_word_is_a_prompt(read: Read) -> None:
    image = {"type": "blob", "data": "aW1hZ2U=", "mimeType": "image/png"}
    session = _one_user_message("", attachments=[image])
    assert said(read(session))[0] == ("human", "")


def test_a_message_that_says_nothing_at_all_is_left_out(read: Read) -> None:
    transcript = read(_one_user_message("", transformedContent=None))
    assert said(transcript) == [("assistant", "Done.")]
    assert transcript.left_out["empty message"] == 1


def test_a_notification_is_injected(read: Read) -> None:
    session = _one_user_message("Go")
    session.event("system.notification", {"content": "Shell 30 has completed.", "kind": {}})
    assert said(read(session))[-1] == ("injected", "Shell 30 has completed.")


def test_an_error_of_the_client_is_a_message_of_the_system(read: Read) -> None:
    session = _one_user_message("Go")
    session.event("session.error", {"errorType": "query", "message": "Rate limit", "stack": "…"})
    assert said(read(session))[-1] == ("system", "Rate limit")


def test_a_tool_that_a_person_ran_is_a_command_and_no_call_of_the_model(read: Read) -> None:
    session = _one_user_message("Go")
    arguments = {"command": "ls"}
    asked = {"toolCallId": "typed-1", "toolName": "bash", "arguments": arguments}
    session.event("tool.user_requested", asked)
    session.tool_start("typed-1", "bash", arguments)
    session.tool_complete("typed-1", "a.txt")
    transcript = read(session)
    assert said(transcript)[-2:] == [("command", "ls"), ("command", "a.txt")]
    assert transcript.tool_calls() == ()
