"""Files that hold several sessions, and sessions that are folders, on the command line."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from adapter_fixtures import DATA

from pytest_agentv import read_transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess

ROWS = DATA / "openai" / "swe-smith.jsonl"
FIRST, SECOND = "dev__shop.1a2b3c4d.pr_7", "dev__shop.1a2b3c4d.pr_8"
CONVERSATION = DATA / "openhands" / "login-limit"


def _ids(folder: Path) -> list[str]:
    files = sorted(folder.glob("*.jsonl"))
    return sorted(one.source.session_id or "" for path in files for one in read_transcripts(path))


@pytest.fixture(autouse=True)
def _in_work(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)


@pytest.mark.parametrize("client", ["openai", "auto"])
def test_every_session_of_a_file_is_imported(agentv: InProcess, work: Path, client: str) -> None:
    imported = agentv("import", client, "--file", ROWS)
    assert (imported.code, imported.out) == (0, "2 of 2 sessions imported, 0 failed\n")
    assert _ids(work / ".agentv" / "transcripts") == [FIRST, SECOND]


@pytest.mark.parametrize("client", ["openai", "auto"])
def test_one_session_of_a_file_is_imported_by_its_id(
    agentv: InProcess, work: Path, client: str
) -> None:
    imported = agentv("import", client, "--file", ROWS, "--session-id", SECOND, "-o", "x.jsonl")
    assert imported.code == 0, imported.err
    (transcript,) = read_transcripts(work / "x.jsonl")
    assert transcript.source.session_id == SECOND


def test_an_id_that_fits_several_sessions_of_a_file_is_a_usage_error(agentv: InProcess) -> None:
    imported = agentv("import", "openai", "--file", ROWS, "--session-id", "dev__shop")
    assert imported.code == 2
    assert "2 sessions have an id that begins with 'dev__shop'" in imported.err
    missing = agentv("import", "openai", "--file", ROWS, "--session-id", "nobody")
    assert (missing.code, missing.out) == (1, "")


def test_several_sessions_do_not_fit_into_one_output_file(agentv: InProcess, work: Path) -> None:
    imported = agentv("import", "openai", "--file", ROWS, "-o", "x.jsonl")
    assert (imported.code, imported.out) == (2, "")
    assert "holds 2 sessions; give -o a folder for them, or say which one" in imported.err
    assert list(work.iterdir()) == []


def test_the_sessions_of_a_file_are_listed(agentv: InProcess) -> None:
    listed = agentv("import", "openai", "--file", ROWS, "--list", "--json")
    assert listed.code == 0
    rows = json.loads(listed.out)
    assert [row["id"] for row in rows] == [FIRST, SECOND]
    assert rows[1]["first_prompt"] == "Round prices to cents."
    again = agentv("import", "openai", "--file", ROWS, "--list", "--json")
    assert again.out == listed.out  # now from what was remembered, by row


def test_what_lies_anywhere_is_named_by_a_file(agentv: InProcess) -> None:
    found = agentv("import", "openai", "--discover", "latest")
    assert (found.code, found.out) == (1, "")
    assert found.err.startswith("agentv: it is unknown where openai keeps its sessions")
    assert found.err.endswith("name a file with --file\n")


@pytest.mark.parametrize("part", [".", "events", "base_state.json", "events/event-00000-*.json"])
@pytest.mark.parametrize("client", ["openhands", "auto"])
def test_a_folder_is_imported_by_itself_or_any_part_of_it(
    agentv: InProcess, work: Path, client: str, part: str
) -> None:
    (path,) = CONVERSATION.glob(part) if "*" in part else [CONVERSATION / part]
    imported = agentv("import", client, "--file", path, "-o", "x.jsonl")
    assert imported.code == 0, imported.err
    (transcript,) = read_transcripts(work / "x.jsonl")
    assert transcript.source.session_id == "login-limit"
    assert transcript.source.model == "claude-sonnet-4-6"


def test_a_folder_of_another_client_is_refused_with_the_right_name(
    agentv: InProcess, work: Path
) -> None:
    imported = agentv("import", "copilot", "--file", CONVERSATION)
    assert (imported.code, imported.out) == (1, "")
    assert "is no session of copilot; try: agentv import openhands --file" in imported.err
    assert list(work.iterdir()) == []


def test_a_session_is_read_by_its_client_and_id(
    agentv: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENHANDS_CONVERSATIONS_DIR", str(tmp_path / "conversations"))
    for name in ("aaaa", "bbbb"):
        shutil.copytree(CONVERSATION, tmp_path / "conversations" / name)
    shown = agentv("read", "openhands:bb", "--last", "1")
    assert shown.code == 0, shown.err
    assert "Retry-After" in shown.out
    assert agentv("read", str(CONVERSATION), "--last", "1").out == shown.out


def test_reading_one_of_several_sessions_says_that_there_are_more(agentv: InProcess) -> None:
    shown = agentv("read", str(ROWS))
    assert (shown.code, shown.out) == (2, "")
    assert "holds 2 sessions; agentv read shows one" in shown.err


def test_all_sessions_of_a_file_are_exported(agentv: InProcess, work: Path) -> None:
    exported = agentv("export", str(ROWS), "--format", "openai", "-o", "out.jsonl")
    assert exported.code == 0, exported.err
    lines = (work / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
