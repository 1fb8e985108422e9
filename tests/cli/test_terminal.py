"""What people see: tables that fit, a progress bar only where somebody watches, no tracebacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from agentv_command import UNPRINTABLE, environ, full_id
from terminal import COMMAND, OUR_CODES, on_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome

LONG_PROMPT = "Please rename the field everywhere and run all tests, " * 8
LONG_PROJECT = "/home/dev/projects/clients/internal-tools/invoices"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_list_fits_a_terminal_and_always_shows_whole_ids_and_times(
    home: ClaudeHome, work: Path, columns: int
) -> None:
    home.session("aaaaaaaa", LONG_PROMPT, cwd=LONG_PROJECT, modified=1_774_000_000, size=54_321)
    home.session("bbbbbbbb", "Short", modified=1_774_000_060, size=4_200)

    screen = on_terminal(["import", "claude", "--list"], cwd=work, columns=columns)

    assert screen.code == 0
    head, short, long = screen.lines
    assert head.split() == ["id", "when", "size", "project", "first", "prompt"]
    assert short.startswith("bbbbbbbb  2026-03-20 09:47    4.2 KB  ")
    assert short.rstrip().endswith("  Short")
    assert long.startswith("aaaaaaaa  2026-03-20 09:46   54.3 KB  ")
    assert "  Please" in long
    assert long.rstrip().endswith("…")
    assert max(len(line) for line in screen.lines) <= columns


def test_wide_characters_do_not_make_a_line_too_long(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa", "修复登录页面的错误并编写测试" * 10, size=4_200)

    screen = on_terminal(["import", "claude", "--list"], cwd=work)

    (line,) = screen.lines[1:]
    assert line.startswith("aaaaaaaa  2026-03-20 09:47    4.2 KB  /home/dev/shop  修复登录")
    wide = sum(2 if character > "\u2e80" else 1 for character in line.rstrip())
    assert wide <= 80


def test_a_prompt_cannot_steer_the_terminal_it_is_listed_on(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa", "\x1b]0;owned\x07 \x1b[2J \x9b31m \x7f \u202e", cwd="/home/\x1b[8m")

    screen = on_terminal(["import", "claude", "--list"], cwd=work, columns=200)

    assert screen.code == 0
    assert len(screen.lines) == 2
    assert [UNPRINTABLE.findall(line) for line in screen.lines] == [[], []]
    assert set(OUR_CODES.findall(screen.raw)) <= {"\x1b[1m", "\x1b[0m"}


def test_progress_is_shown_where_somebody_watches(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa")
    home.session("bbbbbbbb")

    screen = on_terminal(["import", "claude", "--all", "-o", "out"], cwd=work, pipe_output=True)

    assert screen.code == 0
    assert "importing" in screen.raw
    assert "100%" in screen.raw
    assert screen.out == "2 of 2 sessions imported, 0 failed\n"


def test_progress_is_gone_in_the_end(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa")

    screen = on_terminal(["import", "claude", "--all", "-o", "out"], cwd=work)

    assert screen.code == 0
    assert screen.lines[-1].endswith("1 of 1 sessions imported, 0 failed")
    assert screen.raw.endswith("1 of 1 sessions imported, 0 failed\r\n")


def test_messages_do_not_run_into_the_progress_bar(home: ClaudeHome, work: Path) -> None:
    good = home.session("aaaaaaaa")
    empty = good.with_name(f"{full_id('bbbbbbbb')}.jsonl")
    empty.write_bytes(b"")

    screen = on_terminal(
        ["import", "claude", "--all", "-o", "out"], cwd=work, columns=400, pipe_output=True
    )

    assert screen.code == 1
    # On a line of its own: after a newline, or after the bar was wiped away.
    assert re.search(
        rf"(^|\n|\r|\x1b\[2K)agentv: {re.escape(str(empty))}: is empty\r\n", screen.raw
    )


def test_no_progress_is_shown_to_a_pipe(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa")

    done = subprocess.run(
        [*COMMAND, "import", "claude", "--all", "-o", "out"],
        cwd=work,
        env=environ({}),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"1 of 1 sessions imported, 0 failed\n"


LISTINGS = [["--list"], ["--list", "--json"]]


@pytest.mark.parametrize("arguments", LISTINGS)
def test_a_reader_that_has_seen_enough_gets_no_traceback(
    home: ClaudeHome, work: Path, arguments: list[str]
) -> None:
    home.session("aaaaaaaa")
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [*COMMAND, "import", "claude", *arguments],
        cwd=work,
        env=environ({}),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)

    assert done.stderr == b""
    assert done.returncode in (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with head")
@pytest.mark.parametrize("arguments", ["--list", "--list --json"])
def test_the_head_of_a_long_list(home: ClaudeHome, work: Path, arguments: str) -> None:
    prompt = "word " * 90  # all in all more than any pipe holds
    for number in range(200):
        home.session(f"aaaa{number:04}", prompt)

    done = subprocess.run(
        ["sh", "-c", f'"$0" -m pytest_agentv import claude {arguments} | head -1', sys.executable],  # noqa: S607
        cwd=work,
        env=environ({}),
        capture_output=True,
        check=False,
    )

    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("arguments", LISTINGS)
def test_an_output_that_knows_few_characters_still_gets_the_list(
    home: ClaudeHome, work: Path, encoding: str, arguments: list[str]
) -> None:
    home.session("aaaaaaaa", f"Fix 登录 é … {'very ' * 50}", cwd=f"/home/dev/登录/{'x' * 60}")

    done = subprocess.run(
        [*COMMAND, "import", "claude", *arguments],
        cwd=work,
        env=environ({"PYTHONIOENCODING": encoding}),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"aaaaaaaa" in done.stdout
    assert b"Fix " in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_messages_reach_an_output_that_knows_few_characters(
    home: ClaudeHome, work: Path, encoding: str
) -> None:
    del home
    done = subprocess.run(
        [*COMMAND, "import", "claude", "--file", "登录.jsonl"],
        cwd=work,
        env=environ({"PYTHONIOENCODING": encoding}),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"agentv: ")
    assert done.stderr.rstrip().endswith(b".jsonl: no such file")
    assert b"Traceback" not in done.stderr


def test_a_result_reaches_an_output_that_knows_few_characters(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa")
    done = subprocess.run(
        [*COMMAND, "import", "claude", "--discover", "latest", "-o", "登录.jsonl"],
        cwd=work,
        env=environ({"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b".jsonl: 4 messages, 2 tool calls\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")  # noqa: PTH110
@pytest.mark.parametrize("arguments", LISTINGS)
def test_a_full_disk_is_one_sentence(home: ClaudeHome, work: Path, arguments: list[str]) -> None:
    home.session("aaaaaaaa")

    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [*COMMAND, "import", "claude", *arguments],
            cwd=work,
            env=environ({}),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.startswith(b"agentv: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("import claude --list", 0),
        ("read claude:latest", 0),
        ("schema eval", 0),
        ("config show", 0),
        ("grade a.eval.yaml --transcript claude:latest", 1),
        ("eval a.eval.yaml --transcript claude:latest", 1),
        ("browse", 2),
    ],
)
def test_without_standard_streams_nothing_breaks(
    home: ClaudeHome, work: Path, arguments: str, code: int, closed: str
) -> None:
    home.session("aaaaaaaa")
    (work / "a.eval.yaml").write_text("tests: [{id: a, assert: [contains: nowhere]}]", "utf-8")

    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {arguments} {closed}', "sh", *COMMAND],
        cwd=work,
        env=environ({}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stdout + done.stderr
