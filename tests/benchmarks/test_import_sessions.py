"""The measurement of imports: what it runs, what it finds, what it says about targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from import_sessions import REDACTED, Row, measure_size, programs, table, verdicts
from vendors import AGENTV, SESSION_ID, VENDORS, session_path

OURS = Row("codex", 100, "ours", 9000, 0.6, 1.9, 42.0, tool_calls_kept=9000, tokens_exact=True)
THEIRS = Row("codex", 100, AGENTV, 9000, 3.6, 9.0, 420.0, tool_calls_kept=4500)


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_import_in_its_own_process_keeps_all_calls_and_tokens(
    tmp_path: Path, vendor: str
) -> None:
    rows = measure_size(VENDORS[vendor], 0.5, repeat=1, seed=1, agentv="not wanted", work=tmp_path)
    floor, ours, theirs = rows
    assert [row.program for row in rows] == ["floor", "ours", AGENTV]
    assert floor.problem is None
    assert ours.problem is None
    assert ours.tool_calls_kept == ours.tool_calls > 0
    assert ours.tokens_exact is True
    assert theirs.problem == "not wanted"


@pytest.mark.parametrize(
    ("name", "option", "folder"),
    [
        ("claude", "--projects-dir", "projects"),
        ("codex", "--sessions-dir", "sessions"),
        ("copilot", "--session-state-dir", "session-state"),
    ],
)
def test_agentv_gets_the_folder_of_the_session(
    tmp_path: Path, name: str, option: str, folder: str
) -> None:
    session = session_path(VENDORS[name], tmp_path)
    *_, theirs = programs(VENDORS[name], session, tmp_path, Path("agentv"))
    command = ["agentv", "import", name, "--session-id", SESSION_ID, option]
    assert theirs.command == [
        *command,
        str(tmp_path / folder),
        "-o",
        str(tmp_path / "agentv.jsonl"),
    ]
    assert session.is_relative_to(tmp_path / folder)
    assert session.parent.is_dir()


def test_the_table_names_vendor_and_program() -> None:
    failed = Row("copilot", 100, "ours", 9, problem="exit 2: no")
    head, *lines = table([OURS, failed]).splitlines()
    assert head.split()[:3] == ["session", "MB", "program"]
    assert " ".join(lines[0].split()) == "codex 100 ours 0.60 1.90 42 9000 / 9000 exact"
    assert " ".join(lines[1].split()) == "copilot 100 ours not measured: exit 2: no"


def test_targets_are_met_missed_or_not_measured() -> None:
    slow = replace(OURS, vendor="claude", times_floor=2.1, tool_calls_kept=8999, tokens_exact=False)
    gone = Row("claude", 100, AGENTV, 9000, problem="node is not installed")
    said = [line.split() for line in verdicts([OURS, THEIRS, slow, gone])]
    outcomes = [next(word for word in line if word in {"met", "MISSED", "not"}) for line in said]
    assert [line[0] for line in said] == ["codex"] * 6 + ["claude"] * 6
    assert outcomes[:6] == ["met"] * 6
    assert outcomes[6:] == ["MISSED", "met", "MISSED", "MISSED", "not", "not"]


def test_redaction_is_measured_beside_the_import(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "repeat": 1,
        "seed": 1,
        "agentv": "not wanted",
        "work": tmp_path,
        "redact": True,
    }
    rows = measure_size(VENDORS["claude"], 0.3, **given)

    assert [row.program for row in rows] == ["floor", "ours", REDACTED, AGENTV]
    assert rows[2].problem is None
    assert rows[2].tool_calls_kept == rows[2].tool_calls
    said = verdicts([OURS, replace(OURS, program=REDACTED, cpu_seconds=2.1), THEIRS])
    assert "imports that redaction adds" in said[-2]
    assert "met (2.50)" in said[-2]
