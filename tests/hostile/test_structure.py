"""Records that do not fit together: cycles, endless chains, ids that come twice, broken clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from claude_sessions import Json, Session, text, tool_use
from hostile_sessions import CONVERSATION, agentv, kept, line, lines
from hostile_vendors import CLAUDE

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_sessions import Ended
    from hostile_vendors import Vendor


def _import(records: list[Json | bytes], session: Path, output: Path) -> Ended:
    session.write_bytes(lines(records))
    return agentv("import", "claude", "--file", session, "-o", output, cwd=session.parent)


@pytest.mark.parametrize("length", [1, 2, 4])
def test_parents_that_go_round_in_a_circle_lose_nothing(length: int) -> None:
    records = CLAUDE.conversation()
    uuids = [record["uuid"] for record in records]
    for number, record in enumerate(records):
        record["parentUuid"] = uuids[(number + 1) % length]
    transcript = CLAUDE.imported(lines(records))
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {}


def test_rival_prompts_in_a_circle_are_no_endless_walk() -> None:
    session = Session()
    for number in range(6):
        session.prompt(f"Prompt {number}", uuid=f"p{number}", parentUuid=f"p{(number + 2) % 4}")
    transcript = CLAUDE.imported(lines(session.records))
    assert 1 <= len(transcript.output) <= 6
    assert len(transcript.output) + transcript.left_out["message of an abandoned branch"] == 6


def test_a_chain_of_20000_records_is_walked(session_file: Path, output: Path) -> None:
    session = Session()
    session.prompt("Root")
    session.prompt("Taken back", uuid="x", parent="00000001-0000-4000-8000-000000000000")
    session.last = "00000001-0000-4000-8000-000000000000"
    session.prompt("Typed instead")
    for number in range(20_000):
        session.response(f"msg_{number}", text("Step"))
    ended = _import(session.records, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 20002 messages, 0 tool calls\n"


def test_thousands_of_rewinds_one_in_the_other_stay_cheap(session_file: Path, output: Path) -> None:
    session = Session()
    session.prompt("Prompt", uuid="p0")
    for number in range(8_000):
        session.prompt(f"Left {number}", uuid=f"q{number}", parentUuid=f"p{number}")
        session.prompt(f"Right {number}", uuid=f"p{number + 1}", parentUuid=f"p{number}")
    ended = _import(session.records, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 8001 messages, 0 tool calls\n"
    assert ended.memory < 1 << 30


def test_thousands_of_rivals_of_one_prompt_stay_cheap(session_file: Path, output: Path) -> None:
    session = Session()
    for number in range(20_000):
        session.prompt(f"Prompt {number}", uuid=f"p{number}", parentUuid="root")
    ended = _import(session.records, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 1 message, 0 tool calls\n"


def test_a_queue_of_tens_of_thousands_stays_cheap(session_file: Path, output: Path) -> None:
    session = Session()
    session.prompt("Prompt")
    for number in range(40_000):
        session.queue("enqueue", f"Text {number}")
    for number in range(40_000):
        session.queue("remove", f"Another {number}")
    ended = _import(session.records, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 1 message, 0 tool calls\n"


@pytest.mark.parametrize("tag", ["<command-name>", "<command-args>"])
def test_tags_that_open_again_and_again_stay_cheap(
    session_file: Path, output: Path, tag: str
) -> None:
    session = Session()
    session.prompt("<command-name>" + tag * 100_000)
    session.prompt("Prompt")
    ended = _import(session.records, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 2 messages, 0 tool calls\n"


@pytest.mark.parametrize(
    "content", [[], [{}], [None], [{"type": None}], [{"type": "tool_result"}], {}, 5]
)
def test_a_session_whose_records_say_nothing_is_an_error(
    session_file: Path, output: Path, content: Any
) -> None:
    record = CLAUDE.conversation()[0]
    record["message"]["content"] = content
    ended = _import([record], session_file, output)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence.startswith(f"agentv: {session_file}: holds no message at all")
    assert not output.exists()


def test_a_record_id_that_comes_twice_is_counted_as_a_repetition() -> None:
    records = CLAUDE.conversation()
    copy = {**records[0], "message": {"role": "user", "content": "Something else"}}
    transcript = CLAUDE.imported(lines([records[0], copy, *records[1:]]))
    assert kept(transcript) == CONVERSATION
    assert transcript.left_out == {"repeated record": 1}


def test_records_without_any_id_are_all_kept() -> None:
    records: list[Json | bytes] = [
        {"type": "user", "message": {"content": f"Prompt {number}"}} for number in range(3)
    ]
    transcript = CLAUDE.imported(lines(records))
    assert [*transcript.prompts] == ["Prompt 0", "Prompt 1", "Prompt 2"]


def test_responses_of_one_id_are_one_message_with_all_calls() -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "a"}))
    session.prompt("And now?")
    session.response("msg_1", tool_use("toolu_2", "Bash", {"command": "b"}))
    transcript = CLAUDE.imported(lines(session.records))
    assert kept(transcript) == [
        ("user", "Go", []),
        ("assistant", "", [("toolu_1", "unknown", None), ("toolu_2", "unknown", None)]),
        ("user", "And now?", []),
    ]


def test_a_call_id_in_two_responses_keeps_both_calls() -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", {"command": "a"}, "first")
    session.response("msg_2", tool_use("toolu_1", "Bash", {"command": "b"}))
    session.tool_result("toolu_1", "second")
    transcript = CLAUDE.imported(lines(session.records))
    assert [
        (call.input, call.output) for message in transcript.output for call in message.tool_calls
    ] == [({"command": "a"}, "first"), ({"command": "b"}, "second")]


def test_of_two_results_of_one_call_the_first_wins() -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", {"command": "a"}, "first")
    session.tool_result("toolu_1", "second")
    transcript = CLAUDE.imported(lines(session.records))
    assert kept(transcript)[1] == ("assistant", "", [("toolu_1", "ok", "first")])


def test_results_without_a_call_are_counted_and_calls_without_a_result_kept() -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "a"}))
    for number in range(3):
        session.tool_result(f"toolu_x{number}", "of nobody")
    transcript = CLAUDE.imported(lines(session.records))
    assert kept(transcript) == [
        ("user", "Go", []),
        ("assistant", "", [("toolu_1", "unknown", None)]),
    ]
    assert transcript.drift == {"tool result without a call": 3}


def test_a_result_before_its_call_is_its_result() -> None:
    records = CLAUDE.conversation()
    transcript = CLAUDE.imported(lines([records[0], records[2], records[1], records[3]]))
    assert sorted(kept(transcript)) == sorted(CONVERSATION)
    assert transcript.drift == {}


def test_records_in_reverse_are_all_there() -> None:
    transcript = CLAUDE.imported(lines(CLAUDE.conversation()[::-1]))
    assert sorted(kept(transcript)) == sorted(CONVERSATION)


@pytest.mark.parametrize(
    "time",
    [
        5,
        1.5,
        1_774_000_000_000,
        -1,
        True,
        "",
        "yesterday",
        "2026-03-02",
        "2026-03-02T09:00:00",
        "2026-03-02T09:00:00.000",
        "10000-01-01T00:00:00.000Z",
        "2026-13-01T00:00:00.000Z",
        "2026-02-30T00:00:00.000Z",
        "2026-03-02T24:00:01.000Z",
        "2026-W10-1T00:00:00.000Z",
        "20260302T090000.000000Z",
        "\u0662\u0660\u0662\u0666-03-02T09:00:00.000Z",
        [2026, 3, 2],
        {"$date": 5},
    ],
)
def test_a_time_that_is_none_is_unknown_and_counted(vendor: Vendor, time: Any) -> None:
    records = [{**record, "timestamp": time} for record in vendor.conversation()]
    transcript = vendor.imported(lines(records))
    assert kept(transcript) == CONVERSATION
    assert (transcript.duration_ms, transcript.source.timestamp) == (None, None)
    assert [message.timestamp for message in transcript.output] == [None] * 3
    assert transcript.drift == {"unusable field 'timestamp'": 4}


@pytest.mark.parametrize(
    ("time", "read"),
    [
        ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00.000Z"),
        ("2026-03-02T09:00:00.123456Z", "2026-03-02T09:00:00.123Z"),
        ("2026-03-02T09:00:00+00:00", "2026-03-02T09:00:00.000Z"),
        ("2026-03-02T09:00:00+05:30", "2026-03-02T03:30:00.000Z"),
        ("2026-03-01T23:00:00.000-10:00", "2026-03-02T09:00:00.000Z"),
        ("0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_times_of_any_zone_are_written_in_utc(vendor: Vendor, time: str, read: str) -> None:
    records = [{**record, "timestamp": time} for record in vendor.conversation()]
    transcript = vendor.imported(lines(records))
    assert kept(transcript) == CONVERSATION
    assert (transcript.source.timestamp, transcript.source.ended_at) == (read, read)
    assert {message.timestamp for message in transcript.output} == {read}
    assert transcript.duration_ms == 0
    assert transcript.drift == {}


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"])
def test_a_time_beyond_the_calendar_in_utc_is_never_fatal(vendor: Vendor, time: str) -> None:
    records = [{**record, "timestamp": time} for record in vendor.conversation()]
    transcript = vendor.imported(lines(records))
    assert kept(transcript) == CONVERSATION
    assert transcript.duration_ms in (None, 0)


def test_a_clock_that_runs_backwards_gives_no_negative_duration() -> None:
    records = CLAUDE.conversation()
    times = [record["timestamp"] for record in records]
    del records[2]["toolUseResult"]
    for record, time in zip(records, reversed(times), strict=True):
        record["timestamp"] = time
    transcript = CLAUDE.imported(lines(records))
    assert kept(transcript) == CONVERSATION
    assert transcript.duration_ms == 3000
    (call,) = transcript.output[1].tool_calls
    assert (call.duration_ms, call.duration_source) == (None, None)


def test_times_at_both_ends_of_the_calendar_give_a_duration(vendor: Vendor) -> None:
    records = vendor.conversation()
    records[0]["timestamp"] = "0001-01-01T00:00:00.000Z"
    records[3]["timestamp"] = "9999-12-31T23:59:59.999Z"
    transcript = vendor.imported(lines(records))
    assert transcript.duration_ms == 315_537_897_599_999


def test_sidechains_that_name_each_other_end() -> None:
    session = Session()
    session.prompt("Go")
    for number in range(50):
        call = tool_use(f"toolu_{number}", "Task", {"prompt": f"Do {(number + 1) % 50}"})
        agent: Json = {"isSidechain": True, "agentId": f"a{number}"}
        session.user(f"Do {number}", **agent)
        session.response(f"msg_{number}", call, **agent)
        noted = {"agentId": f"a{(number + 1) % 50}"}
        session.tool_result(f"toolu_{number}", "done", noted=noted, **agent)
    transcript = CLAUDE.imported(lines(session.records), include_subagents=True)
    calls = [call.id for message in transcript.output for call in message.tool_calls]
    assert sorted(calls, key=str) == sorted((f"toolu_{number}" for number in range(50)), key=str)


def test_thousands_of_kinds_of_drift_are_bounded_and_their_number_kept(vendor: Vendor) -> None:
    strange: list[Json | bytes] = [
        line({**vendor.prompt(), "type": f"type {number}"}) for number in range(3000)
    ]
    transcript = vendor.imported(lines([*vendor.conversation(), *strange]))
    assert kept(transcript) == CONVERSATION
    assert len(transcript.drift) <= 51
    assert sum(transcript.drift.values()) == 3000


def test_a_response_of_tens_of_thousands_of_blocks_stays_cheap(
    session_file: Path, output: Path
) -> None:
    session = Session()
    session.prompt("Prompt")
    session.response("msg_1", text("First"))
    session.record()["message"]["content"] = [
        block
        for number in range(60_000)
        for block in (text(f"{number:06}"), {"type": "thinking", "thinking": f"{number:06}"})
    ]
    ended = _import(session.records, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 2 messages, 0 tool calls\n"
