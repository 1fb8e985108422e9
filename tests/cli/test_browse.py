"""``agentv browse`` as a command: on a terminal, without one, without Textual."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from agentv_command import run_agentv
from terminal import on_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


@pytest.mark.usefixtures("home")
def test_without_textual_one_sentence_says_how_to_get_it(
    agentv: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*sys.modules]:
        if name.startswith(("pytest_agentv.browse", "textual")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    printed = agentv("browse")
    assert (printed.code, printed.out) == (1, "")
    assert printed.err == (
        "agentv: agentv browse needs Textual, which is not installed: "
        "pip install 'pytest-agentv[tui]'\n"
    )


def test_without_a_terminal_it_says_what_does_without(home: ClaudeHome, work: Path) -> None:
    pytest.importorskip("textual", reason="the browser needs the extra tui")
    home.session("aaaaaaaa")
    printed = run_agentv("browse", cwd=work)
    assert (printed.code, printed.out) == (2, "")
    assert "agentv browse needs a terminal; agentv search does not." in printed.err


def test_on_a_terminal_sessions_are_imported_and_their_files_named(
    home: ClaudeHome, work: Path
) -> None:
    pytest.importorskip("textual", reason="the browser needs the extra tui")
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Write the changelog")
    screen = on_terminal(
        ["browse", "login"],
        cwd=work,
        columns=120,
        pipe_output=True,
        keys=[("1 found", "i"), ("Import", "\r"), ("goes back", "\r"), ("found", "q")],
    )
    assert (screen.code, screen.out) == (0, ".agentv/transcripts/claude-aaaaaaaa.jsonl\n")
    assert (work / ".agentv/transcripts/claude-aaaaaaaa.jsonl").exists()
