"""Importing sessions of Codex and Copilot: the same command, and what is theirs alone."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import transcript_of
from codex_homes import CodexHome, full_id
from copilot_sessions import SESSION_ID, plain

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess


@pytest.fixture
def codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodexHome:
    """The home of somebody who uses Codex."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    return CodexHome(tmp_path / "codex")


@pytest.fixture
def copilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody who uses Copilot."""
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "copilot"))
    return tmp_path / "copilot"


def aged(path: Path, minute: int) -> None:
    os.utime(path, (1_774_000_000 + 60 * minute,) * 2)


def test_the_newest_codex_session_is_named_by_its_thread(
    agentv: InProcess, codex: CodexHome, work: Path
) -> None:
    codex.session("019f0001", prompt="Add a test")

    imported = agentv("import", "codex", "--discover", "latest")

    assert (imported.code, imported.err) == (0, "")
    transcript = transcript_of(work / ".agentv" / "transcripts" / "codex-019f0001.jsonl")
    assert transcript["source"]["provider"] == "codex-cli"
    assert transcript["source"]["session_id"] == full_id("019f0001")
    assert transcript["input"] == "Add a test"


def test_a_codex_session_by_the_day_it_began(
    agentv: InProcess, codex: CodexHome, work: Path
) -> None:
    for short, day in (("019f0001", "2026-03-05"), ("019f0002", "2026-03-06")):
        path = codex.session(short, prompt=f"On {day}")
        target = codex.place(short, day=day)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)

    imported = agentv("import", "codex", "--discover", "latest", "--date", "2026-03-05")

    assert (imported.code, imported.err) == (0, "")
    assert transcript_of(work / ".agentv" / "transcripts" / "codex-019f0001.jsonl")["input"] == (
        "On 2026-03-05"
    )
    listed = agentv("import", "codex", "--list", "--date", "2026-03-06", "--json")
    assert full_id("019f0002") in listed.out
    assert full_id("019f0001") not in listed.out


def test_a_day_without_a_session_is_named(agentv: InProcess, codex: CodexHome) -> None:
    codex.session("019f0001")

    imported = agentv("import", "codex", "--all", "--date", "2026-03-29")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == (
        f"agentv: no session of codex was found below {codex.root} of 2026-03-29\n"
    )


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "29.03.2026", "2026-3-29T10:00"])
def test_what_is_no_date_is_wrong_usage(agentv: InProcess, codex: CodexHome, day: str) -> None:
    codex.session("019f0001")

    imported = agentv("import", "codex", "--all", "--date", day)

    assert imported.code == 2
    assert f"{day!r} is no date like 2026-03-29" in imported.err


def test_a_date_does_not_go_with_a_file(agentv: InProcess, codex: CodexHome) -> None:
    path = codex.session("019f0001")

    imported = agentv("import", "codex", "--file", path, "--date", "2026-03-05")

    assert imported.code == 2
    assert "--date chooses among sessions; --file is one." in imported.err


@pytest.mark.parametrize("client", ["claude", "copilot"])
def test_only_codex_has_sessions_by_day(agentv: InProcess, client: str) -> None:
    refused = agentv("import", client, "--all", "--date", "2026-03-05")

    assert refused.code == 2
    assert "No such option" in refused.err
    assert "--date" not in agentv("import", client, "--help").out
    assert "--date" in agentv("import", "codex", "--help").out


def test_a_file_of_another_client_is_sent_to_the_right_command(
    agentv: InProcess, codex: CodexHome
) -> None:
    path = codex.session("019f0001")

    refused = agentv("import", "claude", "--file", path)

    assert refused.code == 1
    assert f"try: agentv import codex --file {path}" in refused.err


SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": full_id("019f0001"), "depth": 1}}}
TITLE = "Generate a concise UI title (20-40 characters) for this task.\nTask: add a test"


@pytest.mark.parametrize(
    "newer",
    [
        {"prompt": None},
        {"prompt": TITLE, "source": "exec"},
        {"prompt": "Look around", "source": SPAWN},
        {"prompt": "Review it", "source": {"subagent": "review"}},
        {"prompt": "May it?", "source": {"subagent": {"other": "guardian"}}},
    ],
    ids=["no prompt", "title", "sub-agent", "review", "guardian"],
)
def test_the_latest_codex_session_is_one_that_somebody_began(
    agentv: InProcess, codex: CodexHome, work: Path, newer: dict[str, Any]
) -> None:
    aged(codex.session("019f0001", prompt="Add a test"), 1)
    aged(codex.session("019f0002", **newer), 2)

    imported = agentv("import", "codex", "--discover", "latest", "-o", "t.jsonl")

    assert (imported.code, imported.err) == (0, "")
    assert transcript_of(work / "t.jsonl")["input"] == "Add a test"
    listed = json.loads(agentv("import", "codex", "--list", "--json").out)
    assert [(one["id"][:8], one["first_prompt"]) for one in listed] == [
        ("019f0002", None),
        ("019f0001", "Add a test"),
    ]


def test_the_latest_copilot_session_is_one_with_a_prompt(
    agentv: InProcess, copilot: Path, work: Path
) -> None:
    aged(plain().write_in(copilot, workspace="cwd: /home/dev/shop\nname: Login\n"), 1)
    idle = plain("5e550000-0000-4000-8000-00000000000f")
    idle.events = idle.events[:1]
    aged(idle.write_in(copilot), 2)
    (copilot / "session-state" / "00000000-0000-4000-8000-000000000000").mkdir()

    imported = agentv("import", "copilot", "--discover", "latest", "-o", "t.jsonl")

    assert (imported.code, imported.err) == (0, "")
    transcript = transcript_of(work / "t.jsonl")
    assert transcript["source"]["session_id"] == SESSION_ID
    assert transcript["source"]["title"] == "Login"
    assert transcript["input"] == "Add a login page"
    assert len(json.loads(agentv("import", "copilot", "--list", "--json").out)) == 2


@pytest.mark.parametrize("command", ["copilot", "auto"])
def test_the_folder_of_a_copilot_session_is_the_session(
    agentv: InProcess, copilot: Path, work: Path, command: str
) -> None:
    folder = plain().write_in(copilot, workspace="name: Login\n").parent

    imported = agentv("import", command, "--file", folder)

    assert (imported.code, imported.err) == (0, "")
    (written,) = (work / ".agentv" / "transcripts").iterdir()
    assert written.name == f"copilot-{SESSION_ID[:8]}.jsonl"
    assert transcript_of(written)["source"]["title"] == "Login"


def test_a_folder_of_several_sessions_is_none(agentv: InProcess, codex: CodexHome) -> None:
    codex.session("019f0001")
    folder = codex.session("019f0002").parent

    imported = agentv("import", "codex", "--file", folder)

    assert imported.code == 1
    assert imported.err == f"agentv: {folder}: is a directory, not a regular file\n"
