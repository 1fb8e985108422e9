"""Sub-agents: left out by default, told after the call that spawned them when asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, said, text, tokens, tool_use

from pytest_agentv import TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

    from claude_sessions import Read

    from pytest_agentv import Transcript

TEN = tokens(10, 10, written=0, cached=0)


def told(transcript: Transcript) -> list[tuple[str | None, str, str]]:
    """Agent, role or origin, and text of every message."""
    return [(m.agent_id, m.origin or m.role, m.content) for m in transcript.output]


def spawning_session(noted: dict[str, object] | None = None) -> Session:
    session = Session()
    session.prompt("Start")
    session.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "Dig here"}), usage=TEN)
    session.tool_result("toolu_1", [text("Found it.")], noted=noted)
    session.response("msg_2", text("It was found."), usage=TEN)
    return session


def digging(agent: Session, *, message_id: str = "msg_a1") -> Session:
    agent.prompt("Dig here", parent=None)
    agent.response(
        message_id, tool_use(f"toolu_{message_id}", "Bash", {"command": "dig"}), usage=TEN
    )
    agent.tool_result(f"toolu_{message_id}", "gold")
    agent.response(f"{message_id}_end", text("Found it."), usage=TEN)
    return agent


MAIN_ALONE = [
    (None, "human", "Start"),
    (None, "assistant", ""),
    (None, "assistant", "It was found."),
]
WITH_AGENT = [
    (None, "human", "Start"),
    (None, "assistant", ""),
    ("a1", "injected", "Dig here"),
    ("a1", "assistant", ""),
    ("a1", "assistant", "Found it."),
    (None, "assistant", "It was found."),
]
TOKENS_OF_MAIN = TokenUsage(input=20, output=20, cached=0, cache_write=0, output_complete=True)


def test_by_default_only_the_call_that_spawned_an_agent_is_told(read: Read, tmp_path: Path) -> None:
    session = spawning_session({"agentId": "a1", "totalDurationMs": 9000})
    digging(session.agent("a1")).write_agent(session.write_in(tmp_path))
    transcript = read(session)
    assert told(transcript) == MAIN_ALONE
    (call,) = transcript.tool_calls()
    assert (call.kind, call.args, call.output) == ("task", {"content": "Dig here"}, "Found it.")
    assert call.duration_ms == 9000


@pytest.mark.parametrize("linked_by", ["result", "progress", "side file"])
def test_an_agent_is_told_after_the_call_that_spawned_it(
    read: Read, tmp_path: Path, linked_by: str
) -> None:
    session = spawning_session({"agentId": "a1"} if linked_by == "result" else None)
    if linked_by == "progress":
        session.progress({"type": "agent_progress", "agentId": "a1"}, call_id="toolu_1")
    file = digging(session.agent("a1")).write_agent(session.write_in(tmp_path))
    if linked_by == "side file":
        meta = {"toolUseId": "toolu_1", "agentType": "Explore"}
        file.with_suffix(".meta.json").write_text(json.dumps(meta), encoding="utf-8")
    transcript = read(session, include_subagents=True)
    assert told(transcript) == WITH_AGENT
    assert transcript.token_usage == TOKENS_OF_MAIN
    assert transcript.input == "Start"
    assert transcript.prompts == ("Start",)
    assert transcript.final_answer == "It was found."


def test_an_agent_whose_call_is_unknown_is_told_last(read: Read, tmp_path: Path) -> None:
    session = spawning_session()
    digging(session.agent("a1")).write_agent(session.write_in(tmp_path))
    transcript = read(session, include_subagents=True)
    assert told(transcript) == [*MAIN_ALONE, *WITH_AGENT[2:5]]


@pytest.mark.parametrize(
    "meta",
    [b"", b"null", b'{"toolUseId": 7}', b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "null", "number", "binary", "deep"],
)
def test_a_broken_side_file_costs_the_link_alone(read: Read, tmp_path: Path, meta: bytes) -> None:
    session = spawning_session()
    file = digging(session.agent("a1")).write_agent(session.write_in(tmp_path))
    file.with_suffix(".meta.json").write_bytes(meta)
    assert told(read(session, include_subagents=True)) == [*MAIN_ALONE, *WITH_AGENT[2:5]]


def test_agents_in_folders_of_workflows_are_found(read: Read, tmp_path: Path) -> None:
    session = spawning_session({"agentId": "a1"})
    folder = session.write_in(tmp_path).with_suffix("") / "subagents" / "workflows" / "run-1"
    digging(session.agent("a1")).write(folder / "agent-a1.jsonl")
    assert told(read(session, include_subagents=True)) == WITH_AGENT


def test_an_agent_beside_its_session_is_found_through_its_call(read: Read, tmp_path: Path) -> None:
    session = spawning_session({"agentId": "a1"})
    session.version = "2.0.40"
    digging(session.agent("a1")).write(tmp_path / "agent-a1.jsonl")
    digging(session.agent("b2"), message_id="msg_b2").write(tmp_path / "agent-b2.jsonl")
    assert told(read(session, include_subagents=True)) == WITH_AGENT


@pytest.mark.parametrize("agent_id", ["../secret", "/etc/x", "..\\x", "a\x00b", ""])
def test_an_agent_id_never_becomes_a_path(read: Read, tmp_path: Path, agent_id: str) -> None:
    session = spawning_session({"agentId": agent_id})
    (tmp_path / "project").mkdir()
    path = session.write_in(tmp_path / "project")
    digging(session.agent("a1")).write(tmp_path / "secret.jsonl")
    assert told(read(path, include_subagents=True)) == MAIN_ALONE


def test_what_an_agents_file_repeats_of_the_main_thread_is_told_once(
    read: Read, tmp_path: Path
) -> None:
    session = spawning_session({"agentId": "a1"})
    agent = session.agent("a1")
    agent.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "Dig here"}), request_id="new_")
    digging(agent).write_agent(session.write_in(tmp_path))
    transcript = read(session, include_subagents=True)
    assert told(transcript) == WITH_AGENT
    assert transcript.token_usage == TOKENS_OF_MAIN


def test_an_agent_of_an_agent_is_told_after_its_own_call(read: Read, tmp_path: Path) -> None:
    session = spawning_session({"agentId": "a1"})
    path = session.write_in(tmp_path)
    agent = session.agent("a1")
    agent.prompt("Dig here", parent=None)
    agent.call("toolu_2", "Agent", {"prompt": "Deeper"}, "ok", noted={"agentId": "b2"})
    agent.response("msg_end", text("Found it."))
    agent.write_agent(path)
    inner = session.agent("b2")
    inner.prompt("Deeper", parent=None)
    inner.response("msg_deep", text("Deep."))
    inner.write_agent(path)
    assert told(read(session, include_subagents=True)) == [
        (None, "human", "Start"),
        (None, "assistant", ""),
        ("a1", "injected", "Dig here"),
        ("a1", "assistant", ""),
        ("b2", "injected", "Deeper"),
        ("b2", "assistant", "Deep."),
        ("a1", "assistant", "Found it."),
        (None, "assistant", "It was found."),
    ]


def test_agents_that_spawn_each_other_are_told_once_each(read: Read, tmp_path: Path) -> None:
    session = spawning_session({"agentId": "a1"})
    path = session.write_in(tmp_path)
    for one, other in (("a1", "b2"), ("b2", "a1")):
        agent = session.agent(one)
        agent.prompt(f"I am {one}", parent=None)
        agent.call(f"toolu_{one}", "Agent", {"prompt": "x"}, "ok", noted={"agentId": other})
        agent.write_agent(path)
    transcript = read(session, include_subagents=True)
    assert [m.content for m in transcript.output if m.agent_id and m.role == "user"] == [
        "I am a1",
        "I am b2",
    ]


def test_an_unreadable_agent_file_is_drift_and_costs_nothing_else(
    read: Read, tmp_path: Path
) -> None:
    session = spawning_session({"agentId": "a1"})
    folder = session.write_in(tmp_path).with_suffix("") / "subagents"
    (folder / "agent-a1.jsonl").mkdir(parents=True)
    transcript = read(session, include_subagents=True)
    assert told(transcript) == MAIN_ALONE
    assert transcript.drift == {"sub-agent file that cannot be read": 1}


def test_drift_of_an_agents_file_is_told_as_such(read: Read, tmp_path: Path) -> None:
    session = spawning_session({"agentId": "a1"})
    agent = digging(session.agent("a1"))
    agent.about("novelty")
    agent.write_agent(session.write_in(tmp_path))
    transcript = read(session, include_subagents=True)
    assert told(transcript) == WITH_AGENT
    assert transcript.drift == {"sub-agent: record type 'novelty'": 1}


def test_a_side_chain_in_the_sessions_own_file_is_left_out_and_counted(read: Read) -> None:
    session = Session(version="1.0.60")
    session.prompt("Start")
    session.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "Dig here"}), usage=TEN)
    digging(session.agent(None, in_file=True))
    session.tool_result("toolu_1", "Found it.")
    session.response("msg_2", text("It was found."), usage=TEN)
    transcript = read(session)
    assert told(transcript) == MAIN_ALONE
    assert transcript.token_usage == TOKENS_OF_MAIN
    assert transcript.left_out == {"sub-agent record": 4}


def test_side_chains_are_told_after_the_call_with_their_prompt(read: Read) -> None:
    session = Session(version="1.0.60")
    session.prompt("Start")
    session.response(
        "msg_1",
        tool_use("toolu_1", "Task", {"prompt": "Dig here"}),
        tool_use("toolu_2", "Task", {"prompt": "Dig there"}),
        usage=TEN,
    )
    there = session.agent(None, in_file=True)
    first_of_there = there.prompt("Dig there", parent=None)
    here = session.agent(None, in_file=True)
    first_of_here = here.prompt("Dig here", parent=None)
    there.response("msg_t", text("Nothing there."), usage=TEN)
    here.response("msg_h", text("Found it."), usage=TEN)
    session.tool_result("toolu_1", "Found it.")
    session.tool_result("toolu_2", "Nothing there.")
    session.response("msg_2", text("It was found."), usage=TEN)
    transcript = read(session, include_subagents=True)
    assert told(transcript) == [
        (None, "human", "Start"),
        (None, "assistant", ""),
        (first_of_here, "injected", "Dig here"),
        (first_of_here, "assistant", "Found it."),
        (first_of_there, "injected", "Dig there"),
        (first_of_there, "assistant", "Nothing there."),
        (None, "assistant", "It was found."),
    ]
    assert transcript.token_usage == TOKENS_OF_MAIN


def test_a_side_chain_with_an_agent_id_goes_by_it(read: Read) -> None:
    session = Session(version="2.0.20")
    session.prompt("Start")
    session.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "other words"}), usage=TEN)
    digging(session.agent("a1", in_file=True))
    session.tool_result("toolu_1", "Found it.", noted={"agentId": "a1"})
    session.response("msg_2", text("It was found."), usage=TEN)
    assert told(read(session, include_subagents=True)) == WITH_AGENT


def test_the_file_of_an_agent_can_be_read_by_itself(read: Read, tmp_path: Path) -> None:
    session = spawning_session()
    transcript = read(digging(session.agent("a1")).write(tmp_path / "agent-a1.jsonl"))
    assert said(transcript) == [
        ("human", "Dig here"),
        ("assistant", ""),
        ("assistant", "Found it."),
    ]
    assert transcript.input == "Dig here"
    assert transcript.source.session_id == session.session_id
    assert transcript.token_usage == TOKENS_OF_MAIN
    assert transcript.left_out == {}


def test_an_agent_that_works_in_the_background_answers_by_a_notification(read: Read) -> None:
    session = Session(version="2.1.120")
    session.prompt("Start")
    launched = {"isAsync": True, "status": "async_launched", "agentId": "a1"}
    session.call("toolu_1", "Agent", {"prompt": "Dig"}, "Launched.", noted=launched)
    session.task_notification("<task-id>a1</task-id> done", origin={"kind": "task-notification"})
    transcript = read(session)
    assert [(call.output, call.status) for call in transcript.tool_calls()] == [("Launched.", "ok")]
    assert transcript.output[2].origin == "injected"


def test_a_side_chain_that_says_nothing_is_no_agent(read: Read) -> None:
    session = spawning_session()
    session.agent(None, in_file=True).system("turn_duration", durationMs=5)

    assert told(read(session, include_subagents=True)) == MAIN_ALONE


def test_a_prompt_queued_for_an_agent_is_part_of_its_file_and_counted_elsewhere(
    read: Read, tmp_path: Path
) -> None:
    main = spawning_session()
    agent = digging(main.agent("a1"))
    agent.attachment("queued_command", sidechain=True, prompt="Deeper", commandMode="prompt")
    main.attachment("queued_command", sidechain=True, prompt="Deeper", commandMode="prompt")

    of_agent = read(agent.write_agent(main.write_in(tmp_path)))
    of_main = read(main)

    assert said(of_agent)[-1] == ("human", "Deeper")
    assert told(of_main) == MAIN_ALONE
    assert of_main.left_out == {"sub-agent record": 1}


def test_what_the_file_of_an_agent_says_of_the_queue_hides_nothing(
    read: Read, tmp_path: Path
) -> None:
    agent = digging(spawning_session().agent("a1"))
    agent.queue("enqueue", "<task-notification>done</task-notification>")
    agent.queue("remove")

    transcript = read(agent.write_agent(tmp_path / "main.jsonl"))

    assert said(transcript)[0] == ("human", "Dig here")
    assert transcript.final_answer == "Found it."


def test_two_agents_told_the_same_at_the_same_time_both_keep_it(read: Read) -> None:
    session = spawning_session()
    now = session.now
    for name in ("a1", "a2"):
        agent = session.agent(name, in_file=True)
        agent.now = now
        agent.prompt("Dig here", parent=None)

    transcript = read(session, include_subagents=True)

    assert [(m.agent_id, m.content) for m in transcript.output if m.agent_id] == [
        ("a1", "Dig here"),
        ("a2", "Dig here"),
    ]
