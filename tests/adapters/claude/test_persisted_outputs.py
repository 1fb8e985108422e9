"""Big outputs lie in files beside the session; nothing else on the machine is ever read."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session

if TYPE_CHECKING:
    from pathlib import Path

    from claude_sessions import Read

    from pytest_agentv import Transcript

PREVIEW = "<persisted-output>\nOutput too large. Preview:\nline 1\n</persisted-output>"
SECRET = "not for you"  # noqa: S105 (what must not be read)


def session_of(recorded: str) -> Session:
    session = Session()
    session.prompt("Go")
    noted = {"stdout": "line 1", "interrupted": False, "persistedOutputPath": recorded}
    session.call("toolu_1", "Bash", {"command": "make"}, PREVIEW, noted=noted)
    return session


def results_of(session: Session, folder: Path) -> Path:
    results = session.write_in(folder).with_suffix("") / "tool-results"
    results.mkdir(parents=True)
    return results


def output_of(transcript: Transcript) -> str | None:
    (call,) = transcript.tool_calls()
    return call.output


@pytest.mark.parametrize(
    "recorded",
    [
        "/home/somebody/.claude/projects/-x/5e55/tool-results/b1.txt",
        "C:\\Users\\somebody\\.claude\\projects\\C--x\\5e55\\tool-results\\b1.txt",
        "b1.txt",
    ],
)
def test_the_whole_output_is_read_from_the_sessions_own_folder(
    read: Read, tmp_path: Path, recorded: str
) -> None:
    session = session_of(recorded)
    (results_of(session, tmp_path) / "b1.txt").write_text("line 1\nline 2\n", encoding="utf-8")
    transcript = read(session)
    assert output_of(transcript) == "line 1\nline 2\n"
    assert transcript.left_out == {}


def test_a_missing_output_keeps_its_preview_and_is_counted(read: Read) -> None:
    transcript = read(session_of("/home/somebody/b1.txt"))
    assert output_of(transcript) == PREVIEW
    assert transcript.left_out == {"tool output in a file that is gone or too large": 1}


@pytest.mark.parametrize(
    "recorded",
    ["/etc/passwd", "../../secret.txt", "..\\..\\secret.txt", "..", "/", "", ".", "a\x00b"],
)
def test_a_recorded_path_never_leads_out_of_the_folder(
    read: Read, tmp_path: Path, recorded: str
) -> None:
    session = session_of(recorded)
    results_of(session, tmp_path)
    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    assert output_of(read(session)) == PREVIEW


def test_an_absolute_path_of_an_existing_file_is_not_followed(read: Read, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET, encoding="utf-8")
    session = session_of(str(secret))
    results_of(session, tmp_path)
    assert output_of(read(session)) == PREVIEW


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_out_of_the_folder_is_not_followed(read: Read, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b1.txt").write_text(SECRET, encoding="utf-8")
    session = session_of("/x/b1.txt")
    results = results_of(session, tmp_path)
    if linked == "file":
        (results / "b1.txt").symlink_to(outside / "b1.txt")
    else:
        results.rmdir()
        results.symlink_to(outside)
    assert output_of(read(session)) == PREVIEW


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_pipe_in_the_folder_does_not_hang(read: Read, tmp_path: Path) -> None:
    session = session_of("/x/b1.txt")
    os.mkfifo(results_of(session, tmp_path) / "b1.txt")
    assert output_of(read(session)) == PREVIEW


def test_a_huge_output_keeps_its_preview(read: Read, tmp_path: Path) -> None:
    session = session_of("/x/b1.txt")
    (results_of(session, tmp_path) / "b1.txt").write_bytes(b"x" * ((8 << 20) + 1))
    assert output_of(read(session)) == PREVIEW


def test_bytes_that_are_no_text_are_replaced(read: Read, tmp_path: Path) -> None:
    session = session_of("/x/b1.txt")
    (results_of(session, tmp_path) / "b1.txt").write_bytes(b"caf\xe9")
    assert output_of(read(session)) == "caf\ufffd"


@pytest.mark.parametrize("place", ["subagents", "subagents/workflows/w1", "beside"])
def test_the_outputs_of_a_sub_agent_are_those_of_its_session(
    read: Read, tmp_path: Path, place: str
) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Task", {"prompt": "Build"}, "Built.", noted={"agentId": "a1"})
    results = results_of(session, tmp_path)
    (results / "b1.txt").write_text("line 1\nline 2\n", encoding="utf-8")
    agent = session.agent("a1")
    agent.prompt("Build")
    for name in "b1.txt", "gone.txt":
        noted = {"persistedOutputPath": f"/x/{name}"}
        agent.call(name, "Bash", {"command": "make"}, PREVIEW, noted=noted)
    folder = tmp_path if place == "beside" else results.parent / place
    file = agent.write(folder / "agent-a1.jsonl")
    transcripts = [read(tmp_path / f"{session.session_id}.jsonl", include_subagents=True)]
    if place != "beside":
        transcripts.append(read(file))
    for transcript in transcripts:
        outputs = [call.output for call in transcript.tool_calls()][-2:]
        assert outputs == ["line 1\nline 2\n", PREVIEW]
        assert transcript.left_out == {"tool output in a file that is gone or too large": 1}
