"""What became of a tool call: its answer, status, exit code and duration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from claude_sessions import Session, image, said, text, tool_use

from pytest_agentv import Attachment

if TYPE_CHECKING:
    from claude_sessions import Read


def test_a_result_that_stands_before_its_call_still_answers_it(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("I list the files."))
    session.tool_result("toolu_1", "a.py")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "ls"}))
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert (call.output, call.status) == ("a.py", "ok")
    assert call.duration_ms is None
    assert call.duration_source is None
    assert transcript.drift == {}


def test_several_results_in_one_record_answer_their_calls(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Read", {}), tool_use("toolu_2", "Read", {}))
    second = {"tool_use_id": "toolu_2", "type": "tool_result", "content": "B"}
    session.tool_result("toolu_1", "A", beside=[second])
    assert [call.output for call in read(session).tool_calls()] == ["A", "B"]


def test_an_unanswered_call_stays_with_an_unknown_outcome(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "ls"}))
    (call,) = read(session).tool_calls()
    assert (call.output, call.status, call.exit_code) == (None, "unknown", None)
    assert (call.duration_ms, call.duration_source) == (None, None)


def test_a_result_whose_call_is_nowhere_is_drift(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.tool_result("toolu_9", "from nowhere")
    session.response("msg_1", text("Done."))
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.drift == {"tool result without a call": 1}


def test_every_result_that_names_no_call_is_drift(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    for answer in ("one", "two"):
        session.tool_result("toolu_9", answer)
        del session.record()["message"]["content"][0]["tool_use_id"]
    session.response("msg_1", text("Done."))
    assert read(session).drift == {"tool result without a call": 2}


def test_a_repeated_result_counts_once_and_is_no_drift(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", {"command": "ls"}, "first")
    session.tool_result("toolu_1", "second")
    transcript = read(session)
    assert [call.output for call in transcript.tool_calls()] == ["first"]
    assert transcript.drift == {}


def test_calls_without_an_id_are_all_kept(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Both."))
    session.record()["message"]["content"] = [
        {"type": "tool_use", "name": "Bash", "input": {"command": "make"}},
        {"type": "tool_use", "name": "Bash", "input": {"command": "make test"}},
    ]
    assert [call.command for call in read(session).tool_calls()] == ["make", "make test"]


def test_a_call_keeps_its_native_input_and_gets_canonical_arguments(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    arguments = {"file_path": "/src/a.py", "old_string": "x", "new_string": "y"}
    session.call("toolu_1", "Edit", arguments, "ok")
    (call,) = read(session).tool_calls()
    assert (call.tool, call.kind) == ("Edit", "edit")
    assert call.input == arguments
    assert call.args == {"path": "/src/a.py", "content": "y"}


@pytest.mark.parametrize(
    "name", ['Task" >\n<parameter name="description', "", "Bash\x1b[31m", "名前"]
)
def test_a_garbage_tool_name_is_kept_as_another_tool(read: Read, name: str) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", name, {"anything": 1}, "ok")
    (call,) = read(session).tool_calls()
    assert (call.tool, call.kind, call.input, call.args) == (name, "other", {"anything": 1}, {})


@pytest.mark.parametrize("arguments", [None, "text", 7, ["a"], {}])
def test_an_input_that_is_no_object_is_kept_as_it_is(read: Read, arguments: Any) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", arguments, "ok")
    (call,) = read(session).tool_calls()
    assert (call.input, call.args) == (arguments, {})


def test_an_input_nested_too_deep_is_dropped_and_counted(read: Read) -> None:
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", {"command": "ls", "extra": deep}, "ok")
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert (call.tool, call.input, call.output) == ("Bash", None, "ok")
    assert transcript.drift == {"tool input nested too deep": 1}


STATUSES = [
    pytest.param("fine", None, {"stdout": "fine"}, ("ok", None), id="no-flag"),
    pytest.param("fine", False, {"stdout": "fine"}, ("ok", None), id="flag-false"),
    pytest.param("", False, None, ("ok", None), id="empty-answer"),
    pytest.param("cut", None, {"interrupted": True}, ("cancelled", None), id="interrupted"),
    pytest.param("Exit code 2\nno", True, "Error: Exit code 2\nno", ("error", 2), id="exit-code"),
    pytest.param("Error: Exit code 127", True, None, ("error", 127), id="exit-code-after-error"),
    pytest.param("Exit code 1 is what I expect", None, None, ("ok", None), id="exit-code-as-text"),
    pytest.param(
        "<tool_use_error>File does not exist.</tool_use_error>",
        True,
        "Error: File does not exist.",
        ("error", None),
        id="tool-use-error",
    ),
    pytest.param(
        "Exit code 143\nCommand timed out after 2m 0.0s",
        True,
        "Error: Exit code 143\nCommand timed out after 2m 0.0s",
        ("timeout", 143),
        id="timeout",
    ),
    pytest.param(
        "Command timed out after 30s", True, None, ("timeout", None), id="timeout-without-code"
    ),
    pytest.param(
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        True,
        "User rejected tool use",
        ("denied", None),
        id="denied-by-the-user",
    ),
    pytest.param(
        "Claude requested permissions to write to /etc/x, but you haven't granted it yet.",
        True,
        None,
        ("denied", None),
        id="denied-not-granted",
    ),
    pytest.param(
        "Permission to use Bash with command rm has been denied.",
        True,
        None,
        ("denied", None),
        id="denied-by-rule",
    ),
    pytest.param(
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        True,
        "Sibling tool call errored",
        ("cancelled", None),
        id="sibling",
    ),
    pytest.param(
        "Cancelled: parallel tool call Bash(make) errored",
        True,
        None,
        ("cancelled", None),
        id="parallel-call-errored",
    ),
    pytest.param(
        "[Request interrupted by user for tool use]",
        True,
        None,
        ("cancelled", None),
        id="interrupted-by-the-user",
    ),
    pytest.param(
        "The page says at some length what happened then: User rejected tool use",
        True,
        None,
        ("error", None),
        id="phrase-inside-the-text",
    ),
    pytest.param("User rejected tool use", None, None, ("ok", None), id="phrase-without-the-flag"),
]


@pytest.mark.parametrize(("output", "is_error", "noted", "expected"), STATUSES)
def test_the_status_of_an_answer(
    read: Read,
    output: str,
    is_error: bool | None,  # noqa: FBT001
    noted: Any,
    expected: tuple[str, int | None],
) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", {"command": "x"}, output, is_error=is_error, noted=noted)
    (call,) = read(session).tool_calls()
    assert (call.status, call.exit_code) == expected
    assert call.output == output


@pytest.mark.parametrize(
    ("output", "noted"),
    [
        ("Command running in background with ID: b1", None),
        ("Command was manually backgrounded by user with ID: b1", None),
        ("", {"stdout": "", "backgroundTaskId": "b1"}),
    ],
)
def test_of_a_command_in_the_background_nobody_knows_how_it_ended(
    read: Read, output: str, noted: Any
) -> None:
    session = Session()
    session.prompt("Go")
    arguments = {"command": "npm start", "run_in_background": True}
    session.call("toolu_1", "Bash", arguments, output, noted=noted)
    session.call("toolu_2", "Read", {"file_path": "a"}, output)
    started, other = read(session).tool_calls()
    assert (started.status, started.duration_ms, started.duration_source) == ("unknown", None, None)
    assert other.status == "ok"


@pytest.mark.parametrize("kind", ["user-rejected", "permission-rule", "automode-unavailable"])
def test_a_noted_denial_is_a_denial_whatever_the_text_says(read: Read, kind: str) -> None:
    session = Session(version="2.1.170")
    session.prompt("Go")
    session.call("toolu_1", "Bash", {}, "No.", is_error=True, toolDenialKind=kind)
    (call,) = read(session).tool_calls()
    assert call.status == "denied"


@pytest.mark.parametrize(
    ("noted", "duration"),
    [
        ({"durationMs": 45}, 45),
        ({"totalDurationMs": 90_000}, 90_000),
        ({"durationSeconds": 1.25}, 1250),
        ({"durationMs": 0}, 0),
    ],
)
def test_the_tools_own_clock_tells_the_duration(
    read: Read, noted: dict[str, Any], duration: int
) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Glob", {"pattern": "*"}, "a", noted=noted)
    (call,) = read(session).tool_calls()
    assert (call.duration_ms, call.duration_source) == (duration, "tool")


@pytest.mark.parametrize("noted", [None, "Error: x", {"durationMs": -5}, {"durationMs": "9"}, []])
def test_without_such_a_clock_the_timestamps_tell_it(read: Read, noted: Any) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "make"}))
    session.wait(1.5)
    session.tool_result("toolu_1", "made", noted=noted)
    (call,) = read(session).tool_calls()
    assert (call.duration_ms, call.duration_source) == (2500, "timestamps")


def test_a_result_older_than_its_call_has_no_duration(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "make"}))
    session.wait(-10)
    session.tool_result("toolu_1", "made")
    (call,) = read(session).tool_calls()
    assert (call.output, call.duration_ms, call.duration_source) == ("made", None, None)


def test_an_absurd_duration_never_breaks_the_transcript(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Glob", {"pattern": "*"}, "a", noted={"durationMs": 1e300})
    (call,) = read(session).tool_calls()
    assert (call.duration_ms, call.duration_source) == (1000, "timestamps")


@pytest.mark.parametrize(
    ("content", "output"),
    [
        ("plain", "plain"),
        ([text("one"), text("two")], "one\ntwo"),
        ([{"type": "tool_reference", "tool_name": "WebFetch"}], "WebFetch"),
        ([], ""),
        (None, ""),
    ],
)
def test_the_text_of_an_answer(read: Read, content: Any, output: str) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "ToolSearch", {"query": "web"}, content)
    (call,) = read(session).tool_calls()
    assert (call.output, call.status) == (output, "ok")


def test_an_image_in_an_answer_is_described_and_its_bytes_are_not_kept(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    picture = image("aW1hZ2UgYnl0ZXM=", "image/jpeg")
    session.call("toolu_1", "Read", {"file_path": "/a.jpg"}, [picture, text("a.jpg")])
    response = read(session).output[1]
    assert response.tool_calls[0].output == "a.jpg"
    assert response.attachments == (
        Attachment(kind="image", media_type="image/jpeg", size=11, call_id="toolu_1"),
    )


def test_notes_of_a_tool_that_are_a_list_are_no_drift(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    blocks = [text("found")]
    session.call("toolu_1", "mcp__docs__search", {"query": "x"}, blocks, noted=blocks)
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert (call.kind, call.output, call.args) == ("mcp", "found", {"query": "x"})
    assert transcript.drift == {}


def test_an_unusable_note_of_a_tool_loses_that_note_alone(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    noted = {"durationMs": 12, "interrupted": "perhaps", "agentId": 5}
    session.call("toolu_1", "Bash", {"command": "ls"}, "a", noted=noted)
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert (call.output, call.status, call.duration_ms) == ("a", "ok", 12)
    assert transcript.drift == {
        "unusable field 'toolUseResult.agentId'": 1,
        "unusable field 'toolUseResult.interrupted'": 1,
    }
