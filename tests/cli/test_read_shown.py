"""What ``agentv read`` prints: for people, programs and pages, and harmless for all of them."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from agentv_command import UNPRINTABLE, entries_of
from claude_sessions import Session, text, thinking, tool_use
from markdown_it import MarkdownIt
from terminal import COMMAND, OUR_CODES, on_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


HOSTILE = (
    "\x1b]52;c;aGk=\x07 \x9b31m \u202eturned\u202c\n::error::no\n```\n# heading <b>\n##[group]x"
)


def test_people_get_headings_and_texts(
    home: ClaudeHome, agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    session = Session()
    session.prompt("Fix it,\n\nplease")
    session.response("msg_1", thinking("Where?"), text("I look."), stop_reason=None)
    session.response("msg_1", tool_use("toolu_1", "Bash", {"command": "make"}))
    session.tool_result("toolu_1", "no rule", is_error=True)
    session.response("msg_2", tool_use("toolu_2", "Odd", {"number": 7}))
    home.add(session)

    printed = agentv("read", "claude:latest")

    assert (printed.code, printed.err) == (0, "")
    shown = [one.replace("2026-03-02 09:00:0", "T") for one in printed.out.split("\n")]
    assert shown == [
        "user  T0", "  Fix it,", "", "  please", "",
        "assistant  T1  claude-opus-4-6", "  (thinking)", "  Where?", "", "  I look.", "",
        "tool_call  T3  Bash", "  make", "",
        "tool_result  T4  Bash  error  1.0s", "  no rule", "",
        "tool_call  T5  Odd", "  {", '    "number": 7', "  }", "",
    ]  # fmt: skip


def test_long_texts_are_shortened_and_whole_on_request(home: ClaudeHome, agentv: InProcess) -> None:
    session = Session()
    session.prompt("Fix it")
    session.call("toolu_1", "Bash", {"command": "make"}, "line\n" * 5000)
    session.call("toolu_2", "Write", {"file_path": "/a", "content": "body"}, "x" * 70_000)
    home.add(session)

    short = agentv("read", "claude:latest")
    full = agentv("read", "claude:latest", "--full")
    exact = agentv("read", "claude:latest", "--format", "json")

    assert short.out.count("\n  line") == 12
    assert "  … 24,940 more characters; --full shows them\n" in short.out
    assert "  … 69,000 more characters; --full shows them\n" in short.out
    assert (full.out.count("\n  line"), full.out.count("x")) == (5000, 70_000 + 1)
    assert '"content": "body"' in full.out
    assert "more characters" not in full.out
    assert entries_of(exact)[2] == ("tool_result", "line\n" * 5000)


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_nothing_in_a_session_steers_a_terminal_or_a_log(
    format_: str, home: ClaudeHome, agentv: InProcess
) -> None:
    session = Session()
    session.prompt(HOSTILE)
    session.call("toolu_1", HOSTILE, {HOSTILE: HOSTILE, "command": HOSTILE}, HOSTILE)
    session.response("msg_1", thinking(HOSTILE), text(HOSTILE), model=HOSTILE)
    home.add(session)

    printed = agentv("read", "claude:latest", "--format", format_, "--full")

    assert (printed.code, printed.err) == (0, "")
    assert not UNPRINTABLE.search(printed.out)
    assert not any(one.lstrip().startswith("::") for one in printed.out.split("\n"))
    assert "##[" not in printed.out
    if format_ == "json":
        assert entries_of(printed)[0] == ("user", HOSTILE)
    if format_ == "markdown":
        tokens = MarkdownIt("commonmark").parse(printed.out)
        assert {one.tag for one in tokens if one.type == "heading_open"} == {"h2"}
        assert not [one for one in tokens if one.type.startswith("html")]


def test_markdown_has_a_heading_for_each_entry(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "Use `x`:\n```py\n```\n")

    printed = agentv("read", "aaaa", "--format", "markdown")

    tokens = MarkdownIt("commonmark").parse(printed.out)
    titles = [one.content for one in tokens if one.type == "inline"]
    assert [one.split()[0] for one in titles] == [
        "`user`", "`tool_call`", "`tool_result`", "`tool_call`", "`tool_result`", "`assistant`",
    ]  # fmt: skip
    assert titles[2].endswith("`Bash` `ok` `1.0s`")
    fenced = [one.content for one in tokens if one.type == "fence"]
    assert fenced[0] == "Use `x`:\n```py\n```\n"
    assert fenced[2] == "all good\n"


def test_on_a_screen_there_are_colours_and_no_controls_of_others(
    home: ClaudeHome, work: Path
) -> None:
    session = Session()
    session.prompt(HOSTILE)
    session.response("msg_1", text("[bold]Done[/bold] " + "long " * 40))
    home.add(session)

    screen = on_terminal(["read", "claude:latest"], cwd=work, columns=60)
    raw = on_terminal(["read", "claude:latest", "--raw"], cwd=work, columns=60)
    plain = on_terminal(["read", "claude:latest"], cwd=work, NO_COLOR="1")

    assert (screen.code, raw.code, plain.code) == (0, 0, 0)
    assert "\x1b[1;32muser" in screen.raw
    assert "[bold]Done[/bold]" in "\n".join(screen.lines)
    assert max(map(len, screen.lines)) <= 60
    for one in (screen, raw, plain):
        left = OUR_CODES.sub("", one.raw).replace("\r\n", "\n")
        assert not UNPRINTABLE.search(left)
    assert not OUR_CODES.search(raw.raw)
    assert not OUR_CODES.search(plain.raw)


@pytest.mark.parametrize("option", ["--full", "--raw", "--format=json"])
def test_who_closes_the_pipe_gets_no_traceback(option: str, home: ClaudeHome, work: Path) -> None:
    session = Session()
    session.prompt("Fix it")
    for number in range(500):
        session.response(f"msg_{number}", text("word " * 500))
    home.add(session)
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [*COMMAND, "read", "claude:latest", option],
        cwd=work,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (1, b"")
