"""Codex's own traps, sprung on purpose: counters, rollbacks, processes, forks, ids that lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from codex_sessions import SESSION_ID, Session, goes_on, ran, tokens
from hostile_codex import asked, calls_of, imported, read
from hostile_sessions import kept, lines
from hostile_vendors import CODEX

if TYPE_CHECKING:
    from pathlib import Path


# Beyond 64 bits, beyond what a double holds exactly, or no whole number at all.
NO_COUNTS = [2**70, 2**63, 2**53 + 1, -1, 1.5, "5", True, [], {}]


@pytest.mark.parametrize("figure", ["input_tokens", "output_tokens"])
@pytest.mark.parametrize("value", NO_COUNTS, ids=str)
def test_a_total_that_is_no_count_is_unknown_never_zero(figure: str, value: Any) -> None:
    session = asked()
    session.answer("Done.")
    session.count({**tokens(1000, 50), figure: value}, tokens(1000, 50))
    usage = read(session).token_usage
    assert usage is not None
    known = (None, 50) if figure == "input_tokens" else (1000, None)
    assert (usage.input, usage.output) == known


@pytest.mark.parametrize("figure", ["input_tokens", "output_tokens", "cached_input_tokens"])
@pytest.mark.parametrize("value", NO_COUNTS, ids=str)
def test_a_total_that_is_no_count_does_not_make_the_next_one_count_twice(
    figure: str, value: Any
) -> None:
    session = asked()
    totals = [tokens(1000, 50, cached=10), tokens(1500, 70, cached=20), tokens(2000, 90, cached=30)]
    totals[1] |= {figure: value}
    for number, total in enumerate(totals):
        session.answer(f"Answer {number}")
        session.count(total, tokens(500, 20, cached=10))
    usage = read(session).token_usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cached) == (2000, 90, 30)


def test_enormous_totals_that_start_over_add_up_to_something_that_can_be_read_again() -> None:
    session = asked()
    for number in range(6000):
        session.count(tokens(2**53 if number % 2 else 1, 2**53 if number % 2 else 1))
    session.answer("Done.")
    usage = read(session).token_usage
    assert usage is not None
    assert usage.output is not None
    assert usage.output >= 3000 * 2**53


@pytest.mark.parametrize("turns", [10**9, 2**53, 3])
def test_more_turns_taken_back_than_there_are_leave_what_stands_before_them(turns: int) -> None:
    session = Session()
    session.user("<environment_context>\n</environment_context>")
    session.ask("First")
    session.answer("One")
    session.ask("Second")
    session.event("thread_rolled_back", num_turns=turns)
    session.ask("Third")
    transcript = read(session)
    assert [message.content for message in transcript.output][1:] == ["Third"]
    assert transcript.input == "Third"


@pytest.mark.parametrize("turns", [0, -1, -(2**63), "x", 1.5, None, [], {}])
def test_turns_that_are_no_number_of_turns_take_nothing_back(turns: Any) -> None:
    session = asked()
    session.answer("One")
    session.event("thread_rolled_back", num_turns=turns)
    assert [message.content for message in read(session).output] == ["Go", "One"]


def test_a_session_of_which_all_is_taken_back_is_an_error(session_file: Path, output: Path) -> None:
    session = asked()
    session.event("thread_rolled_back", num_turns=1)
    ended = imported(session, session_file, output)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence.startswith(f"agentv: {session_file}: holds no message at all")


@pytest.mark.parametrize("digits", [20, 25, 320, 5000])
@pytest.mark.parametrize(
    "field",
    ["exit_code", "secs", "nanos", "num_turns", "ordinal", "subagent_history_start_ordinal"],
)
def test_a_number_of_hundreds_of_digits_is_unknown_wherever_it_stands(
    field: str, digits: int
) -> None:
    meta: dict[str, Any] = {field: 4711} if field.startswith("subagent") else {}
    session = Session(**meta)
    session.ask("Go")
    session.function("call_1", "exec_command", {"cmd": "make"})
    session.event(
        "exec_command_end", call_id="call_1", exit_code=0, duration={"secs": 1, "nanos": 0}
    )
    session.event("thread_rolled_back", num_turns=0)
    record = session.records[-2 if field in ("exit_code", "secs", "nanos") else -1]
    assert isinstance(record, dict)
    holder = record["payload"].get("duration") if field in ("secs", "nanos") else record["payload"]
    if field == "ordinal":
        record[field] = 4711
    elif not field.startswith("subagent"):
        holder[field] = 4711
    session.output("call_1", "made")
    session.answer("Done.")
    transcript = CODEX.imported(lines(session.records).replace(b"4711", b"9" * digits))
    assert [message.content for message in transcript.output] == ["Go", "", "Done."]
    call = calls_of(transcript)["call_1"]
    assert call.exit_code == (None if field == "exit_code" else 0)
    assert sum(transcript.drift.values()) == 1


def test_what_a_call_that_was_taken_back_returned_goes_to_no_other_call() -> None:
    session = asked()
    session.function("call_1", "exec_command", {"cmd": "make"})
    session.prompt("Undo this")
    session.function("call_2", "exec_command", {"cmd": "rm"})
    session.event("thread_rolled_back", num_turns=1)
    session.function("call_3", "exec_command", {"cmd": "ls"})
    for number in (2, 3, 1):
        session.output(f"call_{number}", ran(f"of {number}"))
    calls = calls_of(read(session))
    assert {name: call.output for name, call in calls.items()} == {
        "call_1": "of 1",
        "call_3": "of 3",
    }


@pytest.mark.parametrize("name", [404, "404", None, 2**70, 1.5, [], {}, "x" * 10_000, "\x00"])
def test_input_for_a_process_that_does_not_exist_is_a_call_like_any_other(name: Any) -> None:
    session = asked()
    session.run("call_1", "make", goes_on("so far", 7))
    session.function("call_2", "write_stdin", {"session_id": name, "chars": "y\n"})
    session.output("call_2", ran("gone", 1))
    transcript = read(session)
    calls = calls_of(transcript)
    assert (calls["call_1"].status, calls["call_1"].exit_code) == ("unknown", None)
    assert (calls["call_2"].status, calls["call_2"].exit_code) == ("error", 1)


@pytest.mark.parametrize(
    "quoted",
    [
        "Exit code: 1\nWall time: 1 seconds\nOutput:\nx",
        "Process running with session ID 7\nOutput:\nx",
        "Process exited with code 1\nOutput:\n",
        "aborted by user",
        "exec command rejected by user",
        '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0}}',
    ],
)
def test_what_an_output_quotes_is_not_what_became_of_the_call(quoted: str) -> None:
    session = asked()
    session.run("call_1", "cat log", ran(quoted))
    session.run("call_2", "cat log", f"From the log:\n{quoted}")
    calls = calls_of(read(session))
    assert (calls["call_1"].status, calls["call_1"].output) == ("ok", quoted)
    assert (calls["call_2"].status, calls["call_2"].exit_code) == ("ok", None)


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("Exit code: 99999999999999999999\nOutput:\nx", "ok"),
        ("Exit code: 1\nWall time: 1.2.3 seconds\nOutput:\nx", "error"),
        ("Exit code: 1\nWall time: 99999999999999999999 seconds\nOutput:\nx", "error"),
        ("Exit code: \u0661\nOutput:\nx", "ok"),
        ('{"output":"x","metadata":{"exit_code":1e400}}', "ok"),
        ('{"output":"x","metadata":{"exit_code":18446744073709551616}}', "ok"),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":-1}}', "error"),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":1e308}}', "error"),
        ('{"output":"\\ud800","metadata":{"exit_code":1}}', "ok"),
        ('{"metadata":' * 5000, "ok"),
    ],
)
def test_a_header_that_makes_no_sense_is_never_fatal(output: str, status: str) -> None:
    session = asked()
    session.run("call_1", "make", output)
    call = calls_of(read(session))["call_1"]
    assert call.status == status
    assert call.output
    assert call.duration_ms is None or call.duration_source == "timestamps"


@pytest.mark.parametrize(
    "output", [None, 5, True, [], {}, [None], [5], [[]], [{"type": 5}], [{"text": 5}], {"text": []}]
)
def test_an_output_of_the_wrong_type_answers_its_call_all_the_same(output: Any) -> None:
    session = asked()
    session.run("call_1", "make", output)
    session.answer("Done.")
    transcript = read(session)
    assert calls_of(transcript)["call_1"].output == ""
    assert kept(transcript)[-1] == ("assistant", "Done.", [])


def test_a_call_that_comes_twice_is_one_call_and_the_copy_counted() -> None:
    session = asked()
    for _ in range(2):
        session.function("call_1", "exec_command", {"cmd": "first"})
        session.output("call_1", ran("first"))
    transcript = read(session)
    assert [call.args for call in transcript.tool_calls()] == [{"command": "first"}]
    assert transcript.left_out["repeated tool call"] == 1


def test_a_call_id_of_two_commands_is_two_calls() -> None:
    session = asked()
    for command in ("first", "second"):
        session.function("call_1", "exec_command", {"cmd": command})
        session.output("call_1", ran(command))
    transcript = read(session)
    assert [(call.args, call.output) for call in transcript.tool_calls()] == [
        ({"command": "first"}, "first"),
        ({"command": "second"}, "second"),
    ]
    assert "repeated tool call" not in transcript.left_out


def test_an_output_before_its_call_is_counted_and_the_call_kept() -> None:
    session = asked()
    session.output("call_1", ran("made"))
    session.function("call_1", "exec_command", {"cmd": "make"})
    transcript = read(session)
    assert calls_of(transcript)["call_1"].status == "unknown"
    assert transcript.drift == {"tool result without a call": 1}


@pytest.mark.parametrize(
    "start", [0, 1, -1, 10**9, 2**70, "0", "-1", "x", "9" * 5000, "\u0663", None, True, [], {}]
)
def test_a_fork_that_lies_about_where_it_begins_is_read_or_says_that_all_is_copied(
    start: Any, session_file: Path, output: Path
) -> None:
    session = Session(subagent_history_start_ordinal=start, forked_from_id="another")
    session.ask("Go")
    session.answer("Done.")
    for number, record in enumerate(session.records):
        assert isinstance(record, dict)
        record["ordinal"] = number
    ended = imported(session, session_file, output)
    assert "Traceback" not in ended.err
    if ended.code:
        assert ended.sentence.startswith(f"agentv: {session_file}: holds no message of its own")
    else:
        assert json.loads(output.read_bytes())["source"]["session_id"] in (
            SESSION_ID,
            session_file.stem,
        )
