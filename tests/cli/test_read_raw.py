"""``agentv read --raw``: the records that a client wrote."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import codex_sessions
import pytest
from claude_sessions import Session
from hostile_sessions import agentv as measured
from hostile_sessions import line
from hostile_vendors import VENDORS, Vendor
from terminal import COMMAND

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


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
