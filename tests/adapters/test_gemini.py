"""Gemini CLI: what its log says last is true, and its sessions are found by their project."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from runaway import no_runaway

from pytest_agentv import ReadOptions, TokenUsage, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.errors import SessionError
from pytest_agentv.plugins import registry

ADAPTER = registry().adapter("gemini")
DATA = Path(__file__).parents[1] / "data" / "gemini"
HEADER = {"sessionId": "s-1", "projectHash": "h", "startTime": "2026-07-15T08:00:00.000Z"}


def read(path: Path, *, include_subagents: bool = False) -> Transcript:
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions(include_subagents=include_subagents)))


def log(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one) + "\n" for one in (HEADER, *records)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def said(id_: str, text: str, type_: str = "user") -> dict[str, Any]:
    return {"id": id_, "type": type_, "timestamp": "2026-07-15T08:00:01.000Z", "content": text}


def texts(transcript: Transcript) -> list[str]:
    return [one.content for one in transcript.output]


def test_a_message_whose_id_came_before_takes_its_place(tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl", said("1", "a"), said("2", "b", "gemini"), said("1", "c"))
    assert texts(read(path)) == ["c", "b"]


def test_a_rewind_takes_back_a_message_and_all_after_it(tmp_path: Path) -> None:
    path = log(
        tmp_path / "a.jsonl", said("1", "a"), said("2", "b"), said("3", "c"), {"$rewindTo": "2"}
    )
    transcript = read(path)
    assert texts(transcript) == ["a"]
    assert transcript.left_out == {"message taken back": 2}


def test_what_was_taken_back_was_paid_for(tmp_path: Path) -> None:
    wrong, right = said("2", "b", "gemini"), said("4", "d", "gemini")
    for one in (wrong, right):
        one["tokens"] = {"input": 100, "output": 7, "cached": 40, "thoughts": 3, "total": 110}
    path = log(
        tmp_path / "a.jsonl", said("1", "a"), wrong, {"$rewindTo": "1"}, said("3", "c"), right
    )
    transcript = read(path)
    assert texts(transcript) == ["c", "d"]
    assert transcript.token_usage == TokenUsage(
        input=200, output=20, cached=80, reasoning=6, output_complete=True
    )


def test_what_was_taken_back_and_came_again_was_paid_for_once(tmp_path: Path) -> None:
    answer = {**said("2", "b", "gemini"), "tokens": {"input": 100, "output": 7, "total": 107}}
    path = log(tmp_path / "a.jsonl", said("1", "a"), answer, {"$rewindTo": "2"}, answer)
    usage = read(path).token_usage
    assert usage is not None
    assert (usage.input, usage.output) == (100, 7)


def test_a_rewind_to_an_unknown_message_takes_back_all(tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl", said("1", "a"), {"$rewindTo": "9"}, said("2", "b"))
    assert texts(read(path)) == ["b"]


def test_a_long_session_may_be_rewound_message_by_message(tmp_path: Path) -> None:
    ids = [str(number) for number in range(100_000)]
    told = [said(id_, "a") for id_ in ids]
    path = log(tmp_path / "a.jsonl", *told, *({"$rewindTo": id_} for id_ in reversed(ids[1:])))
    with no_runaway():  # what is quadratic takes minutes
        transcript = read(path)
    assert texts(transcript) == ["a"]
    assert transcript.left_out == {"message taken back": 99_999}


def test_messages_that_are_set_replace_all_and_are_replaced_by_their_ids(tmp_path: Path) -> None:
    path = log(
        tmp_path / "a.jsonl",
        said("1", "a"),
        {"$set": {"messages": [said("7", "x"), said("8", "y")]}},
        said("8", "z"),
        said("9", "w", "gemini"),
    )
    assert texts(read(path)) == ["x", "z", "w"]


def test_any_number_of_messages_may_be_set_and_replaced(tmp_path: Path) -> None:
    messages = [said(str(number), "a") for number in range(50_000)]
    replaced = [said(str(number), "b") for number in range(0, 50_000, 2)]
    path = log(tmp_path / "a.jsonl", {"$set": {"messages": messages}}, *replaced)
    with no_runaway():  # what is quadratic takes minutes
        transcript = read(path)
    assert texts(transcript)[:4] == ["b", "a", "b", "a"]
    assert len(transcript.output) == 50_000


def test_a_document_on_one_line_is_read_as_one_over_many(tmp_path: Path) -> None:
    document = json.loads((DATA / "login-limit.json").read_bytes())
    path = tmp_path / "one-line.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert ADAPTER.claims(path)
    one_line, pretty = read(path), read(DATA / "login-limit.json")
    assert texts(one_line) == texts(pretty)
    assert one_line.token_usage == pretty.token_usage


def test_sub_agents_are_read_from_the_folder_of_their_session(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "shop" / "chats"
    chats.mkdir(parents=True)
    path = chats / "session-2026-07-15T08-00-0d9f4c1a.jsonl"
    shutil.copy(DATA / "log.jsonl", path)
    folder = chats / "0d9f4c1a-2222-4b7c-9e55-6f1a2b3c4d5e"
    about = {"sessionId": "agent-1", "projectHash": "h", "kind": "subagent"}
    agent = log(folder / "agent-1.jsonl", said("1", "Review it."), said("2", "Fine.", "gemini"))
    lines = agent.read_text(encoding="utf-8").splitlines()
    agent.write_text("\n".join([json.dumps(about), *lines[1:]]), encoding="utf-8")
    plain, whole = read(path), read(path, include_subagents=True)
    assert [one.agent_id for one in whole.output] == [
        None, None, None, None, "agent-1", "agent-1", None,
    ]  # fmt: skip
    assert whole.token_usage == plain.token_usage
    assert [ref.path for ref in ADAPTER.sessions(tmp_path / "tmp")] == [path]


def test_a_session_that_was_resumed_is_listed_once_as_its_log(tmp_path: Path) -> None:
    chats = tmp_path / "shop" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-1.json").write_text(
        json.dumps({**HEADER, "messages": [said("1", "a")]}, indent=2), encoding="utf-8"
    )
    newer = log(chats / "session-1.jsonl", said("1", "a"), said("2", "b"))
    (ref,) = ADAPTER.sessions(tmp_path)
    assert (ref.session_id, ref.path) == ("s-1", newer)


@pytest.mark.parametrize("way", ["hash", "project_root", "registry", "none"])
def test_sessions_are_found_by_their_project(way: str, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    home = tmp_path / ".gemini" / "tmp"
    name = hashlib.sha256(str(project).encode()).hexdigest() if way == "hash" else "shop-1"
    path = log(home / name / "chats" / "session-x.jsonl", said("1", "a"))
    if way == "project_root":
        (home / name / ".project_root").write_text(f"{project}\n", encoding="utf-8")
    if way == "registry":
        registry_file = tmp_path / ".gemini" / "projects.json"
        content = json.dumps({"projects": {str(project): name}})
        registry_file.write_text(content, encoding="utf-8")
    found = [ref.path for ref in ADAPTER.sessions(home, project=project)]
    assert found == ([] if way == "none" else [path])
    known = str(project) if way in ("project_root", "registry") else None
    assert read(path).source.cwd == known
    assert list(ADAPTER.sessions(home, project=tmp_path / "other")) == []


def test_a_list_of_projects_that_is_nested_endlessly_is_none(tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "tmp" / "shop" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    said = {"id": "1", "timestamp": HEADER["startTime"], "type": "user", "content": "Hello"}
    path.write_text(json.dumps({**HEADER, "messages": [said]}), encoding="utf-8")
    deep = '{"projects": {"/home/dev/shop": ' + "[" * 50_000 + "]" * 50_000 + "}}"
    (tmp_path / ".gemini" / "projects.json").write_text(deep, encoding="utf-8")
    assert read(path).source.cwd is None


def test_the_folder_is_known_by_its_hash_when_a_call_names_a_path_in_it(tmp_path: Path) -> None:
    about = {**HEADER, "projectHash": hashlib.sha256(b"/home/dev/shop").hexdigest()}
    call = {"id": "c", "name": "read_file", "args": {"file_path": "/home/dev/shop/src/a.js"}}
    path = tmp_path / "a.jsonl"
    records = [about, {**said("1", "", "gemini"), "toolCalls": [call]}]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert read(path).source.cwd == "/home/dev/shop"
    path.write_text("\n".join(map(json.dumps, [HEADER, *records[1:]])), encoding="utf-8")
    assert read(path).source.cwd is None


def test_a_log_without_its_header_is_known_by_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    records = [said("1", "a"), said("2", "b", "gemini")]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert ADAPTER.claims(path)
    assert texts(read(path)) == ["a", "b"]


def test_a_single_message_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "message.json"
    path.write_text(json.dumps(said("1", "a", "gemini"), indent=2), encoding="utf-8")
    assert not ADAPTER.claims(path)
    with pytest.raises(SessionError):
        read(path)
