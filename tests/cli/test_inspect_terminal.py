"""Commands on runs where people see them: on a terminal, in colours or not, and as ``trace``."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from agentv_command import environ, run_agentv
from kept_runs import three_clients
from rich.cells import cell_len
from terminal import OUR_CODES, on_terminal

from pytest_agentv.results.places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess

COMMANDS = [
    ["list"],
    ["show"],
    ["show", "--status", "failed"],
    ["show", "--target", "codex-cli", "--tree"],
    ["stats"],
    ["search", "Retry-After", "--limit", "9"],
    ["score", "latest", "--assert", "contains: Retry-After"],
]
IDS = [one[0] for one in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
@pytest.mark.parametrize("columns", [60, 80, 140])
def test_everything_fits_a_terminal(
    home: ClaudeHome, work: Path, command: list[str], columns: int
) -> None:
    del home
    three_clients(work / ROOT)

    screen = on_terminal(["inspect", *command], cwd=work, columns=columns)

    assert screen.code == (1 if command[0] == "score" else 0)
    # Facts, failures and errors are plain lines, which a terminal wraps by itself.
    drawn = [line for line in screen.lines if not re.match(r"[\w ]{10}  |agentv: | |evals/", line)]
    assert max(map(cell_len, drawn)) <= columns
    assert OUR_CODES.search(screen.raw)


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_whoever_wants_no_colours_gets_none(
    home: ClaudeHome, work: Path, command: list[str]
) -> None:
    del home
    three_clients(work / ROOT)

    screen = on_terminal(["inspect", *command], cwd=work, NO_COLOR="1")

    assert OUR_CODES.findall(screen.raw) == []
    assert "─" * 10 not in screen.raw


def test_an_outcome_has_its_colour(home: ClaudeHome, work: Path) -> None:
    del home
    three_clients(work / ROOT)

    screen = on_terminal(["inspect", "show"], cwd=work, columns=140)

    assert "\x1b[32mpassed" in screen.raw
    assert "\x1b[31mfailed" in screen.raw
    assert "\x1b[1;31merror" in screen.raw


def test_trace_does_the_same_with_one_line_that_it_is_deprecated(
    agentv: InProcess, work: Path
) -> None:
    three_clients(work / ROOT)

    for command in COMMANDS:
        new, old = agentv("inspect", *command), agentv("trace", *command)
        notice, _, rest = old.err.partition("\n")
        assert (old.code, old.out, rest) == (new.code, new.out, new.err)
        assert notice == "agentv: `agentv trace` is deprecated; use `agentv inspect`"


def test_trace_is_not_listed(agentv: InProcess) -> None:
    printed = agentv("--help")

    assert "  inspect " in printed.out
    assert "  trace " not in printed.out
    assert agentv("trace", "--help").code == 0


def test_few_characters_are_no_reason_to_fail(home: ClaudeHome, work: Path) -> None:
    del home
    three_clients(work / ROOT)

    for command in COMMANDS:
        done = run_agentv("inspect", *command, cwd=work, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert done.code == (1 if command[0] == "score" else 0), done.err
        assert "Traceback" not in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_a_reader_that_has_seen_enough_gets_no_traceback(
    home: ClaudeHome, work: Path, command: list[str]
) -> None:
    del home
    three_clients(work / ROOT)

    words = " ".join(f"'{one}'" for one in command)
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{sys.executable}' -m pytest_agentv inspect {words} | true"],
        cwd=work,
        env=environ({}),
        stderr=subprocess.PIPE,
        check=False,
    )

    assert b"Traceback" not in done.stderr
