"""Pi: the branch of the last record is the conversation, whatever is broken around it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_agentv import ReadOptions, TokenUsage, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.tree import Tree
from pytest_agentv.plugins import registry

ADAPTER = registry().adapter("pi")
HEADER = {"type": "session", "version": 3, "id": "s-1", "cwd": "/home/dev/shop"}
TIME = "2026-07-15T08:00:00.000Z"


def entry(id_: str, parent: str | None, text: str, role: str = "user") -> dict[str, Any]:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": id_, "parentId": parent, "timestamp": TIME, "message": message}


def made(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def read(path: Path) -> Transcript:
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions()))


def texts(transcript: Transcript) -> list[str]:
    return [one.content for one in transcript.output]


def test_branches_that_were_given_up_are_left_out_and_counted(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x_1.jsonl", HEADER,
        entry("a", None, "one"), entry("b", "a", "two"), entry("c", "a", "three"),
    )  # fmt: skip
    transcript = read(path)
    assert texts(transcript) == ["one", "three"]
    assert transcript.left_out == {"entry of another branch": 1}


def test_branches_that_were_given_up_were_paid_for(tmp_path: Path) -> None:
    spent = {"input": 10, "output": 5, "cacheRead": 20, "cacheWrite": 3, "cost": {"total": 0.25}}
    wrong, right = entry("b", "a", "two", "assistant"), entry("c", "a", "three", "assistant")
    for one in (wrong, right):
        one["message"]["usage"] = spent
    path = made(tmp_path / "x_1.jsonl", HEADER, entry("a", None, "one"), wrong, right)
    transcript = read(path)
    assert texts(transcript) == ["one", "three"]
    assert transcript.token_usage == TokenUsage(
        input=66, output=10, cached=40, cache_write=6, output_complete=True
    )
    assert transcript.cost_usd == 0.5


def test_a_copy_on_another_branch_was_paid_for_once(tmp_path: Path) -> None:
    answer, prompt = entry("a", None, "one", "assistant"), entry("b", "a", "two")
    answer["message"]["usage"] = {"input": 10, "output": 5}
    path = made(tmp_path / "x_1.jsonl", HEADER, answer, prompt, answer, entry("c", "b", "three"))
    transcript = read(path)
    assert texts(transcript) == ["one", "two", "three"]
    assert transcript.token_usage == TokenUsage(input=10, output=5, output_complete=True)


def test_a_response_that_is_written_again_is_paid_for_once(tmp_path: Path) -> None:
    answer = entry("b", "a", "two", "assistant")
    answer["message"]["usage"] = {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0}
    path = made(tmp_path / "x_1.jsonl", HEADER, entry("a", None, "one"), answer,
        entry("c", "b", "three"), answer,
    )  # fmt: skip
    usage = read(path).token_usage
    assert usage is not None
    assert (usage.input, usage.output) == (10, 5)


@pytest.mark.parametrize(
    ("stop_reason", "expected"),
    [("error", [("user", "one"), ("assistant", "two"), ("system", "429 Too many requests")]),
     ("aborted", [("user", "one"), ("assistant", "two")])],
)  # fmt: skip
def test_an_error_of_the_service_is_told_after_what_it_cut_off(
    stop_reason: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    answer = entry("b", "a", "two", "assistant")
    answer["message"] |= {"stopReason": stop_reason, "errorMessage": "429 Too many requests"}
    path = made(tmp_path / "x_1.jsonl", HEADER, entry("a", None, "one"), answer)
    assert [(one.role, one.content) for one in read(path).output] == expected


def test_a_record_whose_parent_is_lost_follows_the_one_before_it(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x_1.jsonl", HEADER,
        entry("a", None, "one"), entry("c", "b", "three"), entry("d", "c", "four"),
    )  # fmt: skip
    transcript = read(path)
    assert texts(transcript) == ["one", "three", "four"]
    assert transcript.drift == {"unknown parent": 1}


def test_records_that_follow_each_other_in_a_circle_end(tmp_path: Path) -> None:
    path = made(tmp_path / "x_1.jsonl", HEADER, entry("a", "b", "one"), entry("b", "a", "two"))
    assert texts(read(path)) == ["one", "two"]


def test_a_newer_format_is_noted(tmp_path: Path) -> None:
    path = made(tmp_path / "x_1.jsonl", {**HEADER, "version": 4}, entry("a", None, "one"))
    assert read(path).drift == {"format version 4 is newer than 3": 1}


def test_sessions_are_found_by_their_project(tmp_path: Path) -> None:
    home = tmp_path / "sessions"
    path = made(home / "--home-dev-shop--" / "t_s-1.jsonl", HEADER, entry("a", None, "one"))
    assert [ref.path for ref in ADAPTER.sessions(home, project=Path("/home/dev/shop"))] == [path]
    assert list(ADAPTER.sessions(home, project=Path("/home/dev/other"))) == []


def test_a_trace_of_hugging_face_is_not_taken_for_a_session(tmp_path: Path) -> None:
    header = {"type": "session", "harness": "acme", "id": "x", "name": "n"}
    message = {"type": "message", "message": {"role": "user", "content": "Hi"}}
    assert not ADAPTER.claims(made(tmp_path / "trace.jsonl", header, message, message))


@pytest.mark.parametrize(
    ("text", "is_error", "status", "code"),
    [
        ("ok", False, "ok", None),
        ("no\n\nCommand exited with code 7", True, "error", 7),
        ("Command exited with code 7\nbut went on", False, "ok", None),
        ("\n\nCommand timed out after 30 seconds", True, "timeout", None),
        ("half\n\nCommand aborted", True, "cancelled", None),
    ],
)
def test_the_last_line_of_a_command_tells_how_it_ended(
    *, text: str, is_error: bool, status: str, code: int | None, tmp_path: Path
) -> None:
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "x"}}
    asked = entry("a", None, "", "assistant")
    asked["message"]["content"] = [call]
    answer = entry("b", "a", text, "toolResult")
    answer["message"].update(toolCallId="t", toolName="bash", isError=is_error)
    transcript = read(made(tmp_path / "x_1.jsonl", HEADER, asked, answer))
    (made_call,) = transcript.tool_calls()
    assert (made_call.status, made_call.exit_code) == (status, code)


def test_a_tree_needs_little_memory_for_each_record() -> None:
    tree = Tree()
    for number in range(3):
        tree.add(str(number), str(number - 1) if number else None, (number, 1, number + 1))
    tree.add("side", "0", (9, 1, 9), leaf=False)
    assert [place[0] for place in tree.path()] == [0, 1, 2]
    assert tree.given_up == 1
