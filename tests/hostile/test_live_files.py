"""Sessions that change while they are read: what counts is the file as it was when opened."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hostile_sessions import CONVERSATION, kept, line, lines

from pytest_agentv import load
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_vendors import Vendor


@pytest.mark.parametrize(
    "further",
    [b"\nRECORD", b"RECORD", b'{"torn', b"\n\0\0\0", b"\n" * 1000],
    ids=["record", "glued record", "glued torn record", "NUL", "blank lines"],
)
def test_what_is_appended_after_opening_is_left_for_the_next_time(
    vendor: Vendor, session_file: Path, further: bytes
) -> None:
    # The last line has no newline yet, so that what follows may be glued to it.
    session_file.write_bytes(lines(vendor.conversation()).rstrip())
    stream = vendor.opened(session_file)
    with session_file.open("ab") as file:
        file.write(further.replace(b"RECORD", line(vendor.prompt())))
    transcript = load(stream)
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {}


def test_a_torn_tail_that_is_completed_later_is_one_counted_skip(
    vendor: Vendor, session_file: Path
) -> None:
    whole = line(vendor.prompt())
    session_file.write_bytes(lines(vendor.conversation()) + whole[:100])
    stream = vendor.opened(session_file)
    with session_file.open("ab") as file:
        file.write(whole[100:])
    transcript = load(stream)
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {"unfinished last line": 1}
    assert kept(vendor.imported(session_file)) == [*CONVERSATION, ("user", "Now test it", [])]


_APPENDING = """
import sys
path, line = sys.argv[1], sys.argv[2].encode()
with open(path, "ab", buffering=0) as file:
    for number in range(200_000):
        whole = line.replace(b"NUMBER", b"%d" % number) + b"\\n"
        half = len(whole) // 2
        file.write(whole[:half])
        file.write(whole[half:])
        if number == 10:
            print(flush=True)
            sys.stdin.readline()
"""


def test_a_session_that_grows_all_the_time_is_read_up_to_where_it_was(
    vendor: Vendor, session_file: Path
) -> None:
    step = line(vendor.step("Step NUMBER", 4711)).replace(b"4711", b"NUMBER").decode().rstrip()
    session_file.write_bytes(lines(vendor.conversation()))
    writing = subprocess.Popen(
        [sys.executable, "-c", _APPENDING, session_file, step],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert writing.stdout is not None
        assert writing.stdin is not None
        writing.stdout.readline()
        writing.stdin.write(b"\n")
        writing.stdin.flush()
        transcripts = [load(vendor.opened(session_file)) for _ in range(5)]
    finally:
        writing.kill()
        writing.communicate()
    for transcript in transcripts:
        steps = len(transcript.output) - 3
        assert steps >= 11
        assert kept(transcript)[:3] == CONVERSATION
        assert [message.content for message in transcript.output[3:]] == [
            f"Step {number}" for number in range(steps)
        ]
        assert transcript.drift in ({}, {"unfinished last line": 1})


@pytest.mark.parametrize("records", [0, 1, 2, 3])
def test_a_session_cut_short_while_it_is_read_is_an_error_or_counted(
    vendor: Vendor, session_file: Path, records: int
) -> None:
    session_file.write_bytes(lines(vendor.conversation()))
    stream = vendor.opened(session_file)
    session_file.write_bytes(lines(vendor.conversation()[:records]))
    try:
        transcript = load(stream)
    except SessionError as exc:
        assert str(session_file) in str(exc)  # noqa: PT017 (either way is right)
        return
    assert transcript.output
    lost = len(CONVERSATION) - len(transcript.output)
    assert lost <= sum(transcript.drift.values())


def test_a_session_removed_while_it_is_read_is_an_error_or_complete(
    vendor: Vendor, session_file: Path
) -> None:
    session_file.write_bytes(lines(vendor.conversation()))
    stream = vendor.opened(session_file)
    session_file.unlink()
    try:
        transcript = load(stream)
    except SessionError as exc:
        assert str(session_file) in str(exc)  # noqa: PT017 (either way is right)
        return
    assert kept(transcript) == CONVERSATION


def test_a_session_replaced_while_it_is_read_is_never_fatal(
    vendor: Vendor, session_file: Path
) -> None:
    session_file.write_bytes(lines(vendor.conversation()))
    stream = vendor.opened(session_file)
    session_file.write_bytes(b"[" * 100_000)
    try:
        transcript = load(stream)
    except SessionError as exc:
        assert str(session_file) in str(exc)  # noqa: PT017 (either way is right)
        return
    assert transcript.output
