"""The old form: one JSON document, with what the model saw and what the screen showed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from copilot_sessions import SESSION_ID, old_document, said

from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from copilot_sessions import Read

    from pytest_agentv import Transcript


@pytest.fixture
def read_old(read: Read, tmp_path: Path) -> Callable[[dict[str, Any]], Transcript]:
    def transcript(document: dict[str, Any]) -> Transcript:
        path = tmp_path / f"session_{SESSION_ID}_1759312800000.json"
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")
        return read(path)

    return transcript


ReadOld: TypeAlias = "Callable[[dict[str, Any]], Transcript]"


def test_the_conversation_is_what_the_model_saw_and_the_prompt_what_was_typed(
    read_old: ReadOld,
) -> None:
    transcript = read_old(old_document())
    assert said(transcript) == [
        ("injected", "<context>/home/dev</context>"),
        ("human", "List the files"),
        ("assistant", "I look."),
        ("assistant", "There is one file."),
    ]
    assert transcript.input == "List the files"
    assert transcript.output[1].timestamp == "2025-10-01T10:00:02.000Z"
    assert transcript.left_out == {"info record": 1}
    assert transcript.drift == {}


def _typed(text: str) -> dict[str, Any]:
    return {"id": "9", "timestamp": "2025-10-01T10:00:01.500Z", "type": "user", "text": text}


def test_prompts_that_the_model_never_got_do_not_hide_those_that_it_got(read_old: ReadOld) -> None:
    document = old_document()
    document["timeline"].insert(0, _typed("/model"))
    document["timeline"] += [_typed("!ls"), _typed("files"), _typed("Thanks"), _typed("/exit")]
    document["chatMessages"] += [
        {"role": "user", "content": "All files are listed above"},
        {"role": "user", "content": "Thanks\n\n<reminder>be brief</reminder>"},
    ]
    transcript = read_old(document)
    assert transcript.input == "List the files"
    assert [one for one in said(transcript) if one[0] != "assistant"] == [
        ("injected", "<context>/home/dev</context>"),
        ("human", "List the files"),
        ("injected", "All files are listed above"),
        ("human", "Thanks"),
    ]
    assert transcript.left_out["prompt that the model did not get"] == 4


def test_a_call_has_its_arguments_and_its_result(read_old: ReadOld) -> None:
    (call,) = read_old(old_document()).tool_calls()
    assert (call.id, call.tool, call.kind) == ("call-1", "bash", "shell")
    assert call.input == {"command": "ls"}
    assert call.output == "a.txt\n<exited with exit code 0>"
    assert (call.status, call.exit_code, call.line) == ("ok", 0, None)


def test_the_source_is_what_little_it_says(read_old: ReadOld) -> None:
    transcript = read_old(old_document())
    source = transcript.source
    assert (source.provider, source.session_id) == ("copilot-cli", SESSION_ID)
    assert (source.model, source.version, source.cwd) == ("claude-sonnet-4.5", None, None)
    assert source.timestamp == "2025-10-01T10:00:00.000Z"
    assert source.ended_at == "2025-10-01T10:00:07.000Z"
    assert transcript.duration_ms == 7000
    assert transcript.token_usage is None


@pytest.mark.parametrize(
    ("shown", "status"),
    [("success", "ok"), ("failure", "error"), ("rejected", "denied"), ("new", "unknown")],
)
def test_the_timeline_says_what_became_of_a_call(
    read_old: ReadOld, shown: str, status: str
) -> None:
    document = old_document()
    document["timeline"][2]["result"]["type"] = shown
    (call,) = read_old(document).tool_calls()
    assert call.status == status


def test_a_call_of_which_the_model_got_no_result_has_what_was_shown(read_old: ReadOld) -> None:
    document = old_document()
    del document["chatMessages"][3]
    (call,) = read_old(document).tool_calls()
    assert (call.output, call.status) == ("a.txt", "ok")


def test_a_call_that_is_not_shown_has_the_status_of_its_exit_code(read_old: ReadOld) -> None:
    document = old_document(timeline=[])
    document["chatMessages"][3]["content"] = "<exited with exit code 2>"
    (call,) = read_old(document).tool_calls()
    assert (call.status, call.exit_code) == ("error", 2)


def test_an_error_on_the_screen_is_a_message_where_it_was_shown(read_old: ReadOld) -> None:
    document = old_document()
    document["timeline"].insert(1, {"type": "error", "text": "Not logged in"})
    document["timeline"].append({"type": "error", "text": "Lost the network"})
    transcript = read_old(document)
    assert said(transcript)[1:3] == [("system", "Not logged in"), ("human", "List the files")]
    assert said(transcript)[-1] == ("system", "Lost the network")


def test_an_error_between_two_calls_of_one_response_divides_nothing(read_old: ReadOld) -> None:
    document = old_document()
    response, timeline = document["chatMessages"][2], document["timeline"]
    response["tool_calls"].append({**response["tool_calls"][0], "id": "call-2"})
    timeline.insert(3, {"type": "error", "text": "Lost the network"})
    timeline.insert(4, {**timeline[2], "callId": "call-2"})
    transcript = read_old(document)
    assert [len(message.tool_calls) for message in transcript.output] == [0, 0, 2, 0, 0]
    assert said(transcript)[3] == ("system", "Lost the network")


def test_without_a_timeline_every_text_is_typed(read_old: ReadOld) -> None:
    document = old_document(timeline=None)
    transcript = read_old(document)
    assert [origin for origin, _ in said(transcript)[:2]] == ["human", "human"]


def test_a_prompt_that_the_client_expanded_is_told_as_typed(read_old: ReadOld) -> None:
    document = old_document()
    document["chatMessages"][1]["content"] = [{"type": "text", "text": "Look at /home/dev/a.py"}]
    document["timeline"][1].update(text="Look at @a.py", expandedText="Look at /home/dev/a.py")
    assert read_old(document).input == "Look at @a.py"


def test_what_nobody_knows_is_counted(read_old: ReadOld) -> None:
    document = old_document()
    document["chatMessages"] += [
        {"role": "system", "content": "You are Copilot."},
        {"role": "prophet", "content": "…"},
        {"role": "tool", "tool_call_id": "never", "content": "…"},
        {"role": "assistant", "tool_calls": [{"id": "x"}, 7]},
    ]
    document["timeline"].append({"type": "dream"})
    transcript = read_old(document)
    assert transcript.left_out == {"info record": 1, "system record": 1}
    assert transcript.drift == {
        "message role 'prophet'": 1,
        "tool result without a call": 1,
        "tool call without a name": 1,
        "record type 'dream'": 1,
        "unusable field 'chatMessages.tool_calls'": 1,
    }


def test_a_document_without_a_message_is_refused(read_old: ReadOld) -> None:
    with pytest.raises(SessionUnreadable, match="holds no message at all"):
        read_old(old_document(chatMessages=[], timeline=[]))
