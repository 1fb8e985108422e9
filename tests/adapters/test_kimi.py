"""Kimi Code and Kimi CLI: what lies beside a session's file, and what was undone."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from runaway import no_runaway

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.plugins import registry

ADAPTER = registry().adapter("kimi")
DATA = Path(__file__).parents[1] / "data" / "kimi"


def read(path: Path, *, include_subagents: bool = False) -> Transcript:
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions(include_subagents=include_subagents)))


def session(home: Path) -> Path:
    path = home / "sessions" / "wd_shop" / "session_abc" / "agents" / "main" / "wire.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(DATA / "undo.jsonl", path)
    return path


def test_title_and_folder_are_in_the_file_of_the_session(tmp_path: Path) -> None:
    path = session(tmp_path)
    state = {"title": "Cleaning", "workDir": "/home/dev/shop", "agents": {}}
    (path.parents[2] / "state.json").write_text(json.dumps(state), encoding="utf-8")
    source = read(path).source
    assert (source.session_id, source.title, source.cwd) == ("abc", "Cleaning", "/home/dev/shop")
    assert len(list(ADAPTER.sessions(tmp_path, project=Path("/home/dev/shop")))) == 1
    assert list(ADAPTER.sessions(tmp_path, project=Path("/home/dev/other"))) == []


def test_sub_agents_have_logs_of_their_own(tmp_path: Path) -> None:
    path = session(tmp_path)
    agent = path.parent.parent / "agent-0" / "wire.jsonl"
    agent.parent.mkdir()
    shutil.copy(DATA / "login-limit.jsonl", agent)
    plain, whole = read(path), read(path, include_subagents=True)
    agents = [one.agent_id for one in whole.output]
    first = agents.index("agent-0")
    assert whole.output[first - 1].tool_calls[-1].tool == "Agent"
    assert agents.count("agent-0") == 12
    assert whole.token_usage == plain.token_usage
    assert [ref.session_id for ref in ADAPTER.sessions(tmp_path)] == ["abc"]


def test_what_was_undone_is_no_part_of_the_conversation() -> None:
    transcript = read(DATA / "undo.jsonl")
    assert "No, delete the database." not in transcript.prompts
    assert transcript.final_answer == "Nothing was deleted."


def test_a_long_session_may_be_undone_prompt_by_prompt(tmp_path: Path) -> None:
    path = session(tmp_path)
    before = read(path)
    said = {"role": "user", "content": "More.", "origin": {"kind": "user"}}
    prompt = json.dumps({"type": "context.append_message", "time": 1, "message": said}) + "\n"
    undo = json.dumps({"type": "context.undo", "count": 1}) + "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(prompt * 100_000 + undo * 100_000)
    with no_runaway():  # what is quadratic takes minutes
        after = read(path)
    assert after.output == before.output


def test_what_was_undone_was_paid_for(tmp_path: Path) -> None:
    path = session(tmp_path)
    undone = read(path).token_usage
    lines = [one for one in path.read_text("utf-8").splitlines() if '"context.undo"' not in one]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert undone is not None
    assert undone == read(path).token_usage


def test_a_step_that_said_nothing_took_its_tokens_all_the_same(tmp_path: Path) -> None:
    path = session(tmp_path)
    before = read(path).token_usage
    usage = {"inputOther": 100, "inputCacheRead": 0, "inputCacheCreation": 0, "output": 7}
    events = [{"type": "step.begin"}, {"type": "step.end", "usage": usage}]
    records = [{"type": "context.append_loop_event", "time": 1, "event": one} for one in events]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in records)
    after = read(path).token_usage
    assert before is not None
    assert after is not None
    assert (after.input, after.output) == ((before.input or 0) + 100, (before.output or 0) + 7)
    assert after.output_complete is before.output_complete


def test_tokens_and_times_of_kimi_cli_are_in_the_log_beside_it(tmp_path: Path) -> None:
    name = hashlib.md5(b"/home/dev/shop", usedforsecurity=False).hexdigest()
    path = tmp_path / "sessions" / name / "0a1b" / "context.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(DATA / "before-kimi-code.jsonl", path)
    spent = {"input_other": 10, "output": 3, "input_cache_read": 5, "input_cache_creation": 1}
    log = [
        {"type": "metadata", "protocol_version": "1.1"},
        {"timestamp": 1784102400.0, "message": {"type": "TurnBegin", "payload": {}}},
        {
            "timestamp": 1784102402.5,
            "message": {"type": "StatusUpdate", "payload": {"token_usage": spent}},
        },
    ]
    lines = "".join(json.dumps(one) + "\n" for one in log)
    path.with_name("wire.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "kimi.json").write_text(
        json.dumps({"work_dirs": [{"path": "/home/dev/shop"}]}), encoding="utf-8"
    )
    transcript = read(path)
    assert transcript.token_usage is not None
    assert (transcript.token_usage.input, transcript.token_usage.output) == (16, 3)
    assert transcript.duration_ms == 2500
    assert transcript.source.cwd == "/home/dev/shop"
    assert [ref.path for ref in ADAPTER.sessions(tmp_path)] == [path]
