"""What `-o` may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


@pytest.mark.parametrize(
    "command",
    [
        ("import", "claude", "--discover", "latest"),
        ("export", "claude:latest", "--format", "html"),
        ("draft", "claude:latest"),
        ("grade", "evals"),
        ("redact", "claude:latest"),
        ("report", "latest"),
        ("search", "x", "--import"),
        ("browse",),
    ],
    ids=lambda command: command[0],
)
def test_a_dash_is_no_file(
    command: tuple[str, ...], home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa")
    printed = agentv(*command, "-o", "-")

    assert (printed.code, printed.out) == (2, "")
    assert "'-' names no file; standard output cannot be named." in printed.err
    assert printed.err.count("\n") == 1
    assert not (work / "-").exists()


@pytest.mark.parametrize("name", ["draft", "draft.txt", "draft.eval"])
def test_a_draft_that_nothing_would_grade_is_not_written(
    name: str, home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa")
    printed = agentv("draft", "claude:latest", "-o", name)

    assert (printed.code, printed.out) == (2, "")
    assert f"{name} is no eval file: these end in .yaml or .yml." in printed.err
    assert not (work / name).exists()
