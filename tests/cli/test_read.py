"""``agentv read``: which session it shows, and which entries of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import codex_sessions
import copilot_sessions
import pytest
from agentv_command import entries_of, full_id
from claude_sessions import Session, text
from eval_runs import recorded
from hostile_sessions import agentv as measured
from hostile_sessions import line, lines
from hostile_vendors import VENDORS, Vendor

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess

EVERY_ENTRY = [
    ("user", "Fix the login page"),
    ("tool_call", "make test"),
    ("tool_result", "all good"),
    ("tool_call", "/home/dev/notes.txt"),
    ("tool_result", "nothing"),
    ("assistant", "Done."),
]


@pytest.mark.parametrize(
    "what", ["claude:latest", "claude:aaaa", "aaaaaaaa", "AAAA", full_id("aaaaaaaa")]
)
def test_a_session_is_found_by_client_or_by_id(
    what: str, home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("bbbbbbbb", "Something else")
    home.session("aaaaaaaa")

    assert entries_of(agentv("read", what, "--format", "json")) == EVERY_ENTRY


def test_an_id_is_looked_for_among_the_sessions_of_every_client(
    home: ClaudeHome, agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    home.session("aaaaaaaa")
    codex = codex_sessions.Session(full_id("cccccccc"))
    codex.ask("Asked of Codex")
    codex.write_in(home.path / ".codex" / "sessions" / "2026" / "03" / "05")
    copilot = copilot_sessions.plain(full_id("dddddddd"), prompt="Asked of Copilot")
    copilot.write_in(home.path / ".copilot")

    for what, prompt in {"cccc": "Asked of Codex", "dddd": "Asked of Copilot"}.items():
        assert ("user", prompt) in entries_of(agentv("read", what, "--format", "json"))


def test_an_id_that_several_sessions_have_is_a_usage_error(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa")
    home.session("aaaabbbb")

    printed = agentv("read", "aaaa")

    assert (printed.code, printed.out) == (2, "")
    assert printed.err.startswith("agentv: 2 sessions have an id that begins with 'aaaa': ")


@pytest.mark.parametrize("what", ["nothing-such", "../..x", "", " ", "a\0b", "x" * 5000])
def test_what_names_nothing_is_one_sentence(what: str, agentv: InProcess) -> None:
    printed = agentv("read", what)

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("agentv: ")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("clade:latest", "did you mean claude:latest?"),
        ("claude", "did you mean claude:latest?"),
        ("latest", "say whose session it is, as claude:latest"),
    ],
)
def test_what_is_nearly_the_name_of_a_session_is_told_with_it(
    what: str, said: str, agentv: InProcess
) -> None:
    printed = agentv("read", what)

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.endswith(f"has an id that begins so; {said}\n")


def test_files_folders_and_transcripts_are_read(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("aaaaaaaa")
    agentv("import", "claude", "--discover", "latest", "-o", "t.jsonl")

    for what in (path, path.parent, "t.jsonl"):
        assert entries_of(agentv("read", what, "--format", "json")) == EVERY_ENTRY


def test_several_sessions_are_a_usage_error(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    folder = home.session("aaaaaaaa").parent
    home.session("bbbbbbbb")
    (work / "t.jsonl").write_text(f"{json.dumps(recorded())}\n" * 2, encoding="utf-8")

    for what, found in {str(folder): "names 2 files", "t.jsonl": "holds 2 sessions"}.items():
        printed = agentv("read", what)
        assert (printed.code, printed.out) == (2, "")
        assert found in printed.err


def test_one_of_several_sessions_is_named_by_its_line(agentv: InProcess, work: Path) -> None:
    sessions = [json.dumps(recorded(one)) for one in ("First answer.", "Second answer.")]
    (work / "t.jsonl").write_text("\n".join(sessions), encoding="utf-8")

    assert agentv("read", "t.jsonl:2", "--last", "1").out.endswith("Second answer.\n")
    several = agentv("read", "t.jsonl")
    assert several.code == 2
    hint = "holds 2 sessions; agentv read shows one: FILE:1 is the first"
    assert several.err == f"agentv: {work / 't.jsonl'}: {hint}\n"
    assert agentv("read", "t.jsonl:3").err == (
        f"agentv: {work / 't.jsonl'}: has no session on line 3\n"
    )


def test_since_comes_before_roles_and_roles_before_last(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = Session()
    for number in range(5):
        session.prompt(f"prompt {number}")
        session.response(f"msg_{number}", text(f"answer {number}"))
    home.add(session)
    read = ("read", "claude:latest", "--format", "json")

    # A record each second: the third prompt is that of 09:00:04.
    since = ("--since", "2026-03-02T09:00:04Z")
    assert entries_of(agentv(*read, *since))[0] == ("user", "prompt 2")
    assert entries_of(agentv(*read, *since, "--roles", "user")) == [
        ("user", "prompt 2"), ("user", "prompt 3"), ("user", "prompt 4"),
    ]  # fmt: skip
    assert entries_of(agentv(*read, *since, "--roles", "user", "--last", "2")) == [
        ("user", "prompt 3"), ("user", "prompt 4"),
    ]  # fmt: skip
    assert entries_of(agentv(*read, "--roles", "user, assistant", "--last", "1")) == [
        ("assistant", "answer 4")
    ]


def test_nothing_that_was_asked_for_is_said(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("aaaaaaaa")

    for options in (["--since", "2030-01-01"], ["--last", "0"], ["--raw", "--since", "2030-01-01"]):
        printed = agentv("read", "aaaa", *options)
        assert (printed.code, printed.out) == (0, "")
        assert printed.err == f"agentv: {path}: nothing in it was asked for\n"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--roles", "robot"], "'robot' is no role; known: user, assistant, system, tool_call"),
        (["--roles", "user,"], "'' is no role"),
        (["--last", "-1"], "-1 is not in the range"),
        (["--since", "yesterday"], "'yesterday' is no time"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--raw", "--roles", "user"], "--roles does not"),
        (["--raw", "--format", "text"], "--format does not"),
        (["--raw", "--full"], "--full does not"),
        (["--raw", "--include-subagents"], "--include-subagents does not"),
    ],
)
def test_wrong_options_are_usage_errors(
    options: list[str], problem: str, home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa")

    printed = agentv("read", "aaaa", *options)

    assert (printed.code, printed.out) == (2, "")
    assert problem in printed.err


@pytest.mark.parametrize("option", ["--raw", "--follow"])
def test_a_transcript_has_no_records_and_does_not_grow(
    option: str, agentv: InProcess, work: Path
) -> None:
    (work / "t.jsonl").write_text(f"{json.dumps(recorded())}\n", encoding="utf-8")

    printed = agentv("read", "t.jsonl", option)

    assert (printed.code, printed.out) == (2, "")
    assert f"is a transcript; {option} is for the session that a client wrote" in printed.err


def test_sub_agents_are_read_when_asked_for(home: ClaudeHome, agentv: InProcess) -> None:
    main = Session()
    main.prompt("Fix it")
    main.call("toolu_1", "Task", {"prompt": "Look around"}, "seen")
    path = home.add(main)
    agent = main.agent("a1")
    agent.prompt("Look around")
    agent.write_agent(path)

    assert "agent a1" not in agentv("read", "claude:latest").out
    assert "user  2026-03-02" in agentv("read", "claude:latest").out
    assert "  agent a1\n  Look around" in agentv("read", "claude:latest", "--include-subagents").out


def test_what_is_not_understood_is_one_warning(home: ClaudeHome, agentv: InProcess) -> None:
    session = Session()
    session.prompt("Fix it")
    session.raw(b'{"type": "assist')
    path = home.add(session)

    printed = agentv("read", "claude:latest", "--last", "1")

    assert (printed.code, "Fix it" in printed.out) == (0, True)
    assert printed.err == (
        f"warning: {path}: not all of it is understood: unreadable line: 1 (first: line 2)\n"
    )


@pytest.mark.parametrize("vendor", VENDORS, ids=str)
def test_the_last_entries_of_a_long_session_need_no_room(
    vendor: Vendor, home: ClaudeHome, work: Path
) -> None:
    del home
    step = line(vendor.step("word " * 800 + "NUMBER", 777_777_777))
    with (work / "s.jsonl").open("wb") as file:
        file.write(lines(vendor.conversation()))
        for number in range(25_000):
            this = str(number).encode()
            file.write(step.replace(b"777777777", this).replace(b"NUMBER", this))

    read = measured("read", "s.jsonl", "--last", "3", "--format", "json", cwd=work)

    assert (read.code, read.err) == (0, "")
    shown = [json.loads(one)["text"].split()[-1] for one in read.out.splitlines()]
    assert shown == ["24997", "24998", "24999"]
    assert (work / "s.jsonl").stat().st_size > 100_000_000
    assert read.memory < 100_000_000
