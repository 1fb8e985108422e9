"""Tool calls: their arguments, what answers them, and what ends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from codex_sessions import Session, goes_on, ran, said, tokens

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


def test_a_process_that_goes_on_is_ended_by_a_later_call(session: Session, read: Read) -> None:
    session.run("call_1", "npm test", goes_on("1 of 9", 7))
    session.function("call_2", "write_stdin", {"session_id": 7, "chars": ""})
    session.output("call_2", goes_on("5 of 9", 7))
    session.function("call_3", "write_stdin", {"session_id": 7, "chars": ""})
    session.output("call_3", ran("9 of 9", 1))
    started, asked, ended = read(session).tool_calls()
    assert (started.output, started.status, started.exit_code) == ("1 of 9", "error", 1)
    assert started.duration_ms is None
    assert (asked.output, asked.status, asked.exit_code) == ("5 of 9", "ok", None)
    assert (ended.output, ended.status, ended.exit_code) == ("9 of 9", "error", 1)


def test_a_process_goes_on_when_asking_for_it_was_aborted(session: Session, read: Read) -> None:
    session.run("call_1", "npm test", goes_on("1 of 9", 7))
    session.function("call_2", "write_stdin", {"session_id": 7, "chars": ""})
    session.output("call_2", "aborted by user after 3.0s")
    started, asked = read(session).tool_calls()
    assert (started.status, asked.status) == ("unknown", "cancelled")


def test_a_script_that_goes_on_is_ended_by_waiting_for_it(session: Session, read: Read) -> None:
    session.custom("call_1", "exec", "x()")
    session.custom_output(
        "call_1", "Script running with cell ID 3\nWall time 10.0 seconds\nOutput:\n"
    )
    session.function("call_2", "wait", {"cell_id": "3"})
    session.output("call_2", "Script failed\nWall time 2.0 seconds\nOutput:\nno")
    started, waited = read(session).tool_calls()
    assert (started.status, waited.status, waited.output) == ("error", "error", "no")


@pytest.mark.parametrize("first", ["end", "output"])
def test_an_exit_code_stands_whatever_an_end_says(session: Session, read: Read, first: str) -> None:
    session.custom("call_1", "apply_patch", "x")
    if first == "output":
        session.custom_output("call_1", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno")
    session.event("patch_apply_end", call_id="call_1", success=True)
    if first == "end":
        session.custom_output("call_1", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno")
    assert only_call(session, read).status == "error"


def test_a_process_whose_end_is_not_told_is_unknown(session: Session, read: Read) -> None:
    session.run("call_1", "npm test", goes_on("1 of 9"))
    call = only_call(session, read)
    assert (call.output, call.status, call.duration_ms) == ("1 of 9", "unknown", None)


def test_a_call_without_an_output_is_kept_as_unknown(session: Session, read: Read) -> None:
    session.function("call_1", "exec_command", {"cmd": "ls"})
    session.event("turn_aborted", reason="interrupted")
    call = only_call(session, read)
    assert (call.output, call.status) == (None, "unknown")


def test_an_output_without_a_call_is_drift(session: Session, read: Read) -> None:
    session.output("call_9", "x")
    assert read(session).drift == {"tool result without a call": 1}


def test_an_output_after_the_answer_belongs_to_its_call(session: Session, read: Read) -> None:
    session.function("call_1", "exec_command", {"cmd": "sleep 9"})
    for number in range(40):
        session.ask(f"Prompt {number}")
        session.answer("x" * 10)
    session.output("call_1", ran("late"))
    assert only_call(session, read).output == "late"


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ('{"cmd": "ls"}', {"cmd": "ls"}),
        ("ls -la", "ls -la"),
        ("[1]", "[1]"),
        ('{"cmd": ', '{"cmd": '),
        ("", ""),
    ],
)
def test_arguments_that_are_no_object_stay_the_text_they_are(
    session: Session, read: Read, written: str, given: Any
) -> None:
    session.function("call_1", "exec_command", written)
    assert only_call(session, read).input == given


def test_a_patch_is_the_input_of_its_call(session: Session, read: Read) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    session.custom("call_1", "apply_patch", patch)
    session.event(
        "patch_apply_end", call_id="call_1", stdout="Success.", success=True, status="completed"
    )
    session.custom_output("call_1", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.")
    call = only_call(session, read)
    assert (call.input, call.kind, call.status) == (patch, "edit", "ok")


@pytest.mark.parametrize("first", ["end", "output"])
@pytest.mark.parametrize(
    ("end", "status", "exit_code", "duration_ms"),
    [
        (
            {"type": "exec_command_end", "exit_code": 3, "status": "failed",
             "duration": {"secs": 1, "nanos": 5_000_000}},
            "error", 3, 1005,
        ),
        ({"type": "exec_command_end", "exit_code": -1, "status": "declined"}, "denied", None, 200),
        ({"type": "patch_apply_end", "success": False}, "error", None, 200),
        (
            {"type": "mcp_tool_call_end", "result": {"Ok": {"content": [], "isError": True}}},
            "error", None, 200,
        ),
        ({"type": "mcp_tool_call_end", "result": {"Err": "no"}}, "error", None, 200),
        (
            {"type": "mcp_tool_call_end", "result": {"Ok": {"content": []}},
             "duration": {"secs": 0, "nanos": 40_000_000}},
            "ok", None, 40,
        ),
    ],
)  # fmt: skip
def test_an_end_says_more_exactly_what_happened(  # noqa: PLR0917 (one row of the table each)
    session: Session,
    read: Read,
    first: str,
    end: dict[str, Any],
    status: str,
    exit_code: int | None,
    duration_ms: int,
) -> None:
    session.function("call_1", "tool", {})
    if first == "output":
        session.wait(0.1)
        session.output("call_1", "text")
    session.record("event_msg", call_id="call_1", **end)
    if first == "end":
        session.output("call_1", "text")
    call = only_call(session, read)
    assert (call.output, call.status, call.exit_code) == ("text", status, exit_code)
    assert call.duration_ms == duration_ms


def test_without_an_output_an_end_tells_the_exit_code_alone(session: Session, read: Read) -> None:
    session.function("call_1", "exec_command", {"cmd": "ls"})
    session.event("exec_command_end", call_id="call_1", exit_code=2, status="failed")
    call = only_call(session, read)
    assert (call.output, call.status, call.exit_code) == (None, "unknown", 2)


def test_a_completed_item_is_an_end_as_well(session: Session, read: Read) -> None:
    session.run("call_1", "ls", "text")
    item = {"type": "CommandExecution", "id": "call_1", "exit_code": 2, "status": "failed"}
    session.event("item_completed", item=item)
    call = only_call(session, read)
    assert (call.status, call.exit_code) == ("error", 2)


def test_an_end_without_its_call_is_left_out(session: Session, read: Read) -> None:
    session.event("exec_command_end", call_id="user_1", exit_code=0, source="user_shell")
    assert read(session).left_out == {"exec_command_end without its call": 1}


@pytest.mark.parametrize("order", ["end first", "end last", "no end"])
def test_a_search_of_the_web_is_a_call_with_what_it_found(
    session: Session, read: Read, order: str
) -> None:
    action = {"type": "search", "query": "shops"}
    found = [{"title": "Shops", "url": "https://shops.example", "snippet": "All."}]
    end = {"call_id": "ws_1", "query": "shops", "action": action, "results": found}
    if order == "end first":
        session.event("web_search_end", **end)
    session.item("web_search_call", status="completed", action=action)
    if order == "end last":
        session.event("web_search_end", **end)
    call = only_call(session, read)
    assert (call.tool, call.kind) == ("web_search_call", "web_search")
    found_text = "Shops\nhttps://shops.example\nAll."
    expected = (None, "unknown") if order == "no end" else (found_text, "ok")
    assert (call.output, call.status) == expected


def test_a_search_for_tools_found_their_names(session: Session, read: Read) -> None:
    session.item(
        "tool_search_call", call_id="call_1", arguments={"query": "pr"}, status="completed"
    )
    group = {"name": "github", "tools": [{"name": "fetch_pr", "parameters": {}}]}
    session.item("tool_search_output", call_id="call_1", tools=[group])
    call = only_call(session, read)
    assert (call.input, call.output) == ({"query": "pr"}, "github\nfetch_pr")


def test_a_shell_call_of_the_first_api_is_a_command(session: Session, read: Read) -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "ls"]}
    session.item("local_shell_call", call_id="call_1", status="completed", action=action)
    session.output("call_1", "a.py")
    call = only_call(session, read)
    assert (call.tool, call.kind, call.output) == ("local_shell_call", "shell", "a.py")


def test_a_call_that_comes_again_counts_once(session: Session, read: Read) -> None:
    session.run("call_1", "ls", ran("a"))
    session.run("call_1", "ls", ran("b"))
    transcript = read(session)
    assert [call.output for call in transcript.tool_calls()] == ["b"]
    assert transcript.left_out == {"repeated tool call": 1, "earlier output of a tool call": 1}


def test_an_id_that_is_used_again_is_another_call(session: Session, read: Read) -> None:
    session.run("call_0", "ls", ran("a"))
    session.used(tokens(10, 1))
    session.run("call_0", "make", ran("no", 2))
    transcript = read(session)
    assert [
        (call.args["command"], call.output, call.exit_code) for call in transcript.tool_calls()
    ] == [("ls", "a", 0), ("make", "no", 2)]
    assert transcript.left_out == {}


def test_an_id_that_is_used_again_after_its_turn_was_taken_back_is_another_call(
    session: Session, read: Read
) -> None:
    session.run("call_0", "ls", ran("a"))
    session.event("thread_rolled_back", num_turns=1)
    session.ask("Add a cart again")
    session.run("call_0", "ls", ran("b"))
    assert only_call(session, read).output == "b"


def test_an_id_that_is_used_again_is_forgotten_with_its_turn(session: Session, read: Read) -> None:
    session.run("call_0", "ls", ran("a"))
    session.run("call_1", "ls", ran("b"))
    session.ask("Wrong")
    session.run("call_0", "make", ran("c"))
    session.event("thread_rolled_back", num_turns=1)
    session.event("exec_command_end", call_id="call_0", exit_code=3, status="failed")
    transcript = read(session)
    assert [call.exit_code for call in transcript.tool_calls()] == [0, 0]
    assert transcript.left_out["exec_command_end without its call"] == 1


def test_an_id_that_is_used_again_for_a_call_nobody_answered_is_another_call(
    session: Session, read: Read
) -> None:
    session.function("call_0", "exec_command", {"cmd": "ls"})
    session.event("turn_aborted", reason="interrupted")
    session.run("call_0", "make", ran("no", 2))
    outputs = [(call.output, call.status) for call in read(session).tool_calls()]
    assert outputs == [(None, "unknown"), ("no", "error")]


def test_a_search_that_is_told_again_counts_once(session: Session, read: Read) -> None:
    session.item("web_search_call", id="ws_1", status="in_progress")
    session.item("web_search_call", id="ws_1", status="completed", action={"type": "search"})
    assert only_call(session, read).id == "ws_1"


def test_what_a_script_told_before_it_ended_gives_way_to_its_output(
    session: Session, read: Read
) -> None:
    session.custom("call_1", "exec", "notify('half')")
    session.custom_output("call_1", "half")
    session.custom_output("call_1", "Script completed\nWall time 1.0 seconds\nOutput:\nall")
    assert only_call(session, read).output == "all"


@pytest.mark.parametrize(
    ("first", "output", "status"),
    [
        ("Script completed\nWall time 1.0 seconds\nOutput:\nall", "all", "unknown"),
        ("Script failed\nWall time 1.0 seconds\nOutput:\nno", "no", "error"),
        (
            "Script running with cell ID 7\nWall time 10 seconds\nOutput:\nso far",
            "so far",
            "unknown",
        ),
    ],
)
def test_what_a_script_tells_besides_is_not_its_end(
    session: Session, read: Read, first: str, output: str, status: str
) -> None:
    session.custom("call_1", "exec", "notify('half'); await tools.exec_command({cmd: 'make'})")
    session.custom_output("call_1", first)
    session.item("custom_tool_call_output", call_id="call_1", name="exec", output="half")
    transcript = read(session)
    (call,) = transcript.tool_calls()
    assert (call.output, call.status) == (output, status)
    assert transcript.left_out == {"notice of a script": 1}


def test_an_output_with_a_name_is_better_than_none(session: Session, read: Read) -> None:
    session.custom("call_1", "exec", "x()")
    session.item("custom_tool_call_output", call_id="call_1", name="exec", output="all")
    assert only_call(session, read).output == "all"


@pytest.mark.parametrize(
    ("code", "end", "status"),
    [
        ("await tools.exec_command({cmd: 'make'})", "completed", "unknown"),
        ("await tools.exec_command({cmd: 'make'})", "failed", "error"),
        ("await tools.exec_command({cmd: 'make'})", "terminated", "cancelled"),
        ("await tools.read_file({path: 'a'})", "completed", "ok"),
    ],
)
def test_that_a_script_ended_says_nothing_of_its_commands(
    session: Session, read: Read, code: str, end: str, status: str
) -> None:
    session.custom("call_1", "exec", code)
    session.custom_output("call_1", f"Script {end}\nWall time 1.0 seconds\nOutput:\nall")
    assert only_call(session, read).status == status


def test_a_script_that_went_on_and_ended_says_nothing_of_its_commands(
    session: Session, read: Read
) -> None:
    session.custom("call_1", "exec", "await tools.exec_command({cmd: 'make'})")
    session.custom_output("call_1", "Script running with cell ID 7\nWall time 1 seconds\nOutput:\n")
    session.function("call_2", "wait", '{"cell_id": "7"}')
    session.output("call_2", "Script completed\nWall time 1.0 seconds\nOutput:\nall")
    started, wait = read(session).tool_calls()
    assert (started.status, wait.status) == ("unknown", "ok")


def test_arguments_nested_too_deep_are_lost_alone(session: Session, read: Read) -> None:
    session.function("call_1", "exec_command", '{"a":' * 300 + "1" + "}" * 300)
    session.output("call_1", ran("x"))
    transcript = read(session)
    assert transcript.tool_calls()[0].input is None
    assert transcript.drift == {"tool input nested too deep": 1}


def test_a_call_without_a_name_is_kept(session: Session, read: Read) -> None:
    session.item("function_call", arguments="{}", call_id="call_1")
    transcript = read(session)
    assert transcript.tool_calls()[0].tool == "unknown"
    assert transcript.drift == {"tool call without a name": 1}
    assert said(transcript)[-1] == ("assistant", "")
