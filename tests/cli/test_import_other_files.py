"""``--file`` on what is no session: one sentence that says what it is, and nothing written."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess, Outcome

PROMPT_HISTORY = [
    {
        "display": "Fix the login page",
        "pastedContents": {},
        "timestamp": 1_774_000_000_000,
        "project": "/home/dev/shop",
        "sessionId": "0763061e-0000-4000-8000-000000000000",
    }
]
WEB_EXPORT = [
    {
        "loglines": [
            {
                "type": "user",
                "uuid": "u-1",
                "sessionId": "session_1",
                "message": {"role": "user", "content": "Fix the login page"},
            }
        ],
        "branch": "main",
    }
]
CONDENSED = [
    {
        "v": 1,
        "agent": "claude-code",
        "cli_version": "0.5.0",
        "type": "user",
        "ts": "2026-03-02T09:00:00Z",
        "content": [{"text": "Fix the login page"}],
    },
    {
        "v": 1,
        "agent": "claude-code",
        "cli_version": "0.5.0",
        "type": "assistant",
        "ts": "2026-03-02T09:00:01Z",
        "content": [{"type": "text", "text": "Done."}],
    },
]


def written(work: Path, name: str, records: list[dict[str, object]]) -> Path:
    path = work / name
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def assert_refused(imported: Outcome, work: Path, name: str, sentence: str) -> None:
    assert (imported.code, imported.out) == (1, "")
    assert imported.err == f"agentv: {name}: {sentence}\n"
    assert [path.name for path in work.iterdir()] == [name]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "file: is empty"),
        (
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe",
            "file: holds no record of a Claude Code session",
        ),
        (b"Dear diary,\n\nnothing happened.\n", "file: holds no record of a Claude Code session"),
        (b"null\n[1]\n42\n", "file: holds no record of a Claude Code session"),
        (b"\n\n\n", "file: holds no record of a Claude Code session"),
        ('{"type": "user"}\n'.encode("utf-16"), "file:1: is UTF-16 text; sessions are UTF-8"),
    ],
    ids=["empty", "PNG", "prose", "JSON", "blank", "UTF-16"],
)
def test_a_file_that_is_no_session_is_refused_in_one_sentence(
    agentv: InProcess, work: Path, content: bytes, sentence: str
) -> None:
    (work / "file").write_bytes(content)

    imported = agentv("import", "claude", "--file", "file")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == f"agentv: {sentence}\n"


def test_nothing_is_left_behind_by_a_file_that_is_refused(agentv: InProcess, work: Path) -> None:
    (work / "notes.txt").write_bytes(b"no session")

    assert agentv("import", "claude", "--file", "notes.txt").code == 1
    assert [path.name for path in work.iterdir()] == ["notes.txt"]


def test_a_session_without_any_message_says_so(agentv: InProcess, work: Path) -> None:
    session = Session()
    session.about("summary", summary="Older work", leafUuid="x")
    session.about("custom-title", customTitle="Work")
    session.write(work / "session.jsonl")

    imported = agentv("import", "claude", "--file", "session.jsonl")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == (
        "agentv: session.jsonl: holds no message at all: neither a prompt nor a response\n"
    )


@pytest.mark.parametrize(
    ("records", "name", "what"),
    [
        (PROMPT_HISTORY, "history.jsonl", "history of prompts"),
        (WEB_EXPORT, "export.json", "claude.ai"),
        (CONDENSED, "transcript.jsonl", "condensed"),
    ],
    ids=["history", "export", "condensed"],
)
def test_a_file_that_is_taken_for_a_session_is_called_what_it_is(
    agentv: InProcess, work: Path, records: list[dict[str, object]], name: str, what: str
) -> None:
    written(work, name, records)

    imported = agentv("import", "claude", "--file", name)

    assert (imported.code, imported.out) == (1, "")
    assert imported.err.startswith(f"agentv: {name}: ")
    assert imported.err.count("\n") == 1
    assert what in imported.err


def test_a_transcript_of_ours_is_called_what_it_is(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")
    agentv("import", "claude", "--discover", "latest", "-o", "t.jsonl")

    imported = agentv("import", "claude", "--file", "t.jsonl", "-o", "again.jsonl")

    assert imported.code == 1
    assert imported.err.startswith("agentv: t.jsonl: is ")
    assert "transcript" in imported.err
    assert not (work / "again.jsonl").exists()


@pytest.mark.parametrize("vendor", ["claude", "auto"])
def test_a_file_that_is_not_there_is_named(agentv: InProcess, work: Path, vendor: str) -> None:
    imported = agentv("import", vendor, "--file", "nowhere/session.jsonl")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == "agentv: nowhere/session.jsonl: no such file\n"
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("vendor", ["claude", "auto"])
def test_a_folder_is_no_session_file(agentv: InProcess, work: Path, vendor: str) -> None:
    (work / "folder").mkdir()

    imported = agentv("import", vendor, "--file", "folder")

    assert_refused(imported, work, "folder", "is a directory, not a regular file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("vendor", ["claude", "auto"])
def test_a_named_pipe_is_refused_and_never_waited_for(
    agentv: InProcess, work: Path, vendor: str
) -> None:
    os.mkfifo(work / "pipe")

    imported = agentv("import", vendor, "--file", "pipe")

    assert_refused(imported, work, "pipe", "is a named pipe, not a regular file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_one_sentence(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("0763061e")
    path.chmod(0)

    imported = agentv("import", "claude", "--file", path)

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == f"agentv: {path}: cannot be opened: Permission denied\n"


@pytest.mark.parametrize("name", ["a" * 5000, "session.jsonl/" * 1000])
def test_a_path_that_no_file_can_have_is_one_sentence(agentv: InProcess, name: str) -> None:
    imported = agentv("import", "claude", "--file", name)

    assert (imported.code, imported.out) == (1, "")
    assert "cannot be opened" in imported.err
    assert imported.err.count("\n") == 1


def test_a_file_name_cannot_steer_a_ci_log(agentv: InProcess) -> None:
    imported = agentv("import", "claude", "--file", "x\n::error::boom\x1b[31m ##[y]")

    assert imported.code == 1
    assert "\x1b" not in imported.err
    assert "\n::" not in imported.err
    assert "##[" not in imported.err
