"""Too much of what only Codex has: rollbacks, processes, patches, scripts, threads, forms."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from codex_sessions import SESSION_ID, Session, goes_on, ran, tokens
from hostile_codex import asked, calls_of, imported, read
from hostile_sessions import agentv, line
from hostile_vendors import CODEX

import pytest_agentv
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path


MEMORY = 200 << 20


def test_a_counter_told_half_a_million_times_counts_once(session_file: Path, output: Path) -> None:
    session = asked()
    session.answer("Done.")
    session.used(tokens(1000, 50))
    count = session.records[-1]
    assert isinstance(count, dict)
    session.raw(b"\n".join([line(count).rstrip()] * 500_000))
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    usage = json.loads(output.read_bytes())["token_usage"]
    assert (usage["input"], usage["output"]) == (1000, 50)
    assert ended.memory < MEMORY


def test_tens_of_thousands_of_rollbacks_stay_cheap(session_file: Path, output: Path) -> None:
    session = asked()
    # Processes that end late leave corrections to be made behind all of this.
    for number in range(9000):
        session.function(f"call_{number}", "exec_command", {"cmd": "make"})
    for _ in range(40):
        session.prompt("Next")
    for number in range(9000):
        session.output(f"call_{number}", ran("made"))
    for number in range(40_000):
        session.user(f"Prompt {number}")
        session.event("thread_rolled_back", num_turns=1)
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.memory < MEMORY
    written = json.loads(output.read_bytes())
    assert written["left_out"]["message of a turn that was taken back"] == 40_000
    calls = [call for one in written["output"] for call in one.get("tool_calls", ())]
    assert {call["output"] for call in calls} == {"made"}


def test_an_id_used_again_long_after_and_taken_back_is_not_answered_any_more() -> None:
    session = asked()
    session.function("again", "exec_command", {"cmd": "make"})
    for number in range(100_100):
        session.item("web_search_call", id=f"search_{number}", status="completed")
    session.function("open", "exec_command", {"cmd": "make"})
    session.prompt("Undo this")
    session.function("again", "exec_command", {"cmd": "rm"})
    session.event("thread_rolled_back", num_turns=1)
    session.output("again", ran("too late"))
    session.prompt("Go on")
    transcript = read(session)
    assert transcript.output[-1].content == "Go on"
    assert calls_of(transcript)["open"].status == "unknown"


def test_processes_by_the_thousand_that_end_out_of_order_stay_cheap(
    session_file: Path, output: Path
) -> None:
    session = asked()
    count = 20_000
    for number in range(count):
        session.run(f"start_{number}", "make", goes_on("so far", number))
    for number in reversed(range(count)):
        session.function(f"poll_{number}", "write_stdin", {"session_id": number, "chars": ""})
        session.output(f"poll_{number}", ran("all", 1))
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith(f" {2 * count} tool calls\n")
    assert ended.memory < MEMORY


def test_answers_that_come_long_after_and_in_any_order_stay_cheap(
    session_file: Path, output: Path
) -> None:
    session = asked()
    numbers = list(range(60_000))
    for number in numbers:
        session.function(f"call_{number}", "exec_command", {"cmd": f"make {number}"})
        if number % 5 == 0:
            session.answer(f"Made {number}")
    random.Random(1).shuffle(numbers)  # noqa: S311 (no secret)
    for number in numbers:
        session.output(f"call_{number}", ran(f"{number} " + "x" * 300))
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.memory < MEMORY
    (transcript,) = pytest_agentv.read_transcripts(output)
    calls = calls_of(transcript)
    assert len(calls) == len(numbers)
    assert all(
        (call.output or "").startswith(f"{number} ")
        for number, call in ((number, calls[f"call_{number}"]) for number in numbers)
    )


def test_a_head_that_comes_100000_times_is_one_head(session_file: Path, output: Path) -> None:
    session = asked()
    session.raw(b"\n".join([line(session.records[0]).rstrip()] * 100_000))
    session.answer("Done.")
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(output.read_bytes())["source"]["cwd"] == "/home/dev/shop"
    assert ended.out == f"{output}: 2 messages, 0 tool calls\n"


def test_as_many_kinds_of_state_as_lines_are_bounded_and_their_number_kept() -> None:
    session = asked()
    for number in range(3000):
        session.raw(line({"record_type": f"state {number}"}))
    transcript = read(session)
    counted = {**transcript.drift, **transcript.left_out}
    assert len(counted) < 100
    assert sum(counted.values()) >= 3000


def test_images_returned_for_the_calls_of_one_giant_response_stay_cheap(
    session_file: Path, output: Path
) -> None:
    session = asked()
    for number in range(4900):
        session.function(f"call_{number}", "view_image", {"path": "a.png"})
    image = [{"type": "input_image", "image_url": "data:image/png;base64,QQ=="}]
    for _ in range(10):
        for number in reversed(range(4900)):
            session.output(f"call_{number}", image)
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 2 messages, 4900 tool calls\n"


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        pytest.param("apply_patch", "*** Add File: x\n" * 1_000_000, id="headers"),
        pytest.param("apply_patch", "*** Begin Patch\n" * 1_000_000, id="beginnings"),
        pytest.param("exec", "tools.exec_command({cmd:'x'});\n" * 200_000, id="calls"),
        pytest.param("exec", "`${" * 1_000_000, id="templates"),
        pytest.param("exec", "tools[" * 500_000, id="brackets"),
        pytest.param("exec", "/" * 3_000_000, id="slashes"),
        pytest.param("exec", "'" + "\\" * 3_000_000, id="escapes"),
        pytest.param("exec", "x" * 8_000_000, id="one name"),
    ],
)
def test_megabytes_of_patches_and_scripts_stay_cheap(
    session_file: Path, output: Path, tool: str, text: str
) -> None:
    session = asked()
    session.custom("call_1", tool, text)
    session.custom_output("call_1", "Done")
    session.function("call_2", "exec_command", {"cmd": f"apply_patch <<'EOF'\n{text}"})
    session.output("call_2", ran("Done"))
    ended = imported(session, session_file, output)
    assert (ended.code, ended.err) == (0, "")
    (call, _) = [
        call
        for one in json.loads(output.read_bytes())["output"]
        for call in one.get("tool_calls", ())
    ]
    assert call["input"] == text
    assert call["kind"] == ("edit" if tool == "apply_patch" else "shell")
    assert ended.memory < 2 * MEMORY


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "null",
        "[]",
        "5",
        '"ls"',
        "{",
        '{"cmd":',
        '{"cmd":"ls"} x',
        "{'cmd': 'ls'}",
        "\x00",
        "ls",
    ],
)
def test_arguments_that_are_no_object_are_kept_as_the_text_they_are(arguments: str) -> None:
    session = asked()
    session.function("call_1", "exec_command", arguments)
    session.output("call_1", ran("made"))
    call = calls_of(read(session))["call_1"]
    assert (call.input, call.output, call.kind) == (arguments, "made", "shell")


def test_a_lone_surrogate_in_arguments_costs_that_character_alone() -> None:
    session = asked()
    session.function("call_1", "exec_command", r'{"cmd":"echo \ud800"}')
    transcript = read(session)
    assert calls_of(transcript)["call_1"].args == {"command": "echo \ufffd"}
    assert transcript.drift == {"text repaired": 1}


def test_arguments_of_60_mb_are_kept(session_file: Path, output: Path) -> None:
    session = asked()
    session.function("call_1", "exec_command", {"cmd": "x" * (60 << 20)})
    session.output("call_1", ran("made"))
    ended = imported(session, session_file, output)
    session_file.unlink()
    assert (ended.code, ended.err) == (0, "")
    assert output.stat().st_size > 60 << 20
    output.unlink()
    assert ended.memory < 1 << 30


def test_prompts_of_megabytes_that_wait_for_their_items_take_bounded_memory(
    session_file: Path, output: Path
) -> None:
    session = asked()
    for number in range(60):
        session.event("user_message", message=f"{number} " + "x" * (4 << 20))
    ended = imported(session, session_file, output)
    session_file.unlink()
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 61 messages, 0 tool calls\n"
    output.unlink()
    assert ended.memory < MEMORY


def test_child_threads_by_the_ten_thousand_that_do_not_exist_stay_cheap(
    session_file: Path, output: Path
) -> None:
    session = asked()
    session.function("call_1", "spawn_agent", {"task_name": "a", "message": "Look"})
    for number in range(60_000):
        session.event("sub_agent_activity", agent_thread_id=f"{number}", agent_path="/root/a")
    session.write(session_file)
    ended = agentv(
        "import", "codex", "--file", session_file, "-o", output, "--include-subagents",
        cwd=output.parent,
    )  # fmt: skip
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{output}: 2 messages, 1 tool call\n"


def test_threads_that_are_each_others_children_end(tmp_path: Path) -> None:
    ids = [f"0000000{number}-0000-7000-8000-000000000000" for number in range(3)]
    for number, thread in enumerate(ids):
        session = Session(thread, parent_thread_id=ids[(number + 1) % 3])
        session.ask(f"I am {number}")
        session.function("call_1", "spawn_agent", {"message": "Look"})
        for other in ids[: number + 1]:
            session.event("collab_agent_spawn_end", call_id="call_1", new_thread_id=other)
        path = session.write_in(tmp_path / "sessions")
    transcript = CODEX.imported(path, include_subagents=True)
    assert sorted(filter(None, (message.content for message in transcript.output))) == [
        "I am 0",
        "I am 1",
        "I am 2",
    ]


def test_the_first_form_cut_anywhere_is_one_sentence(tmp_path: Path) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}
    whole = line(
        {"session": {"id": SESSION_ID, "timestamp": "2025-05-01T10:00:00.000Z"}, "items": [said]}
    )
    path = tmp_path / f"rollout-2025-05-01-{SESSION_ID}.json"
    path.write_bytes(whole)
    assert CODEX.imported(path).input == "Go"
    for cut in range(len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert not CODEX.adapter.claims(path)
        with pytest.raises(SessionError, match=SESSION_ID):
            CODEX.imported(path)
