"""``agentv read --raw``: the records that a client wrote."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import codex_sessions
import pytest
from claude_sessions import Session
from hostile_sessions import agentv as measured
from hostile_sessions import line
from hostile_vendors import VENDORS, Vendor
from terminal import COMMAND

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

DATA = Path(__file__).parents[1] / "data"


def run_raw(work: Path, *options: str) -> bytes:
    done = subprocess.run(
        [*COMMAND, "read", "s.jsonl", "--raw", *options], cwd=work, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.parametrize("vendor", VENDORS, ids=str)
def test_records_are_the_bytes_that_the_client_wrote(
    vendor: Vendor, home: ClaudeHome, work: Path
) -> None:
    del home
    records = [line(one) for one in vendor.conversation(prompt="\x1b[31m \u2028 \x00")]
    content = b"".join(records) + b'\xff\x00{"torn'
    (work / "s.jsonl").write_bytes(content)

    assert run_raw(work) == content
    assert run_raw(work, "--last", "2") == records[-1] + b'\xff\x00{"torn'
    assert run_raw(work, "--last", "99") == content


def test_records_without_a_time_belong_to_those_before_them(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = Session()
    session.about("summary", summary="none yet")
    session.prompt("first")
    session.about("ai-title", aiTitle="first")
    session.prompt("second")
    session.about("ai-title", aiTitle="second")
    path = home.add(session)
    whole = path.read_text(encoding="utf-8").splitlines(keepends=True)
    raw = ("read", "claude:latest", "--raw", "--since")

    assert agentv(*raw, "2026-03-02T09:00:00Z").out == "".join(whole[1:])
    assert agentv(*raw, "2026-03-02T09:00:01Z").out == "".join(whole[3:])
    assert agentv(*raw, "2026-03-02T09:00:00Z", "--last", "1").out == whole[-1]


def test_compressed_sessions_have_their_records_unpacked(agentv: InProcess, work: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    session = codex_sessions.Session()
    session.ask("Fix it")
    content = session.write_in(work).read_bytes()
    packed = work / f"{session.name()}.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(content))

    assert agentv("read", packed, "--raw").out.encode() == content


def test_the_last_records_of_a_huge_file_need_no_room(home: ClaudeHome, work: Path) -> None:
    del home
    vendor = VENDORS[0]
    long = line(vendor.prompt("x" * 1_000_000))
    with (work / "s.jsonl").open("wb") as file:
        for _ in range(200):
            file.write(long)

    ended = measured("read", "s.jsonl", "--raw", "--last", "1", cwd=work)

    assert (ended.code, ended.err, len(ended.out)) == (0, "", len(long))
    assert ended.memory < 100_000_000


def test_of_a_session_that_is_a_folder_the_files_are_named(
    home: ClaudeHome, work: Path, agentv: InProcess
) -> None:
    del home
    shutil.copytree(DATA / "cline" / "1784110360000_shopx", work / "1784110360000_shopx")

    printed = agentv("read", "1784110360000_shopx", "--raw")

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.count("\n") == 1
    assert "is a folder, and --raw prints one file; look at those in it: " in printed.err
    assert "1784110360000_shopx.json, 1784110360000_shopx.messages.json" in printed.err


def test_a_database_has_no_records_to_print(
    home: ClaudeHome, work: Path, agentv: InProcess
) -> None:
    del home
    database = sqlite3.connect(work / "opencode.db")
    database.executescript((DATA / "opencode" / "later.sql").read_text(encoding="utf-8"))
    database.close()

    printed = agentv("read", "opencode.db", "--raw")

    assert (printed.code, printed.out) == (1, "")
    assert "is a database, which has no records to print; read it without --raw" in printed.err
