"""``agentv import claude --all``: every session on its own; one bad one stops no other."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id, run_agentv, transcript_of
from claude_sessions import Session
from generate_claude import generate

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_sessions_of_all_projects_are_imported(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa", "Fix the shop")
    home.session("bbbbbbbb", "Fix the site", cwd="/home/dev/site")
    home.session("cccccccc", None, cwd="/home/dev/site")

    imported = agentv("import", "claude", "--all")

    assert (imported.code, imported.err) == (0, "")
    assert imported.out == "3 of 3 sessions imported, 0 failed\n"
    folder = work / ".agentv" / "transcripts"
    assert names(folder) == [
        "claude-aaaaaaaa.jsonl",
        "claude-bbbbbbbb.jsonl",
        "claude-cccccccc.jsonl",
    ]
    assert transcript_of(folder / "claude-bbbbbbbb.jsonl")["input"] == "Fix the site"


def test_all_sessions_of_one_project(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("aaaaaaaa", cwd=work / "shop")
    home.session("bbbbbbbb", cwd=work / "site")

    imported = agentv("import", "claude", "--all", "--project-path", "site", "-o", "out")

    assert imported.out == "1 of 1 sessions imported, 0 failed\n"
    assert names(work / "out") == ["claude-bbbbbbbb.jsonl"]


def test_output_is_a_folder_which_is_made(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("aaaaaaaa")
    home.session("bbbbbbbb")

    assert agentv("import", "claude", "--all", "-o", "new/folder").code == 0
    assert names(work / "new" / "folder") == ["claude-aaaaaaaa.jsonl", "claude-bbbbbbbb.jsonl"]
    assert names(work) == ["new"]


def test_an_output_that_is_a_file_cannot_take_all_sessions(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa")
    home.session("bbbbbbbb")
    (work / "file").write_text("precious", encoding="utf-8")

    imported = agentv("import", "claude", "--all", "--force", "-o", "file")

    assert (imported.code, imported.out) == (2, "")
    assert imported.err.startswith("agentv: file is a file; --all writes to a folder.")
    assert (work / "file").read_text(encoding="utf-8") == "precious"


def test_one_bad_session_stops_no_other(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    good = home.session("aaaaaaaa")
    empty = good.with_name(f"{full_id('bbbbbbbb')}.jsonl")
    empty.write_bytes(b"")
    picture = good.with_name(f"{full_id('cccccccc')}.jsonl")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    home.session("dddddddd")

    imported = agentv("import", "claude", "--all", "-o", "out")

    assert imported.code == 1
    assert imported.out == "2 of 4 sessions imported, 2 failed\n"
    assert sorted(imported.err.splitlines()) == [
        f"agentv: {empty}: is empty",
        f"agentv: {picture}: holds no record of a Claude Code session",
    ]
    assert names(work / "out") == ["claude-aaaaaaaa.jsonl", "claude-dddddddd.jsonl"]


SNAPSHOT = b'{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n'


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_a_session_in_which_nobody_said_anything_is_no_failure(
    home: ClaudeHome, agentv: InProcess, work: Path, workers: list[str]
) -> None:
    good = home.session("aaaaaaaa")
    empty = good.with_name(f"{full_id('bbbbbbbb')}.jsonl")
    empty.write_bytes(SNAPSHOT)

    imported = agentv("import", "claude", "--all", "-o", "out", *workers)
    as_json = agentv("import", "claude", "--all", "-o", "out", "--resume", "--json", *workers)

    assert (imported.code, imported.err) == (0, "")
    assert imported.out == "1 of 2 sessions imported, 1 without a message, 0 failed\n"
    assert names(work / "out") == ["claude-aaaaaaaa.jsonl"]
    assert json.loads(as_json.out) == {
        "imported": [], "empty": [str(empty)], "failed": [], "there": 1,
    }  # fmt: skip


def test_a_session_of_which_nothing_is_understood_is_a_failure(
    home: ClaudeHome, agentv: InProcess
) -> None:
    unknown = home.session("aaaaaaaa")
    unknown.write_bytes(SNAPSHOT + b'{"type":"user","message":{}}\n')

    imported = agentv("import", "claude", "--all", "-o", "out")

    assert imported.code == 1
    assert imported.out == "0 of 1 sessions imported, 1 failed\n"
    assert imported.err.startswith(f"agentv: {unknown}: holds no message at all")


def test_what_was_done_as_json(home: ClaudeHome, agentv: InProcess) -> None:
    good = home.session("bbbbbbbb")
    other = home.session("aaaaaaaa", cwd="/home/dev/site")
    empty = good.with_name(f"{full_id('cccccccc')}.jsonl")
    empty.write_bytes(b"")

    imported = agentv("import", "claude", "--all", "-o", "out", "--json")

    assert imported.code == 1
    assert json.loads(imported.out) == {
        "imported": [
            {
                "path": "out/claude-aaaaaaaa.jsonl",
                "session": str(other),
                "session_id": full_id("aaaaaaaa"),
                "provider": "claude-cli",
                "messages": 4,
                "tool_calls": 2,
                "drift": {},
                "privacy": None,
            },
            {
                "path": "out/claude-bbbbbbbb.jsonl",
                "session": str(good),
                "session_id": full_id("bbbbbbbb"),
                "provider": "claude-cli",
                "messages": 4,
                "tool_calls": 2,
                "drift": {},
                "privacy": None,
            },
        ],
        "empty": [],
        "failed": [f"{empty}: is empty"],
    }


def test_transcripts_that_exist_are_failures_and_stay_as_they_are(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa")
    home.session("bbbbbbbb")
    (work / "out").mkdir()
    (work / "out" / "claude-aaaaaaaa.jsonl").write_text("precious", encoding="utf-8")

    imported = agentv("import", "claude", "--all", "-o", "out")

    assert imported.code == 1
    assert imported.out == "1 of 2 sessions imported, 1 failed\n"
    assert imported.err == (
        "agentv: out/claude-aaaaaaaa.jsonl: exists already; --force overwrites it\n"
        "agentv: --resume leaves transcripts that exist, and imports what is new\n"
    )
    assert (work / "out" / "claude-aaaaaaaa.jsonl").read_text(encoding="utf-8") == "precious"
    assert names(work / "out") == ["claude-aaaaaaaa.jsonl", "claude-bbbbbbbb.jsonl"]


def test_force_overwrites_them(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("aaaaaaaa", "New")
    (work / "out").mkdir()
    (work / "out" / "claude-aaaaaaaa.jsonl").write_text("old", encoding="utf-8")

    assert agentv("import", "claude", "--all", "-o", "out", "--force").code == 0
    assert transcript_of(work / "out" / "claude-aaaaaaaa.jsonl")["input"] == "New"


def test_sessions_whose_names_would_clash_get_their_whole_ids(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa-1111", "One")
    home.session("aaaaaaaa-2222", "Two", cwd="/home/dev/site")
    home.session("bbbbbbbb")

    assert agentv("import", "claude", "--all", "-o", "out").code == 0
    assert names(work / "out") == [
        "claude-aaaaaaaa-1111-4000-8000-000000000000.jsonl",
        "claude-aaaaaaaa-2222-4000-8000-000000000000.jsonl",
        "claude-bbbbbbbb.jsonl",
    ]
    one = transcript_of(work / "out" / "claude-aaaaaaaa-1111-4000-8000-000000000000.jsonl")
    assert one["input"] == "One"


def test_a_session_in_two_projects_becomes_two_transcripts(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa", "In the shop")
    home.session("aaaaaaaa", "In the site", cwd="/home/dev/site")

    imported = agentv("import", "claude", "--all", "-o", "out")

    assert imported.out == "2 of 2 sessions imported, 0 failed\n"
    prompts = {transcript_of(path)["input"] for path in (work / "out").iterdir()}
    assert prompts == {"In the shop", "In the site"}


def test_options_hold_for_every_session(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("aaaaaaaa")
    session = Session(full_id("bbbbbbbb"))
    session.prompt("Hello")
    session.about("brand-new")
    drifted = home.add(session)

    imported = agentv("import", "claude", "--all", "-o", "out", "--strict", "--test-id", "x")

    assert imported.code == 1
    assert imported.out == "1 of 2 sessions imported, 1 failed\n"
    assert imported.err == (
        f"agentv: {drifted}: not all of it is understood: "
        "record type 'brand-new': 1 (first: line 2)\n"
    )
    assert names(work / "out") == ["claude-aaaaaaaa.jsonl"]
    assert transcript_of(work / "out" / "claude-aaaaaaaa.jsonl")["test_id"] == "x"


def test_many_bytes_are_imported_by_several_processes_into_the_same_files(
    home: ClaudeHome, work: Path
) -> None:
    first = home.projects / "-home-dev-a" / f"{full_id('a0000000')}.jsonl"
    first.parent.mkdir(parents=True)
    generate(first, megabytes=2.7, seed=3, subagents=1)
    # Twenty of them are more than 50 MiB, the ten of one project are less.
    for number in range(1, 20):
        folder = home.projects / ("-home-dev-a" if number < 10 else "-home-dev-b")
        folder.mkdir(exist_ok=True)
        shutil.copyfile(first, folder / f"{full_id(f'a{number:07}')}.jsonl")
    bad = first.with_name(f"{full_id('b0000000')}.jsonl")
    bad.write_bytes(b"")

    at_once = run_agentv("import", "claude", "--all", "-o", "at-once", cwd=work)
    for project in ("/home/dev/a", "/home/dev/b"):
        arguments = ["--all", "--project-path", project, "-o", "in-turn"]
        run_agentv("import", "claude", *arguments, cwd=work)

    assert at_once.code == 1
    assert at_once.out == "20 of 21 sessions imported, 1 failed\n"
    assert f"agentv: {bad}: is empty\n" in at_once.err
    assert len(names(work / "at-once")) == 20
    assert {path.name: path.read_bytes() for path in (work / "at-once").iterdir()} == {
        path.name: path.read_bytes() for path in (work / "in-turn").iterdir()
    }
