"""Outputs of calls: what is the tool's, and what the client says of how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from codex_sessions import Session, ran

if TYPE_CHECKING:
    from codex_sessions import Read

    from pytest_agentv import ToolCall


@pytest.fixture
def session() -> Session:
    session = Session()
    session.ask("Add a cart")
    return session


def only_call(session: Session, read: Read) -> ToolCall:
    (call,) = read(session).tool_calls()
    return call


@pytest.mark.parametrize(
    ("header", "status", "exit_code", "duration_ms"),
    [
        (ran(""), "ok", 0, 500),
        (ran("", 2, "1.25"), "error", 2, 1250),
        ("Exit code: 0\nWall time: 1.1 seconds\nOutput:\n", "ok", 0, 1100),
        ("Exit code: 1\nWall time: 2 seconds\nTotal output lines: 9\nOutput:\n", "error", 1, 2000),
        ("Exit code: 124\nWall time: 1 seconds\nOutput:\n", "error", 124, 1000),
        ("Wall time: 4.5 seconds\nOutput:\n", "ok", None, 4500),
        ("Wall time: 1.2.3 seconds\nOutput:\n", "ok", None, 100),
    ],
)
def test_the_header_of_an_output_is_no_part_of_it(  # noqa: PLR0917 (one row of the table each)
    session: Session,
    read: Read,
    header: str,
    status: str,
    exit_code: int | None,
    duration_ms: int,
) -> None:
    session.run("call_1", "ls", f"{header}a.py\nExit code: 9\n")
    call = only_call(session, read)
    assert call.output == "a.py\nExit code: 9\n"
    assert (call.status, call.exit_code, call.duration_ms) == (status, exit_code, duration_ms)


@pytest.mark.parametrize(
    ("metadata", "status", "exit_code", "duration_ms"),
    [
        ('{"exit_code":0,"duration_seconds":0.3}', "ok", 0, 300),
        ('{"exit_code":127}', "error", 127, 100),
    ],
)
def test_old_versions_wrap_an_output_in_json(  # noqa: PLR0917 (one row of the table each)
    session: Session,
    read: Read,
    metadata: str,
    status: str,
    exit_code: int | None,
    duration_ms: int,
) -> None:
    session.run("call_1", "ls", f'{{"output":"a\\n","metadata":{metadata}}}')
    call = only_call(session, read)
    assert (call.output, call.status) == ("a\n", status)
    assert (call.exit_code, call.duration_ms) == (exit_code, duration_ms)


def test_a_command_that_the_client_stopped_timed_out(session: Session, read: Read) -> None:
    stopped = "command timed out after 10000 milliseconds\n"
    session.run("call_1", "x", f"Exit code: 124\nWall time: 10 seconds\nOutput:\n{stopped}")
    call = only_call(session, read)
    assert (call.output, call.status, call.exit_code) == (stopped, "timeout", 124)


@pytest.mark.parametrize(
    ("phrase", "status", "exit_code", "duration_ms"),
    [
        ("Plan updated", "ok", None, 100),
        ("aborted by user after 29.7s", "cancelled", None, 29_700),
        ("Wall time: 6.4 seconds\naborted by user", "cancelled", None, 6400),
        ("aborted", "cancelled", None, 100),
        ("exec command rejected by user", "denied", None, 100),
        ("patch rejected by user", "denied", None, 100),
        ("failed in sandbox X with execution error: exit code: 1, stdout: ", "error", 1, 100),
        ("execution error: Io(Os)", "error", None, 100),
        ("unsupported call: foo", "error", None, 100),
        ('exec_command failed for `rm`: "Rejected(\\"no\\")"', "denied", None, 100),
        ("tool call error: x\n\n    timed out awaiting tools/call", "timeout", None, 100),
        ('err: "tool call error: no such page"', "error", None, 100),
        ('err: "user rejected MCP tool call"', "denied", None, 100),
        ('err: "user cancelled MCP tool call"', "cancelled", None, 100),
        ("err: expected value at line 1 column 1", "error", None, 100),
        ("request_user_input was cancelled before receiving a response", "cancelled", None, 100),
        ("collab spawn failed: no such role", "error", None, 100),
    ],
)
def test_the_clients_own_phrases_tell_how_a_call_ended(  # noqa: PLR0917 (one row of the table each)
    session: Session,
    read: Read,
    phrase: str,
    status: str,
    exit_code: int | None,
    duration_ms: int,
) -> None:
    session.run("call_1", "ls", phrase)
    call = only_call(session, read)
    assert call.output == phrase
    assert (call.status, call.exit_code, call.duration_ms) == (status, exit_code, duration_ms)


@pytest.mark.parametrize(
    "text",
    [
        "The log says:\nExit code: 1\nWall time: 1 seconds\nOutput:\n",
        "Output:\nExit code: 1",
        "I was not aborted by user",
        '{"output":"x","metadata":"none"}',
        '{"metadata"',
        '{"content":[{"type":"text","text":"\\"isError\\":true"}],"isError":false}',
        '{"content":[{"type":"text","text":"x"}]}',
        '{"content":[1,2],"isError":tru',
    ],
)
def test_what_a_tool_quotes_is_not_taken_for_its_end(
    session: Session, read: Read, text: str
) -> None:
    session.run("call_1", "cat log", text)
    call = only_call(session, read)
    assert (call.output, call.status, call.exit_code) == (text, "ok", None)


def test_why_a_server_gave_no_answer_may_stand_behind_a_header(
    session: Session, read: Read
) -> None:
    session.function("call_1", "mcp__wiki__read", {"page": "Home"})
    session.output("call_1", "Wall time: 0.5 seconds\nOutput:\nerr: no such tool")
    call = only_call(session, read)
    assert (call.output, call.status, call.duration_ms) == ("err: no such tool", "error", 500)


@pytest.mark.parametrize("rest", ["", ',"structuredContent":{"metadata":{}}'])
def test_old_versions_write_all_of_a_servers_answer(
    session: Session, read: Read, rest: str
) -> None:
    answer = '{"content":[{"type":"text","text":"No such page"}],"isError":true' + rest + "}"
    session.function("call_1", "wiki__read", {"page": "Home"})
    session.output("call_1", answer)
    call = only_call(session, read)
    assert (call.output, call.status) == (answer, "error")


def test_the_tools_own_clock_is_told_from_the_time_between_records(
    session: Session, read: Read
) -> None:
    session.run("call_1", "ls", ran(""))
    session.run("call_2", "ls", "Plan updated")
    assert [call.duration_source for call in read(session).tool_calls()] == ["tool", "timestamps"]


def test_an_output_in_parts_is_joined_and_its_images_are_described(
    session: Session, read: Read
) -> None:
    session.custom("call_1", "exec", "tools.exec_command({cmd: 'ls'})")
    session.custom_output(
        "call_1",
        [
            {"type": "input_text", "text": "Script completed\nWall time 0.3 seconds\nOutput:\n"},
            {"type": "input_text", "text": "a.py"},
            {"type": "input_image", "image_url": "data:image/png;base64,aW1hZ2U="},
            {"type": "input_text", "text": "b.py"},
        ],
    )
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert (call.output, call.status, call.duration_ms) == ("a.py\nb.py", "unknown", 300)
    (image,) = transcript.output[-1].attachments
    assert (image.kind, image.media_type, image.call_id) == ("image", "image/png", "call_1")


@pytest.mark.parametrize(("word", "status"), [("failed", "error"), ("terminated", "cancelled")])
def test_a_script_tells_how_it_ended(session: Session, read: Read, word: str, status: str) -> None:
    session.custom("call_1", "exec", "x()")
    session.custom_output("call_1", f"Script {word}\nWall time 0.3 seconds\nOutput:\nx")
    assert only_call(session, read).status == status


def test_an_output_that_is_one_part_is_its_text(session: Session, read: Read) -> None:
    session.run("call_1", "ls", {"type": "input_text", "text": "a.py"})
    assert only_call(session, read).output == "a.py"
