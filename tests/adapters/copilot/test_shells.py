"""Shells that go on when their call returns, and what is told of their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from copilot_sessions import Session

if TYPE_CHECKING:
    from copilot_sessions import Read

    from pytest_agentv import ToolCall

SLOW = (
    "1 of 9 tests\n<command with shellId: 7 is still running after 30 seconds. The command is "
    "still running. Use read_bash to continue waiting for output, or stop_bash to stop it.>"
)
BEGUN = "<command started in background with shellId: 7>"


@pytest.fixture(params=[SLOW, BEGUN, BEGUN.replace("in background", "in detached background")])
def session(request: pytest.FixtureRequest) -> Session:
    """A session with a command that goes on."""
    session = Session()
    session.start()
    session.user("Go")
    session.call("call-1", "bash", {"command": "npm test"}, request.param)
    return session


def _first(read: Read, session: Session) -> ToolCall:
    return read(session).tool_calls()[0]


def test_a_shell_that_goes_on_is_no_success_yet(session: Session, read: Read) -> None:
    call = _first(read, session)
    assert (call.status, call.exit_code, call.duration_ms) == ("unknown", None, None)


@pytest.mark.parametrize("tool", ["read_bash", "write_bash", "read_powershell"])
@pytest.mark.parametrize(
    "end", ["<exited with exit code {}>", "<shellId: 7 completed with exit code {}>"]
)
@pytest.mark.parametrize(("code", "status"), [(0, "ok"), (2, "error")])
def test_reading_the_rest_tells_how_it_ended(  # noqa: PLR0917 (three tables)
    session: Session, read: Read, tool: str, end: str, code: int, status: str
) -> None:
    session.call("call-2", tool, {"shellId": "7", "delay": 60}, "rest\n" + end.format(code))
    call = _first(read, session)
    assert (call.status, call.exit_code) == (status, code)


def test_reading_while_it_goes_on_tells_nothing(session: Session, read: Read) -> None:
    session.call("call-2", "read_bash", {"shellId": "7", "delay": 60}, SLOW)
    assert [call.status for call in read(session).tool_calls()] == ["unknown", "ok"]


def test_a_shell_that_is_stopped_is_cancelled(session: Session, read: Read) -> None:
    session.call("call-2", "stop_bash", {"shellId": "7"}, "<command with id: 7 stopped>")
    assert _first(read, session).status == "cancelled"


def test_a_notification_tells_how_it_ended(session: Session, read: Read) -> None:
    kind = {"type": "shell_completed", "shellId": "7", "exitCode": 1}
    session.event("system.notification", {"content": "It ended.", "kind": kind})
    call = _first(read, session)
    assert (call.status, call.exit_code) == ("error", 1)


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "shell_completed",
        {"type": "shell_completed"},
        {"type": "shell_completed", "shellId": "8", "exitCode": 1},
        {"type": "agent_completed", "shellId": "7", "exitCode": 1},
    ],
)
def test_a_notification_of_something_else_tells_nothing(
    session: Session, read: Read, kind: Any
) -> None:
    session.event("system.notification", {"content": "It ended.", "kind": kind})
    assert _first(read, session).status == "unknown"


@pytest.mark.parametrize("arguments", [{"shellId": "8"}, {"shellId": 7}, {}, "7", None])
def test_another_shell_says_nothing_of_it(session: Session, read: Read, arguments: Any) -> None:
    session.call("call-2", "read_bash", arguments, "<exited with exit code 1>")
    assert _first(read, session).status == "unknown"


def test_the_shells_of_another_run_are_others(session: Session, read: Read) -> None:
    session.resume()
    session.call("call-2", "read_bash", {"shellId": "7"}, "<exited with exit code 1>")
    assert _first(read, session).status == "unknown"


def test_what_a_command_prints_does_not_make_it_go_on(read: Read) -> None:
    session = Session()
    session.start()
    session.user("Go")
    session.call("call-1", "bash", {"command": "cat log"}, f"{BEGUN}\nsaid the log")
    session.call("call-2", "view", {"path": "log"}, BEGUN)
    assert [call.status for call in read(session).tool_calls()] == ["ok", "ok"]
