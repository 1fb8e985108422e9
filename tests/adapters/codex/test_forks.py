"""Forks and child threads: their own records alone, and children told with their parent."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from codex_sessions import MODEL, SESSION_ID, START, Session, ran, said, tokens, uuid7

from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codex_sessions import Read

LATER = START + timedelta(hours=1)
FORK_ID = uuid7(LATER, 2)


def parent() -> Session:
    session = Session()
    session.ask("Add a cart")
    session.run("call_1", "ls", ran("a.py"))
    session.answer("Done.")
    session.used(tokens(1000, 100))
    return session


def fork(**meta: Any) -> Session:
    """A session that begins with copies of another one's records, all written at once."""
    session = Session(FORK_ID, start=LATER, **meta)
    for record in parent().records:
        assert isinstance(record, dict)
        session.records.append({**record, "timestamp": session.time()})
        session.now += timedelta(milliseconds=1)
    session.total = tokens(1000, 100)
    return session


@pytest.mark.parametrize("pause", [0.01, 20])
def test_copies_of_a_parents_records_are_no_part_of_a_fork(read: Read, pause: float) -> None:
    session = fork(forked_from_id="parent")
    session.wait(pause)
    session.ask("Make it red")
    session.answer("Red.")
    session.used(tokens(300, 30))
    transcript = read(session)
    assert said(transcript) == [("human", "Make it red"), ("assistant", "Red.")]
    assert transcript.input == "Make it red"
    assert transcript.source.session_id == FORK_ID
    assert transcript.token_usage is not None
    assert transcript.token_usage.input == 300
    assert transcript.left_out == {
        "head of another session": 1,
        "record copied from another session": len(parent().records) - 1,
    }


@pytest.mark.parametrize(("own", "model"), [("gpt-5.3-mini", "gpt-5.3-mini"), (None, MODEL)])
def test_the_model_of_a_fork_is_its_own_or_else_its_parents(
    read: Read, own: str | None, model: str
) -> None:
    session = fork(forked_from_id="parent")
    session.model = own or ""
    session.wait(20)
    session.ask("Make it red")
    session.answer("Red.")
    assert read(session).source.model == model


def test_a_fork_of_a_fork_has_no_records_or_tokens_of_either(read: Read) -> None:
    first = fork(forked_from_id=SESSION_ID)
    first.wait(20)
    first.ask("Make it red")
    first.answer("Red.")
    first.used(tokens(300, 30))
    start = LATER + timedelta(hours=1)
    second = Session(uuid7(start, 4), start=start, step=0.001, forked_from_id=FORK_ID)
    second.model = "gpt-5.3-mini"
    for record in first.records:
        assert isinstance(record, dict)
        second.records.append({**record, "timestamp": second.time()})
    second.total = first.total
    second.wait(20)
    second.ask("Make it blue")
    second.answer("Blue.")
    second.used(tokens(20, 2))
    transcript = read(second)
    assert said(transcript) == [("human", "Make it blue"), ("assistant", "Blue.")]
    assert transcript.token_usage is not None
    assert transcript.token_usage.input == 20
    assert transcript.source.model == "gpt-5.3-mini"


def test_without_turns_the_pause_after_the_copies_tells_them_from_what_follows(
    read: Read,
) -> None:
    session = fork()
    session.records = [
        record
        for record in session.records
        if isinstance(record, dict) and record["payload"].get("type") != "task_started"
    ]
    session.wait(20)
    session.prompt("Make it red")
    transcript = read(session)
    assert said(transcript) == [("human", "Make it red")]
    # The time that counts is the fork's own.
    assert transcript.duration_ms == 100


def test_copies_that_kept_their_times_are_older_than_the_fork(read: Read) -> None:
    session = Session(FORK_ID, start=LATER, forked_from_id="parent")
    session.records += parent().records[:1]
    past = Session(step=30)
    past.prompt("Add a cart")
    past.answer("Done.")
    session.records += past.records[1:]
    session.wait(20)
    session.prompt("Make it red")
    session.answer("Red.")
    assert said(read(session)) == [("human", "Make it red"), ("assistant", "Red.")]


BASE = {"thread_id": SESSION_ID, "end_ordinal_exclusive": 9, "end_byte_offset": 4096}


@pytest.mark.parametrize("is_told_first", [True, False])
def test_a_fork_that_merely_names_its_parent_goes_on_from_its_total(
    read: Read, *, is_told_first: bool
) -> None:
    session = Session(FORK_ID, start=LATER, forked_from_id=SESSION_ID, history_base=BASE)
    session.prompt("Make it red")
    session.total = tokens(1000, 100)
    if is_told_first:
        session.count(session.total, tokens(1000, 100))
    session.answer("Red.")
    session.used(tokens(300, 30))
    session.answer("Really.")
    session.used(tokens(20, 2))
    transcript = read(session)
    assert transcript.input == "Make it red"
    assert transcript.token_usage is not None
    assert (transcript.token_usage.input, transcript.token_usage.output) == (320, 32)
    assert transcript.drift == {}


