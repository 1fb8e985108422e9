"""``agentv search`` and ``agentv index``: what is found, how it is printed, how it goes on."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import full_id
from claude_sessions import Session, text
from hostile_texts import assert_harmless
from planted_secrets import Planter
from terminal import on_terminal

from pytest_agentv.search.encoder import is_installed
from pytest_agentv.search.schema import updating

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


def _index(home: ClaudeHome) -> Path:
    return home.path / ".local" / "share" / "agentv" / "index.db"


def _json(agentv: InProcess, *arguments: str) -> Any:
    return json.loads(agentv("search", "--json", *arguments).out)


def test_a_search_makes_the_index_and_shows_sessions(agentv: InProcess, home: ClaudeHome) -> None:
    path = home.session("3f1c9a52", "Fix the login page")
    home.session("bbbbbbbb", "Write the docs")
    done = agentv("search", "login")

    assert done.code == 0
    assert done.out.splitlines() == [
        f"claude  {full_id('3f1c9a52')}  2026-03-02 09:00  /home/dev/shop  (main)",
        "  Fix the login page",
        f"  {path}",
        "  > user:1: Fix the login page",
    ]
    assert done.err == f"agentv: reading all sessions into {_index(home)}, once\n"
    assert agentv("search", "login").err == ""


def test_nothing_found_is_exit_1_and_nonsense_exit_2(agentv: InProcess, home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    agentv("index", "update")

    done = agentv("search", "nowhere")
    assert (done.code, done.out, done.err) == (
        1, "", "agentv: nothing was found in sessions of claude\n",
    )  # fmt: skip
    assert agentv("search").code == 2
    assert agentv("search", "   ").err == "agentv: there is nothing to search for\n"
    assert agentv("search", "x", "--role", "boss").code == 2
    assert agentv("search", "x", "--until", "soon").code == 2
    assert agentv("search", "x", "--limit", "0").code == 2
    assert agentv("search", "x", "--force").code == 2
    assert agentv("search", "x", "--names", "--json").code == 2
    assert agentv("search", "x", "--names", "--import").code == 2
    assert agentv("search", "x", "--names", "--redact", "secrets").code == 2


def test_sessions_of_a_place_that_counts_no_more_are_not_said_to_be_there(
    agentv: InProcess, home: ClaudeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    assert agentv("search", "login").code == 0
    (tmp_path / "other" / "projects").mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "other"))
    done = agentv("search", "login agent:claude")

    assert (done.code, done.out) == (1, "")
    assert "there are those of claude" not in done.err
    assert "no session of any agent is known" in done.err


def test_without_any_session_a_sentence_says_where_they_are_looked_for(agentv: InProcess) -> None:
    printed = agentv("search", "login")
    assert printed.code == 1
    assert printed.err.splitlines()[-1] == (
        "agentv: nothing was found: no session of any agent is known; "
        "agentv import claude --list says where it looks"
    )


@pytest.mark.parametrize("typed", ["", "   ", "*", "()"])
def test_a_search_for_nothing_is_refused_before_anything_is_read(
    agentv: InProcess, home: ClaudeHome, typed: str
) -> None:
    home.session("aaaaaaaa")
    done = agentv("search", typed)

    assert (done.code, done.err) == (2, "agentv: there is nothing to search for\n")
    assert not _index(home).exists()


def test_a_wrong_setting_is_not_taken_for_nothing_found(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")
    monkeypatch.setenv("AGENTV_SEARCH_MAX_RESULTS", "many")
    done = agentv("search", "x")

    assert done.code == 2
    assert done.err.startswith("agentv: AGENTV_SEARCH_MAX_RESULTS must be a whole number")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("page agent:cluade", "no session is of agent:cluade; there are those of claude"),
        ("page project:shopp", "no session is of project:shopp"),
        ("page -branch:side branch:x branch:y", "no session is of branch:x or branch:y"),
        ("page agent:claude nowhere", "no message or call has all of these words"),
        ("page tool:Bahs", "no call is of tool:Bahs"),
        ("page role:thinking", "what models thought is not indexed (index.thinking is false)"),
        ("page role:output", "what tools printed is not indexed (index.tool_output is false)"),
    ],
)
def test_if_nothing_is_found_a_sentence_says_why(
    agentv: InProcess, home: ClaudeHome, typed: str, said: str
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    done = agentv("search", typed)

    assert done.code == 1
    assert f"agentv: nothing was found: {said}" in done.err


@pytest.mark.parametrize(
    "typed",
    [
        ["-agent:codex page"],
        ["-agent:codex", "page"],
        ["page", "-docs"],
        ["page", "-docs", "-hello", "-only"],
        ["page", "-docs", "--limit", "5"],
        ["--limit", "5", "-docs", "page"],
        ["--project", "shop", "-docs page"],
        ["--", "-docs", "page"],
        ['-"the docs" page'],
    ],
)
def test_a_query_may_begin_with_what_is_not_wanted(
    agentv: InProcess, home: ClaudeHome, typed: list[str]
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Write the docs of no p-age")
    done = agentv("search", "--names", *typed)

    assert done.code == 0, done.err
    assert full_id("aaaaaaaa") in done.out
    assert full_id("bbbbbbbb") not in done.out


def test_an_option_that_does_not_exist_is_no_query(agentv: InProcess, home: ClaudeHome) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    done = agentv("search", "page", "--limt", "5")

    assert done.code == 2
    assert "No such option" in done.err


def test_a_place_that_somebody_named_and_that_is_not_there_is_told(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    monkeypatch.setenv("AGENTV_CODEX_PATH", str(home.path / "nowhere"))
    done = agentv("search", "login")

    assert done.code == 0
    said = f"agentv: {home.path / 'nowhere'}: No such file or directory; of codex, no session"
    assert said in done.err


def test_json_has_matches_with_marks_and_what_stands_around(
    agentv: InProcess, home: ClaudeHome
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    (hit,) = _json(agentv, "make test", "--context", "1")["hits"]

    assert hit["agent"] == "claude"
    assert hit["session_id"] == full_id("aaaaaaaa")
    assert hit["name"] == hit["path"] == str(path)
    assert (hit["project"], hit["branch"]) == ("/home/dev/shop", "main")
    assert (hit["title"], hit["first_prompt"]) == (None, "Fix the login page")
    assert (hit["started"], hit["ended"]) == ("2026-03-02T09:00:00Z", "2026-03-02T09:00:05Z")
    assert hit["score"] > 0
    (match,) = hit["matches"]
    assert match["text"] == "make test"
    assert match["marks"] == [[0, 4], [5, 9]]
    assert (match["role"], match["tool"], match["line"]) == ("tool", "Bash", 2)
    assert match["time"] == "2026-03-02T09:00:01Z"
    assert [one["text"] for one in match["before"]] == ["Fix the login page"]
    assert [one["text"] for one in match["after"]] == ["/home/dev/notes.txt"]


def test_options_are_the_filters_of_a_query(agentv: InProcess, home: ClaudeHome) -> None:
    home.session("aaaaaaaa", cwd="/home/dev/shop")
    home.session("bbbbbbbb", cwd="/home/dev/web")

    def found(*arguments: str) -> list[str]:
        return sorted(one["session_id"][:8] for one in _json(agentv, *arguments)["hits"])

    assert found("login", "--project", "web") == ["bbbbbbbb"]
    assert found("login", "--project", "web", "--project", "shop") == ["aaaaaaaa", "bbbbbbbb"]
    assert found("--tool", "shell", "--agent", "claude") == ["aaaaaaaa", "bbbbbbbb"]
    assert found("--path", "notes.txt", "project:shop") == ["aaaaaaaa"]
    assert found("login", "--role", "assistant") == []
    assert found("login", "--branch", "dev*") == []
    assert found("login", "--since", "2026-03-03") == []
    assert found("login", "--until", "2026-03-02", "--limit", "1") in (["aaaaaaaa"], ["bbbbbbbb"])


def test_more_sessions_than_are_shown_are_told(agentv: InProcess, home: ClaudeHome) -> None:
    for number in range(3):
        home.session(f"{number:08x}")
    done = agentv("search", "login", "--limit", "2", "--names")

    assert len(done.out.splitlines()) == 2
    assert done.err.endswith("agentv: there are more sessions than these; --limit shows more\n")
    assert _json(agentv, "login", "--limit", "2")["more"] is True
    assert _json(agentv, "login", "--limit", "3")["more"] is False


def test_settings_say_how_much_is_shown(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")
    home.session("bbbbbbbb")
    monkeypatch.setenv("AGENTV_SEARCH_MAX_RESULTS", "1")
    monkeypatch.setenv("AGENTV_SEARCH_DEFAULT_CONTEXT", "2")
    (hit,) = _json(agentv, "login")["hits"]

    assert len(hit["matches"][0]["after"]) == 2


def test_nothing_is_read_before_it_is_known_what_to_search_for(
    agentv: InProcess, home: ClaudeHome
) -> None:
    home.session("aaaaaaaa")

    done = agentv("search", " ")

    assert (done.code, done.err) == (2, "agentv: there is nothing to search for\n")


def test_what_is_found_is_imported(agentv: InProcess, home: ClaudeHome, work: Path) -> None:
    home.session("3f1c9a52", "Fix the login page")
    home.session("bbbbbbbb", "Write the docs")
    done = agentv("search", "login", "--import")

    assert done.code == 0
    assert done.out == ".agentv/transcripts/claude-3f1c9a52.jsonl: 4 messages, 2 tool calls\n"
    assert [one.name for one in (work / ".agentv" / "transcripts").iterdir()] == [
        "claude-3f1c9a52.jsonl"
    ]
    again = agentv("search", "login", "--import", "--json")
    assert again.code == 1
    assert json.loads(again.out)["imported"] == []
    assert "exists already" in again.err
    forced = agentv("search", "docs", "--import", "-o", "here", "--force", "--json")
    assert json.loads(forced.out)["imported"][0]["path"] == "here/claude-bbbbbbbb.jsonl"
    assert agentv("search", "nowhere", "--import").code == 1


def test_what_is_imported_says_how_much_was_redacted(agentv: InProcess, home: ClaudeHome) -> None:
    home.session("3f1c9a52", "Fix the login page")
    done = agentv("search", "login", "--import", "--redact", "secrets")

    assert done.out == (
        ".agentv/transcripts/claude-3f1c9a52.jsonl: 4 messages, 2 tool calls, 0 redactions\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "-", "--roles", "user", "--format", "json"],
        ["export", "-", "-f", "markdown", "-o", "out.md"],
        ["draft", "-", "--json"],
    ],
)
def test_names_go_on_to_other_commands(
    agentv: InProcess,
    home: ClaudeHome,
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Fix the login form")
    names = agentv("search", "login", "--names").out
    assert len(names.splitlines()) == 2

    monkeypatch.setattr("sys.stdin", io.StringIO(names))
    done = agentv(*arguments)
    written = (work / "out.md").read_text(encoding="utf-8") if "export" in arguments else done.out

    assert done.code == 0
    assert "Fix the login page" in written
    assert "Fix the login form" in written

    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    nothing = agentv(*arguments)
    assert (nothing.code, nothing.out) == (2, "")
    assert nothing.err.startswith("agentv: there is no name of a session on standard input.")


def test_hostile_texts_do_not_steer_what_prints_them(agentv: InProcess, home: ClaudeHome) -> None:
    hostile = "login \x1b]52;c;aGk=\x07 \x9b31m \u202e ::error::x ##vso[task.complete] ##login[x]"
    session = Session(full_id("aaaaaaaa"), cwd="/home/\x1b[31mdev", git_branch="\x1b[2J")
    session.prompt(hostile)
    session.call("toolu_1", "\x1b[31mBash\n::error::", {"command": "login\n::error::"}, "x")
    session.response("msg_1", text(f"\n::error::{hostile}"))
    home.add(session, folder="shop")

    for options in ((), ("--context", "3"), ("--json",), ("--names",)):
        done = agentv("search", "login", *options)
        assert done.code == 0
        assert_harmless(done.out)
    assert_harmless(agentv("index", "status").out)
    screen = on_terminal(["search", "login", "--context", "2"], cwd=home.path)
    for line in screen.lines:
        assert_harmless(line.strip("\r"))
    assert "\x1b[33m\x1b[1mlogin\x1b[0m" in screen.raw


def test_a_file_name_with_a_line_end_is_named_by_its_id(
    agentv: InProcess, home: ClaudeHome
) -> None:
    home.session("aaaaaaaa", folder="a\nb")
    name = agentv("search", "login", "--names").out

    assert name == f"claude:{full_id('aaaaaaaa')}\n"
    assert agentv("read", name.strip(), "--last", "1").code == 0


def test_secrets_are_redacted_where_they_are_shown(agentv: InProcess, home: ClaudeHome) -> None:
    secret = Planter().secret()
    home.session("aaaaaaaa", f"Use the token {secret} for the login", cwd=f"/home/dev/{secret}")
    open_ = agentv("search", "login")
    assert secret in open_.out

    for options in ((), ("--json",)):
        done = agentv("search", "login", "--redact", "secrets", *options)
        assert done.code == 0
        assert secret not in done.out
        assert "for the login" in done.out


def test_the_status_counts_sessions_and_says_what_is_wrong(
    agentv: InProcess, home: ClaudeHome
) -> None:
    home.session("aaaaaaaa", "x " * 40_000)
    home.session("bbbbbbbb").write_bytes(b"{}\n")
    assert agentv("index", "status").code == 2
    assert "1 unreadable" in agentv("index", "update").out

    status = json.loads(agentv("index", "status", "--json").out)
    assert status["path"] == str(_index(home))
    assert status["settings"] == {
        "redact": "none", "subagents": True, "thinking": False, "tool_output": False,
    }  # fmt: skip
    (claude,) = status["agents"]
    assert (claude["agent"], claude["sessions"], claude["unreadable"]) == ("claude", 2, 1)
    assert (claude["documents"], claude["cut"]) == (4, 1)
    assert "bbbbbbbb" in status["errors"][0]
    shown = agentv("index", "status")
    assert shown.out.splitlines()[1].split() == [
        "agent", "sessions", "documents", "cut", "unreadable", "newest",
    ]  # fmt: skip
    assert "bbbbbbbb" in shown.err


def test_an_index_is_updated_and_made_anew_when_asked(agentv: InProcess, home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    counts = {"added": 1, "changed": 0, "removed": 0, "unchanged": 0, "unreadable": 0, "notes": []}
    assert json.loads(agentv("index", "update", "--json").out) == counts
    assert agentv("index", "update").out.startswith("1 session indexed: 0 added, 0 changed")
    assert json.loads(agentv("index", "rebuild", "--json").out) == counts


def test_what_is_new_is_not_looked_for_if_nobody_wants_it(
    agentv: InProcess, home: ClaudeHome
) -> None:
    home.session("aaaaaaaa")
    assert agentv("search", "login", "--no-update").code == 2
    agentv("index", "update")
    home.session("bbbbbbbb")

    assert len(agentv("search", "login", "--no-update", "--names").out.splitlines()) == 1
    assert len(agentv("search", "login", "--names").out.splitlines()) == 2


def test_while_another_process_updates_what_is_there_is_searched(
    agentv: InProcess, home: ClaudeHome
) -> None:
    home.session("aaaaaaaa")
    agentv("index", "update")
    home.session("bbbbbbbb")
    with updating(_index(home)) as may:
        assert may
        done = agentv("search", "login", "--names")
        assert agentv("index", "update").code == 1

    assert done.code == 0
    assert len(done.out.splitlines()) == 1
    assert "being updated by another process" in done.err


def test_a_damaged_index_is_made_anew_with_a_sentence(agentv: InProcess, home: ClaudeHome) -> None:
    for number in range(20):
        home.session(f"{number:08x}")
    agentv("index", "update")
    path = _index(home)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\x5a" * (size - 4096))
    done = agentv("search", "login", "--names", "--limit", "30")

    assert done.code == 0
    assert len(done.out.splitlines()) == 20
    assert f"{path}: is damaged" in done.err
    assert "it is made anew" in done.err


def test_a_file_of_somebody_elses_is_not_made_an_index(
    agentv: InProcess, home: ClaudeHome, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")
    with contextlib.closing(sqlite3.connect(work / "mine.db")) as db:
        db.execute("CREATE TABLE mine(x)")
    before = (work / "mine.db").read_bytes()
    monkeypatch.setenv("AGENTV_INDEX_PATH", "mine.db")
    for arguments in (["search", "login"], ["index", "rebuild"], ["index", "status"]):
        done = agentv(*arguments)
        assert done.code == 2
        assert done.err.count("\n") == 1
        assert "mine.db: " in done.err
    assert (work / "mine.db").read_bytes() == before


def test_other_settings_of_the_index_make_it_anew(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")
    assert agentv("search", "good").code == 1
    monkeypatch.setenv("AGENTV_INDEX_TOOL_OUTPUT", "1")
    done = agentv("search", "good", "--role", "output")

    assert done.code == 0
    assert "made by other settings" in done.err


def test_progress_is_shown_on_a_terminal(home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    screen = on_terminal(["index", "update"], cwd=home.path)

    assert screen.code == 0
    assert screen.lines[-1].strip().startswith("1 session indexed: 1 added")
    assert "indexing" in screen.raw
    # They take their time, too, after all files are read.
    assert ("vectors" in screen.raw) is is_installed()


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes there")
def test_nobody_else_can_read_the_index(agentv: InProcess, home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    agentv("index", "update")
    modes = {one.name: one.stat().st_mode & 0o777 for one in _index(home).parent.iterdir()}
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_without_the_extra_letters_stand_in_for_meaning(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr("pytest_agentv.search.encoder.NEEDED", ("no_such_package",))
    home.session("3f1c9a52", "Fix the expiry of tokens")
    agentv("index", "update")

    done = agentv("search", "a token expires", "--mode", mode, "--names")

    assert done.code == 0
    assert len(done.out.splitlines()) == 1
    assert done.err == (
        "agentv: the extra is not installed (pip install 'pytest-agentv[semantic]'), so likeness "
        "of letters stands in for that of meaning\n"
    )


def test_without_the_extra_and_a_fallback_a_search_by_meaning_is_refused(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_agentv.search.encoder.NEEDED", ("no_such_package",))
    monkeypatch.setenv("AGENTV_INDEX_VECTOR_FALLBACK", "none")
    home.session("3f1c9a52", "Fix the login page")
    agentv("index", "update")

    done = agentv("search", "login", "--mode", "hybrid")

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "agentv: --mode hybrid needs the extra: pip install 'pytest-agentv[semantic]'\n"
    )


@pytest.mark.skipif(not is_installed(), reason="the extra semantic is not installed")
def test_the_way_to_search_is_an_option_and_a_setting(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("3f1c9a52", "People must sign in again after ten minutes")
    agentv("index", "update")
    query = "users are logged out too early"

    assert agentv("search", query).code == 1
    assert agentv("search", query, "--mode", "semantic").code == 0
    monkeypatch.setenv("AGENTV_SEARCH_DEFAULT_MODE", "hybrid")
    assert agentv("search", query).code == 0
    assert agentv("search", query, "--mode", "lexical").code == 1


@pytest.mark.skipif(not is_installed(), reason="the extra semantic is not installed")
def test_a_search_by_meaning_says_what_has_no_vectors_yet(
    agentv: InProcess, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("3f1c9a52", "Fix the login page")
    monkeypatch.setenv("AGENTV_INDEX_VECTOR_ENABLED", "false")
    agentv("index", "update")
    monkeypatch.delenv("AGENTV_INDEX_VECTOR_ENABLED")

    done = agentv("search", "login", "--mode", "semantic", "--no-update")

    assert (done.code, done.out) == (1, "")
    said = "agentv: 1 session without vectors; agentv index update helps\n"
    assert done.err.startswith(said)
    assert agentv("search", "login", "--mode", "semantic").code == 0
