"""Tool calls: one from three appearances, and what became of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from copilot_sessions import Session, request

if TYPE_CHECKING:
    from pathlib import Path

    from copilot_sessions import Read

    from pytest_agentv import ToolCall


def _asked() -> Session:
    session = Session()
    session.start()
    session.user("Go")
    return session


def _only(read: Read, session: Session) -> ToolCall:
    (call,) = read(session).tool_calls()
    return call


def test_request_start_and_completion_are_one_call(read: Read) -> None:
    session = _asked()
    session.call("call-1", "bash", {"command": "ls"}, "a.txt\n<exited with exit code 0>")
    call = _only(read, session)
    assert (call.id, call.line, call.tool, call.kind) == ("call-1", 3, "bash", "shell")
    assert call.input == {"command": "ls"}
    assert call.args["command"] == "ls"
    assert call.output == "a.txt\n<exited with exit code 0>"
    assert (call.status, call.exit_code) == ("ok", 0)
    assert (call.duration_ms, call.duration_source) == (1000, "timestamps")
    assert call.timestamp == "2026-06-25T09:00:02.000Z"


@pytest.mark.parametrize(
    ("output", "exit_code", "status"),
    [
        ("no\n<exited with exit code 1>", 1, "error"),
        ("no\n<shellId: 46 completed with exit code 128>", 128, "error"),
        ("no\n<shellId: watch completed with exit code -1>\n", -1, "error"),
        ("yes\n<shellId: 3 completed with exit code 0>", 0, "ok"),
        ("<exited with exit code 1> said the log\nfine", None, "ok"),
        ("<command started in background with shellId: 4>", None, "unknown"),
    ],
)
def test_the_exit_code_stands_at_the_end_of_what_a_shell_returns(
    read: Read, output: str, exit_code: int | None, status: str
) -> None:
    session = _asked()
    session.call("call-1", "powershell", {"command": "x"}, output)
    call = _only(read, session)
    assert (call.exit_code, call.status) == (exit_code, status)


def test_a_file_that_ends_like_a_shell_has_no_exit_code(read: Read) -> None:
    session = _asked()
    session.call("call-1", "view", {"path": "/log"}, "<exited with exit code 1>")
    call = _only(read, session)
    assert (call.exit_code, call.status) == (None, "ok")


@pytest.mark.parametrize(
    ("code", "status"),
    [("failure", "error"), ("denied", "denied"), ("rejected", "denied"), ("timeout", "timeout")],
)
def test_a_call_that_failed_says_why(read: Read, code: str, status: str) -> None:
    session = _asked()
    session.failed_call("call-1", "view", {"path": "/x"}, "Path does not exist", code)
    call = _only(read, session)
    assert (call.output, call.status) == ("Path does not exist", status)


def test_a_failure_with_a_result_is_an_error(read: Read) -> None:
    session = _asked()
    session.call("call-1", "grep", {"pattern": "x"}, "broken pipe", success=False)
    assert (_only(read, session).output, _only(read, session).status) == ("broken pipe", "error")


def test_a_call_nobody_answered_stays(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "sleep 9"}))
    session.tool_start("call-1", "bash", {"command": "sleep 9"})
    session.event("abort", {"reason": "user_initiated"})
    call = _only(read, session)
    assert (call.output, call.status, call.duration_ms) == (None, "unknown", None)


def test_a_permitted_call_took_as_long_as_it_ran_and_not_as_the_person_thought(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    session.tool_start("call-1", "bash", {"command": "make"})
    session.permission("call-1", "approved", seconds=100)
    session.wait(4)
    session.tool_complete("call-1", "built\n<exited with exit code 0>")
    call = _only(read, session)
    assert (call.status, call.duration_ms) == ("ok", 6000)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("denied-interactively-by-user", "denied"),
        ("denied-by-rules", "denied"),
        ("reject", "denied"),
        ("cancelled", "cancelled"),
    ],
)
@pytest.mark.parametrize("is_completed", [False, True])
def test_a_call_that_was_not_permitted_is_denied(
    read: Read, kind: str, status: str, *, is_completed: bool
) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    session.tool_start("call-1", "bash", {"command": "make"})
    session.permission("call-1", kind, seconds=3)
    if is_completed:
        session.tool_complete("call-1", "The user said no.", success=False)
    assert _only(read, session).status == status


def test_a_call_that_was_permitted_after_all_is_as_good_as_any(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    session.permission("call-1", "denied-interactively-by-user", seconds=3)
    session.permission("call-1", "approved", seconds=3)
    session.tool_complete("call-1", "built")
    assert _only(read, session).status == "ok"


def test_arguments_written_as_a_text_are_parsed(read: Read) -> None:
    session = _asked()
    session.call("call-1", "shell", json.dumps({"command": "ls"}), "")
    assert _only(read, session).input == {"command": "ls"}


@pytest.mark.parametrize("patch", ["*** Begin Patch", "{ not json"])
def test_arguments_that_are_a_text_stay_one(read: Read, patch: str) -> None:
    session = _asked()
    session.call("call-1", "apply_patch", patch, "")
    assert _only(read, session).input == patch


def test_a_tool_of_a_server_is_recognised_by_its_start(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "intercom-broadcast", {"text": "Hello"}))
    session.tool_start("call-1", "intercom-broadcast", {"text": "Hello"}, mcpServerName="intercom")
    session.tool_complete("call-1", "sent")
    assert _only(read, session).kind == "mcp"


def test_what_the_client_itself_wants_to_know_is_a_call_as_well(read: Read) -> None:
    session = _asked()
    session.call("call-1", "report_intent", {"intent": "Looking"}, "Intent logged")
    assert _only(read, session).kind == "other"


def test_a_start_before_its_request_is_the_same_call(read: Read) -> None:
    session = _asked()
    session.tool_start("call-1", "bash", {"command": "ls"})
    session.assistant("I look.", request("call-1", "bash", {"command": "ls"}))
    session.tool_complete("call-1", "a.txt")
    transcript = read(session)
    (message,) = transcript.messages(role="assistant")
    assert message.content == "I look."
    assert [call.output for call in message.tool_calls] == ["a.txt"]


def test_a_start_without_a_request_is_a_call(read: Read) -> None:
    session = _asked()
    session.assistant("I look.")
    session.tool_start("call-1", "bash", {"command": "ls"})
    session.tool_complete("call-1", "a.txt")
    session.assistant("Done.")
    first, last = read(session).messages(role="assistant")
    assert [(call.input, call.output) for call in first.tool_calls] == [
        ({"command": "ls"}, "a.txt")
    ]
    assert (last.content, last.tool_calls) == ("Done.", ())


def test_a_completion_that_names_its_tool_is_a_call(read: Read) -> None:
    session = _asked()
    session.tool_complete("call-1", "a.txt", toolName="bash")
    call = _only(read, session)
    assert (call.tool, call.output, call.status) == ("bash", "a.txt", "ok")


@pytest.mark.parametrize("is_started", [False, True])
def test_what_nobody_knows_the_tool_of_is_drift(read: Read, *, is_started: bool) -> None:
    session = _asked()
    if is_started:
        session.tool_start("call-1", "x", {}, toolName=None)
    session.tool_complete("call-1", "a.txt")
    transcript = read(session)
    assert transcript.tool_calls() == ()
    assert transcript.drift["tool result without a call"] == 1
    assert transcript.drift.get("tool call without a name", 0) == is_started


def test_a_result_that_names_no_call_is_drift(read: Read) -> None:
    session = _asked()
    session.tool_complete("", "a.txt", toolCallId=None, toolName="bash")
    transcript = read(session)
    assert transcript.tool_calls() == ()
    assert transcript.drift == {"tool result without a call": 1}


def test_a_second_answer_is_left_out(read: Read) -> None:
    session = _asked()
    session.call("call-1", "bash", {"command": "ls"}, "first")
    session.tool_complete("call-1", "second")
    transcript = read(session)
    assert [call.output for call in transcript.tool_calls()] == ["first"]
    assert transcript.left_out == {"repeated record": 1}


def test_results_come_in_any_order(read: Read) -> None:
    session = _asked()
    calls = [f"call-{number}" for number in range(40)]
    session.assistant("", *(request(call, "view", {"path": call}) for call in calls))
    for call in reversed(calls):
        session.tool_complete(call, f"of {call}")
    assert [call.output for call in read(session).tool_calls()] == [f"of {one}" for one in calls]


def test_a_late_result_is_the_result(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    for number in range(50):
        session.assistant(f"Still waiting {number}")
    session.tool_complete("call-1", "built")
    assert _only(read, session).output == "built"


def test_an_image_that_a_tool_returns_is_described(read: Read) -> None:
    session = _asked()
    image = {"type": "image", "data": "aW1hZ2U=", "mimeType": "image/png"}
    result = {"content": "An image", "binaryResultsForLlm": [image]}
    session.call("call-1", "view", {"path": "/a.png"}, result=result)
    (attachment,) = read(session).output[-1].attachments
    assert (attachment.kind, attachment.size, attachment.call_id) == ("image", 5, "call-1")


def test_arguments_nested_too_deep_are_dropped(read: Read) -> None:
    session = _asked()
    deep: Any = {}
    for _ in range(300):
        deep = {"below": deep}
    session.call("call-1", "bash", deep, "")
    transcript = read(session)
    assert transcript.tool_calls()[0].input is None
    assert transcript.drift == {"tool input nested too deep": 1}


def test_a_request_that_names_no_tool_is_drift(read: Read) -> None:
    session = _asked()
    session.assistant("", {"toolCallId": "call-1", "arguments": {}})
    transcript = read(session)
    assert transcript.tool_calls() == ()
    assert transcript.drift == {"tool call without a name": 1}


def test_arguments_of_a_start_that_are_no_good_text_are_lost_alone(
    read: Read, tmp_path: Path
) -> None:
    session = _asked()
    session.tool_start("call-1", "bash", {"command": "BYTE"})
    lines = [line.replace(b"BYTE", b"\xff") for line in session.lines()]
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join(lines))
    transcript = read(path)
    assert [(call.tool, call.input) for call in transcript.tool_calls()] == [("bash", None)]
    assert transcript.drift == {"unusable field 'data.arguments'": 1}


def test_an_image_of_a_late_result_is_left_out_and_counted(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "view", {"path": "/a.png"}))
    session.assistant("Still waiting")
    image = {"type": "image", "data": "aW1hZ2U=", "mimeType": "image/png"}
    session.tool_complete("call-1", result={"content": "", "binaryResultsForLlm": [image]})
    assert read(session).left_out == {"attachment of a late result": 1}


def test_a_result_that_is_a_mere_text_is_the_output(read: Read) -> None:
    session = _asked()
    session.call("call-1", "view", {"path": "/a"}, result="code")
    assert _only(read, session).output == "code"


def test_questions_that_nobody_answers_do_not_pile_up(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    for number in range(1200):
        session.event("permission.requested", {"requestId": f"open-{number}"})
    session.permission("call-1", "approved", seconds=50)
    session.tool_complete("call-1", "built")
    # From the request on: 1200 events a second apart, and two for the answer and the result.
    assert _only(read, session).duration_ms == 1_202_000


def test_a_response_does_not_grow_without_end(read: Read) -> None:
    session = _asked()
    for number in range(12):
        session.tool_start(f"call-{number}", "bash", {"command": "x" * 1_000_000})
    first, second = read(session).messages(role="assistant")
    assert (len(first.tool_calls), len(second.tool_calls)) == (9, 3)


def test_an_id_that_is_used_again_is_another_call(read: Read) -> None:
    session = _asked()
    session.call("call_0", "bash", {"command": "ls"}, "a\n<exited with exit code 0>")
    session.call("call_0", "bash", {"command": "make"}, "no\n<exited with exit code 2>")
    transcript = read(session)
    assert [(call.args["command"], call.exit_code) for call in transcript.tool_calls()] == [
        ("ls", 0),
        ("make", 2),
    ]
    assert transcript.left_out == {}


def test_a_call_that_is_requested_after_it_ended_counts_once(read: Read) -> None:
    session = _asked()
    session.tool_start("call_1", "bash", {"command": "ls"})
    session.tool_complete("call_1", "a")
    session.assistant("", request("call_1", "bash", {"command": "ls"}))
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert call.output == "a"
    assert transcript.left_out == {"repeated tool call": 1}


def test_a_call_that_is_requested_again_before_it_ends_counts_once(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call_1", "bash", {"command": "ls"}))
    session.assistant("", request("call_1", "bash", {"command": "ls"}))
    session.tool_complete("call_1", "a")
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert call.output == "a"
    assert transcript.left_out == {"repeated tool call": 1}


def test_a_question_before_a_call_begins_takes_nothing_from_its_duration(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    session.permission("call-1", "approved", seconds=100)
    session.tool_start("call-1", "bash", {"command": "make"})
    session.wait(4)
    session.tool_complete("call-1", "ok")
    assert _only(read, session).duration_ms == 5000


def test_a_question_that_a_call_begins_during_counts_from_then_on(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    session.event("permission.requested", {"requestId": "question-1"})
    session.wait(9)
    session.tool_start("call-1", "bash", {"command": "make"})
    session.wait(19)
    answer = {"requestId": "question-1", "toolCallId": "call-1", "result": {"kind": "approved"}}
    session.event("permission.completed", answer)
    session.tool_complete("call-1", "ok")
    assert _only(read, session).duration_ms == 1000


def test_an_answer_may_leave_it_to_its_question_which_call_it_is_about(read: Read) -> None:
    session = _asked()
    session.assistant("", request("call-1", "bash", {"command": "make"}))
    session.tool_start("call-1", "bash", {"command": "make"})
    asked = {"requestId": "question-1", "permissionRequest": {"toolCallId": "call-1"}}
    session.event("permission.requested", asked)
    session.wait(99)
    denied = {"kind": "denied-interactively-by-user"}
    session.event("permission.completed", {"requestId": "question-1", "result": denied})
    session.tool_complete("call-1", "no")
    call = _only(read, session)
    assert (call.status, call.duration_ms) == ("denied", 2000)