def test_a_thread_that_began_in_another_file_is_noted(read: Read) -> None:
    session = Session(history_base=BASE)
    session.ask("Make it red")
    session.answer("Red.")
    assert read(session).drift == {"beginning in another file": 1}


def test_a_counter_that_a_fork_starts_anew_is_its_own(read: Read) -> None:
    session = fork(forked_from_id="parent")
    session.ask("Make it red")
    session.answer("Red.")
    session.count(tokens(300, 30))
    usage = read(session).token_usage
    assert usage is not None
    assert usage.input == 300


@pytest.mark.parametrize("start", [3, "3"])
@pytest.mark.parametrize("written", [int, str])
def test_numbers_of_records_say_where_a_child_begins(
    read: Read, start: object, written: Callable[[int], object]
) -> None:
    session = Session(FORK_ID, start=LATER, subagent_history_start_ordinal=start)
    session.record("session_meta", id="parent", wrapper={"ordinal": written(1)})
    for ordinal, text in enumerate(["Theirs", "Mine", "Mine too"], 2):
        content = [{"type": "input_text", "text": text}]
        session.record(
            "response_item",
            type="message",
            role="user",
            content=content,
            wrapper={"ordinal": written(ordinal)},
        )
    transcript = read(session)
    assert said(transcript) == [("human", "Mine"), ("human", "Mine too")]
    assert transcript.drift == {}


@pytest.mark.parametrize("keep_times", [True, False])
def test_the_time_of_a_child_begins_after_its_numbered_copies(
    read: Read, *, keep_times: bool
) -> None:
    copies = parent().records
    session = Session(FORK_ID, start=LATER, subagent_history_start_ordinal=len(copies) + 1)
    for record in copies:
        assert isinstance(record, dict)
        session.records.append(record if keep_times else {**record, "timestamp": session.time()})
    session.wait(20)
    session.prompt("Make it red")
    for ordinal, record in enumerate(session.records):
        assert isinstance(record, dict)
        record["ordinal"] = ordinal
    transcript = read(session)
    assert said(transcript) == [("human", "Make it red")]
    assert transcript.duration_ms == 100


def test_numbers_that_are_texts_are_no_drift_anywhere(read: Read) -> None:
    session = parent()
    for number, record in enumerate(session.records):
        assert isinstance(record, dict)
        record["ordinal"] = str(number)
    assert read(session).drift == {}


def test_a_fork_that_nobody_went_on_with_is_refused(read: Read) -> None:
    with pytest.raises(SessionUnreadable, match="no message of its own"):
        read(fork(forked_from_id="parent"))


def test_a_head_in_the_middle_of_a_session_begins_no_copies(read: Read) -> None:
    session = parent()
    session.record("session_meta", id="other", cli_version="0.140.0")
    session.answer("More.")
    assert said(read(session))[-1][1].endswith("More.")


def child(number: int, **meta: Any) -> Session:
    start = START + timedelta(seconds=number)
    spawn = {"thread_spawn": {"parent_thread_id": SESSION_ID, "depth": 1, "agent_path": "/root/a"}}
    session = Session(uuid7(start, 40 + number), start=start, source={"subagent": spawn}, **meta)
    session.turn()
    content = [{"type": "input_text", "text": f"Brief {number}"}]
    session.item("agent_message", author="/root", recipient="/root/looker", content=content)
    session.run(f"child_call_{number}", "ls", ran("x"))
    session.answer(f"Found {number}.")
    return session


def test_what_a_child_is_told_first_is_its_prompt(read: Read) -> None:
    session = child(1)
    content = [{"type": "input_text", "text": "Hurry"}]
    session.item("agent_message", author="/root", recipient="/root/looker", content=content)
    transcript = read(session)
    assert transcript.input == "Brief 1"
    assert [one for one in said(transcript) if one[0] != "assistant"] == [
        ("human", "Brief 1"),
        ("injected", "Hurry"),
    ]


@pytest.mark.parametrize("part", ["text", "encrypted_content"])
def test_what_another_agent_says_begins_a_turn_that_can_be_taken_back(
    read: Read, part: str
) -> None:
    session = child(1)
    content = [{"type": "encrypted_content", part: "Hurry"}]
    session.item("agent_message", author="/root", recipient="/root/looker", content=content)
    session.answer("Hurrying.")
    session.event("thread_rolled_back", num_turns=1)
    transcript = read(session)
    assert transcript.input == "Brief 1"
    assert said(transcript)[-1] == ("assistant", "Found 1.")


def test_a_child_is_known_by_its_parent_alone(read: Read) -> None:
    session = Session(FORK_ID, start=LATER, parent_thread_id=SESSION_ID)
    session.turn()
    content = [{"type": "input_text", "text": "Look around"}]
    session.item("agent_message", author="/root", recipient="/root/looker", content=content)
    assert read(session).input == "Look around"


