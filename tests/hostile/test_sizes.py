"""Too much of everything: giant lines, tens of thousands of bad ones, objects by the million."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agentv_command import transcript_of
from hostile_sessions import CONVERSATION, agentv, kept, line, lines

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_vendors import Vendor

GIB = 1 << 30


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(b"x" * 1024, id="no JSON"),
        pytest.param(b'{"a":' * 200 + b" " * 24, id="objects"),
    ],
)
def test_a_line_of_200_mb_is_one_counted_skip(
    vendor: Vendor, session_file: Path, output: Path, piece: bytes
) -> None:
    records = vendor.conversation()
    with session_file.open("wb") as file:
        file.write(lines(records[:2]))
        for _ in range(200):
            file.write(piece * 1024)
        file.write(b"\n" + lines(records[2:]))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    session_file.unlink()
    assert ended.code == 0, ended.err
    assert ended.sentence == (
        f"warning: {session_file}: not all of it is understood: oversize record: 1 (first: line 3)"
    )
    transcript = transcript_of(output)
    assert transcript["drift"] == {"oversize record": 1}
    assert [message["line"] for message in transcript["output"]] == [1, 2, 5]
    assert transcript["output"][1]["tool_calls"][0]["output"] == "built"
    assert ended.memory < GIB


def test_a_tool_output_of_40_mb_is_no_reason_to_skip_it(
    vendor: Vendor, session_file: Path, output: Path
) -> None:
    records = vendor.conversation()
    whole = line(records[2]).split(b"built", 1)
    with session_file.open("wb") as file:
        file.write(lines(records[:2]) + whole[0])
        for _ in range(40):
            file.write(b"y" * (1 << 20))
        file.write(whole[1] + lines(records[3:]))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    session_file.unlink()
    assert (ended.code, ended.err) == (0, "")
    assert output.stat().st_size > 40 << 20
    output.unlink()
    assert ended.memory < GIB


@pytest.mark.parametrize("where", ["torn", "tool input"])
def test_millions_of_empty_objects_in_one_record_take_bounded_memory(
    vendor: Vendor, session_file: Path, output: Path, where: str
) -> None:
    records = vendor.conversation()
    opening, closing = vendor.call_line(b'{"command":"@@"}').split(b"@@")
    quote = opening[len(opening.rstrip(b'\\"')) :]
    opening = opening.removesuffix(quote) + b"["
    closing = b"{}]" + closing.removeprefix(quote) if where == "tool input" else b"{}\n"
    with session_file.open("wb") as file:
        file.write(lines(records[:2]) + opening)
        for _ in range(50):
            file.write(b"{}," * (1 << 18))
        file.write(closing + lines(records[2:]))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    session_file.unlink()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert ended.memory < GIB


def test_millions_of_names_in_one_record_take_bounded_memory(
    vendor: Vendor, session_file: Path, output: Path
) -> None:
    records = vendor.conversation()
    mark = b'"command":"ls"'
    opening, closing = vendor.call_line(b"{" + mark + b"}").split(
        mark.replace(b'"', b'\\"') if vendor.quotes_arguments else mark
    )
    entry = b'\\"k%08d\\":0,' if vendor.quotes_arguments else b'"k%08d":0,'
    with session_file.open("wb") as file:
        file.write(lines(records[:2]) + opening)
        for start in range(0, (60 << 20) // (len(entry) + 5), 10_000):
            file.write(b"".join(entry % number for number in range(start, start + 10_000)))
        file.write((entry % 0).rstrip(b",") + closing + lines(records[2:]))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    session_file.unlink()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert ended.memory < GIB


def test_a_torn_line_full_of_openings_is_looked_through_once(
    vendor: Vendor, session_file: Path, output: Path
) -> None:
    torn = b'{"a":' * 60 + b"[" + b"0," * 3_000_000 + b"\n"
    session_file.write_bytes(vendor.around(torn))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    session_file.unlink()
    assert ended.code == 0, ended.err
    assert transcript_of(output)["drift"] == {"unreadable line": 1}


@pytest.mark.parametrize("bad", [b"garbage", b'{"type":"user","message":'], ids=["words", "torn"])
def test_50000_bad_lines_are_one_warning_and_all_counted(
    vendor: Vendor, session_file: Path, output: Path, bad: bytes
) -> None:
    session_file.write_bytes(vendor.around((bad + b"\n") * 50_000))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    assert ended.code == 0
    assert ended.sentence == (
        f"warning: {session_file}: not all of it is understood: unreadable line: 50000 "
        "(first: line 3)"
    )
    assert transcript_of(output)["drift"] == {"unreadable line": 50_000}
    assert ended.out == f"{output}: 3 messages, 1 tool call\n"


def test_after_thousands_of_bad_lines_a_spliced_record_is_still_salvaged(vendor: Vendor) -> None:
    records = vendor.conversation()
    spliced = b'{"torn":"rec' + line(records[2])
    transcript = vendor.imported(
        lines(records[:2]) + b"garbage\n" * 10_100 + spliced + lines(records[3:])
    )
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {"unreadable line": 10_101}


def test_blanks_after_a_record_do_not_count_as_lines(vendor: Vendor, session_file: Path) -> None:
    records = vendor.conversation()
    with session_file.open("wb") as file:
        file.write(line(records[0]).rstrip())
        for _ in range(65):
            file.write(b" " * (1 << 20))
        file.write(b"\n" + lines(records[1:]))
    transcript = vendor.imported(session_file)
    session_file.unlink()
    assert kept(transcript)[-2:] == CONVERSATION[-2:]
    assert [message.line for message in transcript.output][-2:] == [2, 4]
