"""Lines that are no records, and bytes that are no text: good records stay, the rest is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hostile_sessions import CONVERSATION, kept, line, lines
from hostile_vendors import CLAUDE

from pytest_agentv.catalogue import ADAPTERS

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess
    from hostile_sessions import Kept
    from hostile_vendors import Vendor

BOM = b"\xef\xbb\xbf"
_NEXT: Kept = [("user", "Now test it", [])]


def _torn(vendor: Vendor) -> bytes:
    """A record with objects inside objects, escapes, and no blank between its tokens."""
    arguments = (
        b'{"edits":[{"old":1.5e3,"new":null}],"said":"\\"{type}\\" \xc3\xa4\xe2\x80\xa8,\\n"}'
    )
    return vendor.call_line(arguments).rstrip()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n", id="newline"),
        pytest.param(b" \t\r\n\r\n   ", id="whitespace"),
        pytest.param(BOM, id="mark"),
        pytest.param(b"\0" * 5000, id="NUL"),
        pytest.param(bytes(range(256)), id="binary"),
        pytest.param(b"{}\n[]\nnull\n", id="values"),
        pytest.param(b'{"type":"us', id="torn"),
    ],
)
def test_a_file_without_any_record_is_one_sentence_and_exit_code_1(
    vendor: Vendor, agentv_here: InProcess, session_file: Path, output: Path, content: bytes
) -> None:
    session_file.write_bytes(content)
    ended = agentv_here("import", vendor.name, "--file", session_file, "-o", output)
    assert (ended.code, ended.out) == (1, "")
    sentence = f"holds no record of a {vendor.client} session" if content else "is empty"
    assert ended.err == f"agentv: {session_file}: {sentence}\n"
    assert not output.exists()
    unclaimed = agentv_here("import", "auto", "--file", session_file, "-o", output)
    assert (unclaimed.code, unclaimed.out) == (1, "")
    known = ", ".join(sorted(one.name for one in ADAPTERS))
    sentence = f"is no session that an adapter knows ({known})" if content else "is empty"
    assert unclaimed.err == f"agentv: {session_file}: {sentence}\n"
    assert not output.exists()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be-mark"])
def test_utf16_is_named_as_what_it_is(
    vendor: Vendor,
    agentv_here: InProcess,
    session_file: Path,
    output: Path,
    encoding: str,
) -> None:
    content = lines(vendor.conversation()).decode()
    session_file.write_bytes(
        content.encode("utf-16")
        if encoding == "utf-16"
        else b"\xfe\xff" + content.encode("utf-16-be")
    )
    for name in (vendor.name, "auto"):
        ended = agentv_here("import", name, "--file", session_file, "-o", output)
        assert ended.code == 1
        assert ended.err == f"agentv: {session_file}:1: is UTF-16 text; sessions are UTF-8\n"
        assert not output.exists()


@pytest.mark.parametrize(
    ("bad", "drift"),
    [
        pytest.param(b"\n\n  \n\t\r\n", {}, id="blank lines"),
        pytest.param(b"no JSON at all\n", {"unreadable line": 1}, id="words"),
        pytest.param(b"// a comment\n# another\n", {"unreadable line": 2}, id="comments"),
        pytest.param(b'{"torn": \n', {"unreadable line": 1}, id="torn"),
        pytest.param(b"{}}\n", {"unreadable line": 1}, id="one brace too many"),
        pytest.param(b"\0" * 4096 + b"\n", {"unreadable line": 1}, id="NUL run"),
        pytest.param(b"\xff\xfe\xfd\n", {"unreadable line": 1}, id="no UTF-8"),
        pytest.param(b"null\n", {"record that is no object": 1}, id="null"),
        pytest.param(b"[1]\n5\n", {"record that is no object": 2}, id="list and number"),
        pytest.param(b'"text"\ntrue\n', {"record that is no object": 2}, id="text and truth"),
        pytest.param(b"NaN\n", {"record that is no object": 1, "text repaired": 1}, id="NaN"),
    ],
)
def test_a_line_that_is_no_record_is_counted_and_costs_nothing_else(
    vendor: Vendor, bad: bytes, drift: dict[str, int]
) -> None:
    transcript = vendor.imported(vendor.around(bad))
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == drift


def test_the_command_says_once_what_is_unreadable_and_where_it_begins(
    vendor: Vendor, agentv_here: InProcess, session_file: Path, output: Path
) -> None:
    session_file.write_bytes(vendor.around(b"garbage\n\n[]\ngarbage\n"))
    ended = agentv_here("import", vendor.name, "--file", session_file, "-o", output)
    assert ended.code == 0
    assert ended.err == (
        f"warning: {session_file}: not all of it is understood: record that is no object: 1 "
        "(first: line 5), unreadable line: 2 (first: line 3)\n"
    )
    assert ended.out == f"{output}: 3 messages, 1 tool call\n"


@pytest.mark.parametrize("count", [2, 3, 4])
def test_records_glued_together_on_one_line_are_all_there(vendor: Vendor, count: int) -> None:
    records = vendor.conversation()
    glued = b"".join(line(record).rstrip() for record in records[:count]) + b"\n"
    transcript = vendor.imported(glued + lines(records[count:]))
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {}


def test_a_record_after_nul_bytes_on_its_line_is_salvaged(vendor: Vendor) -> None:
    transcript = vendor.imported(vendor.around(b"\0" * 300 + line(vendor.prompt())))
    assert kept(transcript) == [*CONVERSATION[:2], *_NEXT, CONVERSATION[2]]
    assert transcript.drift == {"unreadable line": 1}


@pytest.mark.parametrize("between", [b"", b"\0\0\0", b" "], ids=["nothing", "NUL", "blank"])
def test_wherever_a_record_is_cut_the_next_one_on_its_line_is_salvaged(
    vendor: Vendor, between: bytes
) -> None:
    torn = _torn(vendor)
    # Where a value may follow, a record that follows reads as a part of the torn one.
    cuts = [cut for cut in range(1, len(torn)) if torn[cut - 1 : cut] not in b":[,"]
    spliced = [torn[:cut] + between + line(vendor.step(f"After {cut} bytes", cut)) for cut in cuts]
    transcript = vendor.imported(vendor.around(lines(spliced)))
    first, second, last = CONVERSATION
    assert [content for _, content, _ in kept(transcript)[2:-1]] == [
        f"After {cut} bytes" for cut in cuts
    ]
    assert [*kept(transcript)[:2], kept(transcript)[-1]] == [first, second, last]
    assert transcript.drift == {"unreadable line": len(cuts)}


def test_wherever_a_record_is_cut_no_part_of_it_becomes_a_record(vendor: Vendor) -> None:
    whole = _torn(vendor)
    torn = [whole[:cut] + b"\n" for cut in range(1, len(whole))]
    transcript = vendor.imported(vendor.around(lines(torn)))
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {"unreadable line": len(torn)}


def test_wherever_the_last_record_is_cut_its_tail_is_one_counted_skip(vendor: Vendor) -> None:
    wrong = {}
    torn = _torn(vendor)
    # Every cut behind a closed object, where a part looks whole, and many others.
    cuts = {cut for cut in range(1, len(torn)) if torn[cut - 1 : cut] in b"}]"}
    for cut in sorted(cuts | set(range(1, len(torn), 7))):
        transcript = vendor.imported(lines(vendor.conversation()) + torn[:cut])
        if (kept(transcript), transcript.drift) != (CONVERSATION, {"unfinished last line": 1}):
            wrong[torn[:cut][-30:]] = transcript.drift
    assert wrong == {}


def test_a_message_told_inside_a_torn_record_is_not_taken_for_one_of_the_main_thread() -> None:
    nested = {"type": "progress", "data": {"message": CLAUDE.prompt("To a sub-agent")}, "uuid": "x"}
    for end in (b"", b"\n"):
        transcript = CLAUDE.imported(lines(CLAUDE.conversation()) + line(nested)[:-12] + end)
        assert kept(transcript) == CONVERSATION


def test_a_good_last_record_needs_no_newline(vendor: Vendor) -> None:
    transcript = vendor.imported(lines(vendor.conversation()).rstrip(b"\n"))
    assert kept(transcript) == CONVERSATION
    assert transcript.drift == {}


def test_mark_and_windows_line_ends_give_the_same_bytes(
    vendor: Vendor, agentv_here: InProcess, session_file: Path, tmp_path: Path
) -> None:
    records = vendor.conversation("Two\r\nlines \u00e4")
    plain = lines(records)
    written = {}
    for name, content in {
        "plain": plain,
        "mark": BOM + plain,
        "windows": BOM + plain.replace(b"\n", b"\r\n"),
        "windows without mark": plain.replace(b"\n", b"\r\n"),
    }.items():
        session_file.write_bytes(content)
        output = tmp_path / f"{name}.jsonl"
        ended = agentv_here("import", vendor.name, "--file", session_file, "-o", output)
        assert (ended.code, ended.err) == (0, "")
        written[name] = output.read_bytes()
    assert set(written.values()) == {written["plain"]}
    assert json.loads(written["plain"])["input"] == "Two\r\nlines \u00e4"


def test_a_mark_in_the_middle_costs_nothing(vendor: Vendor) -> None:
    transcript = vendor.imported(vendor.around(BOM + line(vendor.prompt())))
    assert kept(transcript) == [*CONVERSATION[:2], *_NEXT, CONVERSATION[2]]
    assert transcript.drift == {"text repaired": 1}


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        pytest.param(rb"\ud800", "\ufffd", id="high surrogate"),
        pytest.param(rb"\udc00", "\ufffd", id="low surrogate"),
        pytest.param(rb"\udc00\ud800", "\ufffd\ufffd", id="wrong way round"),
        pytest.param(rb"\ud83d\ude00", "\U0001f600", id="pair"),
        pytest.param(rb"\ud83d \ude00", "\ufffd \ufffd", id="pair torn apart"),
        pytest.param(rb"\ud83d\ud83d\ude00", "\ufffd\U0001f600", id="one too many"),
        pytest.param(b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", id="surrogate in raw bytes"),
        pytest.param(b"\xff", "\ufffd", id="no UTF-8"),
        pytest.param(b"\xc3", "\ufffd", id="half a character"),
        pytest.param(b"\xc0\xaf", "\ufffd\ufffd", id="overlong"),
        pytest.param(b"\xf4\x90\x80\x80", "\ufffd" * 4, id="beyond Unicode"),
    ],
)
def test_text_that_is_none_is_replaced_and_its_record_kept(
    vendor: Vendor, raw: bytes, read: str
) -> None:
    records = [line(record) for record in vendor.conversation()]
    records[0] = records[0].replace(b"Build", b"B" + raw + b"d")
    records[1] = records[1].replace(b"make", b"m" + raw)
    records[2] = records[2].replace(b"built", b"b" + raw)
    transcript = vendor.imported(lines(records))
    assert transcript.input == f"B{read}d the shop"
    (call,) = transcript.output[1].tool_calls
    assert (call.args, call.output) == ({"command": f"m{read}"}, f"b{read}")
    assert transcript.drift == ({} if read == "\U0001f600" else {"text repaired": 3})


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x7f", "\ufeff", "\U0001f600"])
def test_characters_that_other_readers_split_at_are_text(vendor: Vendor, character: str) -> None:
    records = vendor.conversation(f"Build{character}it")
    transcript = vendor.imported(lines(records))
    assert transcript.input == f"Build{character}it"
    assert transcript.drift == {}


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x1e", "\t", "\r", "\0", "\x1b"])
def test_control_characters_inside_a_text_are_kept_escaped_or_not(
    vendor: Vendor, character: str
) -> None:
    records = vendor.conversation(f"Build{character}it")
    escaped = line(records[0])
    raw = escaped.replace(json.dumps(character)[1:-1].encode(), character.encode())
    assert raw != escaped
    transcript = vendor.imported(escaped + lines(records[1:]))
    assert (transcript.input, transcript.drift) == (f"Build{character}it", {})
    transcript = vendor.imported(raw + lines(records[1:]))
    assert (transcript.input, transcript.drift) == (f"Build{character}it", {"text repaired": 1})


def test_strict_import_of_a_damaged_session_writes_nothing(
    vendor: Vendor, agentv_here: InProcess, session_file: Path, output: Path
) -> None:
    session_file.write_bytes(vendor.around(b"garbage\n"))
    output.write_text("old", encoding="utf-8")
    ended = agentv_here(
        "import", vendor.name, "--file", session_file, "-o", output, "--strict", "--force"
    )
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        f"agentv: {session_file}: not all of it is understood: unreadable line: 1 (first: line 3)\n"
    )
    assert output.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in output.parent.iterdir()) == sorted(
        [output.name, session_file.name]
    )