def spawning_session(how: str, children: list[Session]) -> Session:
    session = Session()
    session.ask("Look around")
    for number, one in enumerate(children, 1):
        task = {"message": "look", "task_name": f"looker_{number}"}
        session.function(f"spawn_{number}", "spawn_agent", task)
        told = '{"agent_id":"' + one.session_id + '"}' if how == "output" else "{}"
        session.output(f"spawn_{number}", told)
        if how == "event":
            session.event(
                "collab_agent_spawn_end", call_id=f"spawn_{number}", new_thread_id=one.session_id
            )
        if how in ("activity", "named activity"):
            session.event(
                "sub_agent_activity",
                event_id=f"spawn_{number}" if how == "activity" else "e1",
                agent_thread_id=one.session_id,
                agent_path=f"/root/looker_{number}" if how == "named activity" else "/root",
                kind="started",
            )
    session.wait(60)
    session.answer("All found.")
    return session


@pytest.mark.parametrize("how", ["output", "event", "activity", "named activity", "heads"])
@pytest.mark.parametrize("folder", ["sessions/2026/03/05", "elsewhere"])
@pytest.mark.parametrize("meta", [{}, {"parent_thread_id": SESSION_ID}])
def test_children_are_told_after_the_call_that_spawned_them(
    read: Read, tmp_path: Path, how: str, folder: str, meta: dict[str, Any]
) -> None:
    children = [child(number, **meta) for number in (1, 2)]
    session = spawning_session(how, children)
    for one in children:
        one.write_in(tmp_path / folder)
    path = session.write_in(tmp_path / folder)
    alone = read(path)
    whole = read(path, include_subagents=True)
    assert {message.agent_id for message in alone.output} == {None}
    of_children = [message for message in whole.output if message.agent_id is not None]
    assert [message.agent_id for message in of_children if message.content.startswith("Brief")] == [
        one.session_id for one in children
    ]
    assert {message.origin for message in of_children} == {"injected", None}
    assert [m for m in whole.output if m.agent_id is None] == list(alone.output)
    assert whole.token_usage == alone.token_usage
    assert whole.input == "Look around"
    is_last = whole.output[-1].agent_id is not None
    assert is_last == (how == "heads")


@pytest.mark.parametrize("how", ["output", "event", "activity"])
def test_children_of_a_turn_that_was_taken_back_are_left_out(
    read: Read, tmp_path: Path, how: str
) -> None:
    one, inner, other = child(1), child(2), child(3)
    session = spawning_session(how, [one])
    session.event("thread_rolled_back", num_turns=1)
    session.ask("Look again")
    session.function("spawn_3", "spawn_agent", {"message": "look"})
    session.output("spawn_3", '{"agent_id":"' + other.session_id + '"}')
    content = [{"type": "input_text", "text": "Hurry"}]
    other.item("agent_message", author="/root", recipient="/root/looker", content=content)
    other.function("spawn_2", "spawn_agent", {"message": "look"})
    other.output("spawn_2", '{"agent_id":"' + inner.session_id + '"}')
    other.event("thread_rolled_back", num_turns=1)
    for thread in (one, inner, other):
        thread.write_in(tmp_path)
    transcript = read(session.write_in(tmp_path), include_subagents=True)
    assert {message.agent_id for message in transcript.output} == {None, other.session_id}


def test_children_of_children_are_told_once(read: Read, tmp_path: Path) -> None:
    inner = child(2)
    outer = child(1)
    outer.function("spawn_2", "spawn_agent", {"message": "look"})
    outer.output("spawn_2", '{"agent_id":"' + inner.session_id + '"}')
    # It names its parent as well, which must not go round in circles.
    inner.event("collab_agent_spawn_end", call_id="child_call_2", new_thread_id=outer.session_id)
    session = spawning_session("output", [outer])
    for one in (inner, outer):
        one.write_in(tmp_path)
    transcript = read(session.write_in(tmp_path), include_subagents=True)
    briefs = [(m.agent_id, m.content) for m in transcript.output if m.content.startswith("Brief")]
    assert briefs == [(outer.session_id, "Brief 1"), (inner.session_id, "Brief 2")]


def test_a_child_that_cannot_be_read_is_drift(read: Read, tmp_path: Path) -> None:
    one = child(1)
    session = spawning_session("output", [one])
    (tmp_path / one.name()).write_bytes(b"")
    transcript = read(session.write_in(tmp_path), include_subagents=True)
    assert transcript.drift == {"sub-agent file that cannot be read": 1}


def test_an_encrypted_message_between_agents_is_left_out(read: Read) -> None:
    session = parent()
    content = [{"type": "encrypted_content", "encrypted_content": "gAAAA"}]
    session.item("agent_message", author="/root/a", recipient="/root", content=content)
    assert read(session).left_out == {"encrypted message between agents": 1}
