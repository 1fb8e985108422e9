"""What is said of a session that nobody finds: every command names what was asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess

COMMANDS = {
    "export": ["export", "--format", "markdown"],
    "draft": ["draft"],
    "init": ["init"],
    "redact": ["redact"],
    "grade": ["grade", "one.eval.yaml", "--transcript"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("none.jsonl", "no such file, folder, glob or session"),
        ("folder", "the folder holds no .jsonl file, and is no session itself"),
        ("", "names nothing"),
    ],
)
def test_a_name_that_stands_for_nothing_is_said(
    agentv: InProcess, work: Path, command: list[str], what: str, sentence: str
) -> None:
    (work / "folder").mkdir()
    (work / "one.eval.yaml").write_text("tests: [{assert: [{contains: a}]}]\n", encoding="utf-8")

    printed = agentv(*command, what)

    assert (printed.code, printed.out) == (1, "")
    assert printed.err == f"agentv: {what!r}: {sentence}\n"


def test_a_transcript_is_not_imported_again(agentv: InProcess, work: Path) -> None:
    transcript = '{"schema_version":"1.0","test_id":null,"source":{"provider":"x"},"output":[]}\n'
    (work / "one.jsonl").write_text(transcript, encoding="utf-8")

    printed = agentv("import", "auto", "--file", "one.jsonl")

    assert printed.code == 1
    assert printed.err == "agentv: one.jsonl: is a transcript already, not a session\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
@pytest.mark.parametrize(
    "command", [["grade"], ["inspect", "score", "--file"], ["judge", "calibrate"]], ids=" ".join
)
def test_a_file_that_may_not_be_read_is_a_finding_and_no_wrong_usage(
    agentv: InProcess, work: Path, command: list[str]
) -> None:
    (work / "secret.yaml").write_text("tests: []\n", encoding="utf-8")
    (work / "secret.yaml").chmod(0)

    printed = agentv(*command, "secret.yaml")

    assert (printed.code, printed.out) == (1, "")
    assert "secret.yaml: cannot be " in printed.err
    assert "Permission denied" in printed.err
