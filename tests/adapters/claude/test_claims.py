"""Which files are Claude Code's: told by several records, never by raising."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from claude_sessions import Session, text

from pytest_agentv.errors import SessionUnreadable
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from pathlib import Path

    from claude_sessions import Read

    from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

UUID = "0aaa0000-0000-4000-8000-000000000001"


def jsonl(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def plain_session() -> Session:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Done."))
    return session


def test_a_session_is_claimed_whatever_it_is_called(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    assert adapter.claims(plain_session().write_in(tmp_path))
    assert adapter.claims(plain_session().write(tmp_path / "full.txt"))


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"\xef\xbb\xbf",
        b"torn {\n",
        b"// a comment\n",
        b"null\n",
        b'{"type":"novelty"}\n' * 100,
        b'{"type":"summary","summary":"Other"}\n' * 100,
        b'{"type":"mode","mode":"normal","sessionId":"x"}\n',
    ],
    ids=["plain", "mark", "torn", "comment", "null", "unknown", "summaries", "metadata"],
)
def test_what_the_first_lines_are_does_not_matter(
    adapter: ClaudeAdapter, tmp_path: Path, beginning: bytes
) -> None:
    path = plain_session().write_in(tmp_path)
    path.write_bytes(beginning + path.read_bytes())
    assert adapter.claims(path)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "file-history-snapshot", "messageId": UUID, "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": UUID, "content": "x"},
        {"type": "custom-title", "customTitle": "x", "sessionId": UUID},
        {"type": "summary", "summary": "x", "leafUuid": UUID},
    ],
)
def test_a_file_of_nothing_but_such_records_is_claimed(
    adapter: ClaudeAdapter, tmp_path: Path, record: dict[str, Any]
) -> None:
    assert adapter.claims(jsonl(tmp_path / "x.jsonl", record))


OTHER_FILES: dict[str, list[Any]] = {
    "codex": [
        {
            "timestamp": "2026-03-02T09:00:00.000Z",
            "type": "session_meta",
            "payload": {"id": UUID, "cwd": "/a", "cli_version": "0.50.0"},
        },
        {
            "timestamp": "2026-03-02T09:00:01.000Z",
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text"}]},
        },
    ],
    "codex-old": [
        {"id": UUID, "timestamp": "2026-03-02T09:00:00.000Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
    ],
    "copilot": [
        {"type": "session.start", "data": {"sessionId": UUID}, "id": UUID, "parentId": None},
        {"type": "user.message", "data": {"content": "Go"}, "id": UUID, "parentId": UUID},
        {"type": "assistant.message", "data": {"content": "Done."}, "id": UUID},
    ],
    "qwen": [
        {
            "uuid": UUID,
            "parentUuid": None,
            "sessionId": UUID,
            "timestamp": "2026-03-02T09:00:00.000Z",
            "type": "user",
            "cwd": "/a",
            "version": "0.6.0",
            "gitBranch": "main",
            "message": {"role": "user", "parts": [{"text": "Go"}]},
        },
        {
            "uuid": UUID,
            "parentUuid": UUID,
            "sessionId": UUID,
            "type": "assistant",
            "message": {"role": "model", "parts": [{"text": "Done."}]},
        },
    ],
    "history": [
        {"display": "Go", "pastedContents": {}, "timestamp": 1, "project": "/a", "sessionId": UUID}
    ],
    "claude-ai-export": [
        {"loglines": [{"type": "user", "message": {"role": "user", "content": "Go"}}]}
    ],
    "pi": [
        {"type": "session", "version": 3, "id": UUID, "cwd": "/a"},
        {"type": "message", "id": "1", "message": {"role": "user", "content": "Go"}},
    ],
    "gemini-log": [
        {"sessionId": UUID, "projectHash": "ab", "startTime": "2026-03-02T09:00:00.000Z"},
        {"id": "1", "type": "user", "content": "Go"},
    ],
    "cursor-transcript": [
        {"role": "user", "message": {"content": [{"type": "text", "text": "Go"}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
    ],
    "cursor-stream": [
        {
            "type": "system",
            "subtype": "init",
            "apiKeySource": "login",
            "cwd": "/a",
            "session_id": UUID,
            "model": "Auto",
            "permissionMode": "default",
        },
        {"type": "user", "message": {"role": "user", "content": [text("Go")]}, "session_id": UUID},
        {"type": "result", "subtype": "success", "duration_ms": 5, "session_id": UUID},
    ],
    "entire": [
        {
            "v": 1,
            "agent": "claude-code",
            "type": "user",
            "ts": "2026-03-02T09:00:00Z",
            "content": [],
        }
    ],
    "openai-chat": [{"messages": [{"role": "user", "content": "Go"}]}],
    "our-transcript": [
        {"schema_version": "1.0", "source": {"provider": "claude-cli"}, "input": "Go", "output": []}
    ],
    "numbers": [1, 2, 3],
}


@pytest.mark.parametrize("records", OTHER_FILES.values(), ids=OTHER_FILES.keys())
def test_files_that_look_alike_are_not_claimed(
    adapter: ClaudeAdapter, tmp_path: Path, records: list[Any]
) -> None:
    assert not adapter.claims(jsonl(tmp_path / "x.jsonl", *records))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("history", "history of prompts"),
        ("claude-ai-export", "export of a claude.ai session"),
        ("entire", "condensed transcript"),
        ("our-transcript", "is a transcript already"),
        ("codex", "holds no record of a Claude Code session"),
    ],
)
def test_reading_such_a_file_says_what_it_is(
    read: Read, tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(SessionUnreadable, match=message):
        read(jsonl(tmp_path / "x.jsonl", *OTHER_FILES[name]))


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"\x00" * 100, b"\xff\xfe{\x00", b"SQLite format 3\x00", b"[" * 100_000, b"PK"],
    ids=["empty", "blank", "nul", "utf-16", "sqlite", "deep", "zip"],
)
def test_a_file_that_is_no_session_is_not_claimed(
    adapter: ClaudeAdapter, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert not adapter.claims(path)


def test_a_path_that_is_no_file_is_not_claimed(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    assert not adapter.claims(tmp_path)
    assert not adapter.claims(tmp_path / "missing")
    assert not adapter.claims(tmp_path / "nul\x00")
    assert not adapter.claims(tmp_path / ("x" * 5000))


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes and links there")
def test_a_pipe_and_a_loop_of_links_are_not_claimed(adapter: ClaudeAdapter, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert not adapter.claims(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert not adapter.claims(tmp_path / "loop")


def test_the_registry_finds_the_adapter_by_the_file(tmp_path: Path) -> None:
    assert registry().adapter_of(plain_session().write_in(tmp_path)).name == "claude"
    assert registry().adapter_of(jsonl(tmp_path / "x.jsonl", *OTHER_FILES["codex"])).name == "codex"
    with pytest.raises(SessionUnreadable, match="no session that an adapter knows"):
        registry().adapter_of(jsonl(tmp_path / "y.jsonl", {"type": "note", "text": "Hello"}))
