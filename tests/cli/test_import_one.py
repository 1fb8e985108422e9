"""Importing one session: which one it is, where its transcript goes, and what it holds."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id, run_agentv, transcript_of
from claude_sessions import Session, text, tool_use

from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


def test_a_session_by_id_becomes_a_transcript_in_the_default_folder(
    home: ClaudeHome, work: Path
) -> None:
    home.session("0763061e", "Add JWT authentication")

    imported = run_agentv("import", "claude", "--session-id", full_id("0763061e"), cwd=work)

    assert (imported.code, imported.err) == (0, "")
    assert imported.out == ".agentv/transcripts/claude-0763061e.jsonl: 4 messages, 2 tool calls\n"
    transcript = transcript_of(work / ".agentv" / "transcripts" / "claude-0763061e.jsonl")
    assert transcript["source"]["provider"] == "claude-cli"
    assert transcript["source"]["session_id"] == full_id("0763061e")
    assert transcript["input"] == "Add JWT authentication"
    assert transcript["test_id"] is None
    assert [message["role"] for message in transcript["output"]] == [
        "user",
        "assistant",
        "assistant",
        "assistant",
    ]


@pytest.mark.parametrize(
    "wanted",
    ["0763061e-0000-4000-8000-000000000000", "0763061E", "0763061e-00", "07", "0"],
)
def test_an_id_may_be_abbreviated_and_in_any_case(
    home: ClaudeHome, agentv: InProcess, work: Path, wanted: str
) -> None:
    home.session("0763061e")
    home.session("1763061e")

    assert agentv("import", "claude", "--session-id", wanted).code == 0
    assert (work / ".agentv" / "transcripts" / "claude-0763061e.jsonl").is_file()


@pytest.mark.parametrize("wanted", ["ffffffff", "../..", "../../../etc/passwd", "*", ".", "/"])
def test_an_id_that_no_session_has_is_not_found(
    home: ClaudeHome, agentv: InProcess, work: Path, wanted: str
) -> None:
    home.session("0763061e")

    imported = agentv("import", "claude", "--session-id", wanted)

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == (
        f"agentv: no session has an id that begins with {wanted!r}; "
        "agentv import claude --list shows those there are\n"
    )
    assert list(work.iterdir()) == []


def test_an_ambiguous_id_names_the_sessions_it_fits(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")
    home.session("0763aaaa", cwd="/home/dev/site")
    home.session("1763061e")

    imported = agentv("import", "claude", "--session-id", "0763")

    assert (imported.code, imported.out) == (2, "")
    assert imported.err.startswith("agentv: 2 sessions have an id that begins with '0763': ")
    assert full_id("0763061e") in imported.err
    assert full_id("0763aaaa") in imported.err
    assert full_id("1763061e") not in imported.err
    assert imported.err.count("\n") == 1
    assert list(work.iterdir()) == []


def test_of_many_sessions_that_an_id_fits_some_are_named(
    home: ClaudeHome, agentv: InProcess
) -> None:
    for number in range(100, 140):
        home.session(f"0763{number}a")

    imported = agentv("import", "claude", "--session-id", "0763")

    assert imported.code == 2
    assert "40 sessions" in imported.err
    assert imported.err.count(".jsonl") == 5


def test_an_id_that_lies_in_two_projects_needs_a_project(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    (work / "shop").mkdir()
    home.session("0763061e", "Fix the shop", cwd=work / "shop")
    home.session("0763061e", "Fix the site", cwd=work / "site")

    assert agentv("import", "claude", "--session-id", "0763061e").code == 2
    arguments = ["--session-id", "0763061e", "--project-path", "shop", "-o", "one.jsonl"]
    assert agentv("import", "claude", *arguments).code == 0
    assert transcript_of(work / "one.jsonl")["input"] == "Fix the shop"


def test_the_whole_id_wins_over_ids_that_begin_with_it(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("0763061e")
    home.session("0763061f")

    assert agentv("import", "claude", "--session-id", full_id("0763061e")).code == 0


def test_latest_is_the_session_written_to_last(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa", "Newest", modified=1_774_000_300, cwd="/home/dev/site")
    home.session("bbbbbbbb", "Older", modified=1_774_000_200)

    imported = agentv("import", "claude", "--discover", "latest", "-o", "out.jsonl")

    assert imported.code == 0
    assert transcript_of(work / "out.jsonl")["input"] == "Newest"


def test_latest_passes_over_sessions_without_a_prompt(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    session = home.session("aaaaaaaa", "The one", modified=1_774_000_100)
    home.session("bbbbbbbb", None, modified=1_774_000_200)
    empty = Session(full_id("cccccccc"))
    empty.about("summary", summary="Nothing happened", leafUuid="x")
    home.add(empty, modified=1_774_000_300)
    for name in ("agent-1a2b3c4d.jsonl", f"{full_id('dddddddd')}.jsonl"):
        path = session.with_name(name)
        path.write_bytes(b"" if name.startswith("dddd") else session.read_bytes())
        os.utime(path, (1_774_000_400, 1_774_000_400))

    assert agentv("import", "claude", "--discover", "latest", "-o", "out.jsonl").code == 0
    assert transcript_of(work / "out.jsonl")["source"]["session_id"] == full_id("aaaaaaaa")


def test_no_session_has_an_empty_id(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("0763061e")

    imported = agentv("import", "claude", "--session-id", "")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == "agentv: no session has an empty id\n"


def test_latest_without_any_session_is_not_found(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    imported = agentv("import", "claude", "--discover", "latest")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == f"agentv: no session of claude was found below {home.projects}\n"
    assert list(work.iterdir()) == []


def test_without_a_home_folder_there_is_one_sentence(
    agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("USERPROFILE")

    imported = agentv("import", "claude", "--discover", "latest")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == (
        "agentv: it is unknown where claude keeps its sessions: no home folder is set; "
        "AGENTV_CLAUDE_PATH can say where they are\n"
    )


def test_sessions_below_claude_config_dir_come_instead_of_those_at_home(
    home: ClaudeHome, agentv: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")
    elsewhere = Session(full_id("bbbbbbbb"))
    elsewhere.prompt("Elsewhere")
    elsewhere.write_in(tmp_path / "config" / "projects" / "-home-dev-shop")

    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    listed = json.loads(agentv("import", "claude", "--list", "--json").out)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "")
    at_home = json.loads(agentv("import", "claude", "--list", "--json").out)

    assert [one["id"] for one in listed] == [full_id("bbbbbbbb")]
    assert [one["id"] for one in at_home] == [full_id("aaaaaaaa")]


def test_a_file_is_imported_from_anywhere(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    (work / "copied").mkdir()
    home.session("0763061e").rename(work / "copied" / f"{full_id('0763061e')}.jsonl")

    imported = agentv("import", "claude", "--file", f"copied/{full_id('0763061e')}.jsonl")

    assert imported.out == ".agentv/transcripts/claude-0763061e.jsonl: 4 messages, 2 tool calls\n"


def test_a_file_of_another_name_is_known_by_the_id_inside(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e").rename(work / "good run.jsonl")

    assert agentv("import", "claude", "--file", "good run.jsonl").code == 0
    transcript = transcript_of(work / ".agentv" / "transcripts" / "claude-0763061e.jsonl")
    assert transcript["source"]["session_id"] == full_id("0763061e")


@pytest.mark.parametrize(
    "session_id",
    [
        "../../etc",
        "/etc/passwd",
        "..",
        "a/b",
        "a\\..\\b",
        "x\x00y",
        "\x1b[31m",
        "日本語",
        "CON:",
        "-" * 5000,
        " ",
        "\u202e",
    ],
)
def test_what_a_session_calls_itself_never_becomes_a_path(
    agentv: InProcess, work: Path, tmp_path: Path, session_id: str
) -> None:
    session = Session(session_id)
    session.prompt("Hello")
    session.write(work / "session.jsonl")
    before = set(tmp_path.rglob("*"))

    imported = agentv("import", "claude", "--file", "session.jsonl")

    assert imported.code == 0
    folder = work / ".agentv" / "transcripts"
    (transcript,) = set(tmp_path.rglob("*")) - before - {folder, folder.parent}
    assert transcript.parent == folder
    assert re.fullmatch(r"claude-[0-9a-zA-Z-]{1,8}\.jsonl", transcript.name)
    assert transcript_of(transcript)["source"]["session_id"] == session_id


@pytest.mark.skipif(sys.platform != "linux", reason="names of bytes that are no text")
def test_a_file_name_that_is_no_text_is_no_obstacle(agentv: InProcess, work: Path) -> None:
    session = Session("")
    session.prompt("Hello")
    path = session.write(work / os.fsdecode(b"caf\xe9.jsonl"))

    assert agentv("import", "claude", "--file", path).code == 0
    imported = agentv("import", "claude", "--file", path, "--force", "--json")
    assert imported.code == 0
    assert json.loads(imported.out)["messages"] == 1


def test_output_to_a_file(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("0763061e")

    imported = agentv("import", "claude", "--discover", "latest", "-o", "mine.jsonl")

    assert imported.out == "mine.jsonl: 4 messages, 2 tool calls\n"
    assert [path.name for path in work.iterdir()] == ["mine.jsonl"]


def test_output_to_a_folder_gets_the_default_name(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")
    (work / "transcripts").mkdir()

    imported = agentv("import", "claude", "--discover", "latest", "--output", "transcripts")

    assert imported.out == "transcripts/claude-0763061e.jsonl: 4 messages, 2 tool calls\n"


def test_folders_above_an_output_are_made(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("0763061e")

    assert agentv("import", "claude", "--discover", "latest", "-o", "new/er/one.jsonl").code == 0
    assert (work / "new" / "er" / "one.jsonl").is_file()


def test_an_output_that_ends_with_a_slash_is_a_folder_also_if_it_is_new(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")

    assert agentv("import", "claude", "--discover", "latest", "-o", "new/folder/").code == 0
    assert (work / "new" / "folder" / "claude-0763061e.jsonl").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
def test_a_transcript_is_for_its_owner_only(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("0763061e")

    agentv("import", "claude", "--discover", "latest", "-o", "mine.jsonl")

    assert stat.S_IMODE(os.stat("mine.jsonl").st_mode) == 0o600  # noqa: PTH116 (in cwd)


def test_a_transcript_that_exists_is_kept(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("0763061e")
    (work / "mine.jsonl").write_text("precious", encoding="utf-8")

    imported = agentv("import", "claude", "--discover", "latest", "-o", "mine.jsonl")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == "agentv: mine.jsonl: exists already; --force overwrites it\n"
    assert (work / "mine.jsonl").read_text(encoding="utf-8") == "precious"
    assert [path.name for path in work.iterdir()] == ["mine.jsonl"]


@pytest.mark.parametrize("which", [["--discover", "latest"], ["--all"]])
def test_a_transcript_of_another_session_is_not_in_the_way(
    home: ClaudeHome, agentv: InProcess, work: Path, which: list[str]
) -> None:
    home.session("0763061e-0001")
    assert agentv("import", "claude", "--discover", "latest", "-o", "out/").code == 0
    first = (work / "out" / "claude-0763061e.jsonl").read_bytes()
    home.session("0763061e-0001").unlink()
    home.session("0763061e-0002")

    imported = agentv("import", "claude", *which, "-o", "out/", "--force")

    assert (imported.code, imported.err) == (0, "")
    assert (work / "out" / "claude-0763061e.jsonl").read_bytes() == first
    second = transcript_of(work / "out" / f"claude-{full_id('0763061e-0002')}.jsonl")
    assert second["source"]["session_id"] == full_id("0763061e-0002")


def test_force_overwrites(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    home.session("0763061e", "New")
    (work / "mine.jsonl").write_text("old", encoding="utf-8")

    assert (
        agentv("import", "claude", "--discover", "latest", "-o", "mine.jsonl", "--force").code == 0
    )
    assert transcript_of(work / "mine.jsonl")["input"] == "New"


def test_an_output_that_cannot_be_written_is_one_sentence(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")
    (work / "file").write_text("", encoding="utf-8")

    imported = agentv("import", "claude", "--discover", "latest", "-o", "file/below.jsonl")

    assert (imported.code, imported.out) == (1, "")
    assert re.fullmatch(r"agentv: file/below\.jsonl: cannot be written: .+\n", imported.err)


def test_a_default_folder_that_cannot_be_made_is_one_sentence(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")
    (work / ".agentv").write_text("", encoding="utf-8")

    imported = agentv("import", "claude", "--discover", "latest")

    assert (imported.code, imported.out) == (1, "")
    assert re.fullmatch(r"agentv: \.agentv/transcripts.*: cannot be .+\n", imported.err)


def test_the_same_session_gives_the_same_bytes(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")

    agentv("import", "claude", "--discover", "latest", "-o", "one.jsonl")
    run_agentv("import", "claude", "--session-id", "07", "-o", "two.jsonl", cwd=work)

    assert (work / "one.jsonl").read_bytes() == (work / "two.jsonl").read_bytes()


def test_a_test_id_is_written_into_the_transcript(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("0763061e")

    agentv("import", "claude", "--discover", "latest", "--test-id", "adds-jwt", "-o", "t.jsonl")

    assert transcript_of(work / "t.jsonl")["test_id"] == "adds-jwt"


def test_one_message_and_one_call_are_named_in_the_singular(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = Session(full_id("0763061e"))
    session.call("toolu_1", "Bash", {"command": "make"}, "done")
    home.add(session)

    imported = agentv("import", "claude", "--session-id", "0763061e", "-o", "t.jsonl")

    assert imported.out == "t.jsonl: 1 message, 1 tool call\n"


def session_with_agent(home: ClaudeHome) -> None:
    session = Session(full_id("0763061e"))
    session.prompt("Look into it")
    session.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "Search"}))
    agent = session.agent("a1b2c3d4")
    agent.user("Search")
    agent.response("msg_agent", text("Found it."))
    session.tool_result("toolu_1", "Found it.", noted={"agentId": "a1b2c3d4"})
    session.response("msg_2", text("Done."))
    agent.write_agent(home.add(session))


def test_messages_of_sub_agents_are_left_out(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    session_with_agent(home)

    agentv("import", "claude", "--discover", "latest", "-o", "t.jsonl")

    output = transcript_of(work / "t.jsonl")["output"]
    assert [message["content"] for message in output] == ["Look into it", "", "Done."]
    assert [call["tool"] for call in output[1]["tool_calls"]] == ["Task"]


def test_messages_of_sub_agents_come_on_request(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    session_with_agent(home)

    agentv("import", "claude", "--discover", "latest", "-o", "t.jsonl", "--include-subagents")

    output = transcript_of(work / "t.jsonl")["output"]
    assert [(message["content"], message.get("agent_id")) for message in output] == [
        ("Look into it", None),
        ("", None),
        ("Search", "a1b2c3d4"),
        ("Found it.", "a1b2c3d4"),
        ("Done.", None),
    ]


def session_with_drift(home: ClaudeHome) -> Path:
    session = Session(full_id("0763061e"))
    session.prompt("Hello")
    session.about("brand-new")
    session.raw(b'{"torn')
    session.about("brand-new")
    session.response("msg_1", text("Hi."))
    return home.add(session)


def test_what_is_not_understood_is_one_warning_with_counts_and_lines(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    path = session_with_drift(home)

    imported = agentv("import", "claude", "--discover", "latest", "-o", "t.jsonl")

    assert imported.code == 0
    assert imported.out == "t.jsonl: 2 messages, 0 tool calls\n"
    assert imported.err == (
        f"warning: {path}: not all of it is understood: "
        "record type 'brand-new': 2 (first: line 2), unreadable line: 1 (first: line 3)\n"
    )
    assert transcript_of(work / "t.jsonl")["drift"] == {
        "record type 'brand-new'": 2,
        "unreadable line": 1,
    }


def test_strict_makes_that_an_error_and_writes_nothing(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    path = session_with_drift(home)

    imported = agentv("import", "claude", "--discover", "latest", "--strict", "-o", "t.jsonl")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == (
        f"agentv: {path}: not all of it is understood: "
        "record type 'brand-new': 2 (first: line 2), unreadable line: 1 (first: line 3)\n"
    )
    assert list(work.iterdir()) == []


def test_strict_keeps_the_transcript_that_it_would_have_replaced(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    session_with_drift(home)
    (work / "t.jsonl").write_text("precious", encoding="utf-8")

    arguments = ["--discover", "latest", "--strict", "--force", "-o", "t.jsonl"]
    assert agentv("import", "claude", *arguments).code == 1
    assert (work / "t.jsonl").read_text(encoding="utf-8") == "precious"


def test_strict_accepts_a_session_that_is_understood(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("0763061e")

    assert agentv("import", "claude", "--discover", "latest", "--strict").code == 0


def test_a_record_type_out_of_a_session_cannot_steer_a_terminal(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = Session(full_id("0763061e"))
    session.prompt("Hello")
    session.about("\x1b]52;c;cm0=\x07\n::error::x ##[error]\u202e\x9b")
    home.add(session)

    imported = agentv("import", "claude", "--discover", "latest")

    assert imported.code == 0
    assert imported.err.count("\n") == 1
    assert re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]|##\\[", imported.err) == []


def test_an_import_as_json_says_what_was_done(home: ClaudeHome, agentv: InProcess) -> None:
    path = session_with_drift(home)

    imported = agentv("import", "claude", "--discover", "latest", "--json")

    assert imported.code == 0
    assert json.loads(imported.out) == {
        "path": ".agentv/transcripts/claude-0763061e.jsonl",
        "session": str(path),
        "session_id": full_id("0763061e"),
        "provider": "claude-cli",
        "messages": 2,
        "tool_calls": 0,
        "drift": {"record type 'brand-new'": 2, "unreadable line": 1},
        "privacy": None,
    }


def test_a_session_is_not_touched_by_its_import(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("0763061e")
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))

    agentv("import", "claude", "--list")
    agentv("import", "claude", "--discover", "latest")

    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


def test_auto_finds_the_adapter_by_itself(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    path = home.session("0763061e")

    imported = agentv("import", "auto", "--file", path)

    assert imported.out == ".agentv/transcripts/claude-0763061e.jsonl: 4 messages, 2 tool calls\n"
    assert (work / ".agentv" / "transcripts" / "claude-0763061e.jsonl").is_file()


def test_auto_takes_the_same_options(home: ClaudeHome, agentv: InProcess, work: Path) -> None:
    path = home.session("0763061e")
    (work / "t.jsonl").write_text("old", encoding="utf-8")

    arguments = ["-o", "t.jsonl", "--force", "--test-id", "x", "--strict", "--json"]
    imported = agentv("import", "auto", "--file", path, *arguments)

    assert imported.code == 0
    assert json.loads(imported.out)["path"] == "t.jsonl"
    assert transcript_of(work / "t.jsonl")["test_id"] == "x"


def test_auto_on_a_file_of_nobody_names_the_adapters(agentv: InProcess, work: Path) -> None:
    (work / "notes.jsonl").write_text('{"note": 1}\n', encoding="utf-8")

    imported = agentv("import", "auto", "--file", "notes.jsonl")

    assert (imported.code, imported.out) == (1, "")
    names = ", ".join(registry().names)
    assert imported.err == f"agentv: notes.jsonl: is no session that an adapter knows ({names})\n"
    assert [path.name for path in work.iterdir()] == ["notes.jsonl"]
