"""Files as disks, crashes and copies leave them: good records are kept, bad ones are counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, said, text

from pytest_agentv import dumps

if TYPE_CHECKING:
    from pathlib import Path

    from claude_sessions import Read

PLAIN = [("human", "Go"), ("assistant", "Done."), ("human", "More"), ("assistant", "Done again.")]


def plain_session() -> Session:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Done."))
    session.prompt("More")
    session.response("msg_2", text("Done again."))
    return session


def lines_of(session: Session, folder: Path) -> list[bytes]:
    return session.write_in(folder).read_bytes().splitlines(keepends=True)


def written(folder: Path, *lines: bytes) -> Path:
    path = folder / "5e550000-0000-4000-8000-000000000001.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def test_a_torn_last_line_is_counted_and_loses_nothing_else(read: Read, tmp_path: Path) -> None:
    lines = lines_of(plain_session(), tmp_path)
    transcript = read(written(tmp_path, *lines, lines[0][:60]))
    assert said(transcript) == PLAIN
    assert transcript.drift == {"unfinished last line": 1}


def test_a_missing_last_newline_loses_nothing(read: Read, tmp_path: Path) -> None:
    path = plain_session().write(tmp_path / "x.jsonl", final_newline=False)
    transcript = read(path)
    assert said(transcript) == PLAIN
    assert transcript.drift == {}


def test_two_records_on_one_line_are_both_kept(read: Read, tmp_path: Path) -> None:
    one, two, three, four = lines_of(plain_session(), tmp_path)
    transcript = read(written(tmp_path, one, two.strip() + three, four))
    assert said(transcript) == PLAIN
    assert [message.line for message in transcript.output] == [1, 2, 2, 3]
    assert transcript.drift == {}


def test_a_record_after_a_torn_one_is_kept(read: Read, tmp_path: Path) -> None:
    one, two, three, four = lines_of(plain_session(), tmp_path)
    transcript = read(written(tmp_path, one, two[:80] + two, three, four))
    assert said(transcript) == PLAIN
    assert transcript.drift == {"unreadable line": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"// a comment\n", "unreadable line"),
        (b"\x00\x00\x00\x00\n", "unreadable line"),
        (b'{"type": \n', "unreadable line"),
        (b"{" * 100_000 + b"\n", "unreadable line"),
        (b"null\n", "record that is no object"),
        (b"[1]\n", "record that is no object"),
        (b'"text"\n', "record that is no object"),
        (b"17\n", "record that is no object"),
    ],
    ids=["comment", "nul", "torn", "deep", "null", "list", "text", "number"],
)
def test_a_line_that_is_no_record_is_counted(
    read: Read, tmp_path: Path, line: bytes, reason: str
) -> None:
    one, *others = lines_of(plain_session(), tmp_path)
    transcript = read(written(tmp_path, one, line, *others))
    assert said(transcript) == PLAIN
    assert transcript.drift == {reason: 1}


def test_marks_blank_lines_and_carriage_returns_change_nothing(read: Read, tmp_path: Path) -> None:
    lines = lines_of(plain_session(), tmp_path)
    usual = dumps(read(written(tmp_path, *lines)))
    windows = [line.replace(b"\n", b"\r\n") for line in lines]
    assert dumps(read(written(tmp_path, b"\xef\xbb\xbf", *windows))) == usual
    assert said(read(written(tmp_path, *lines, b"\n", b"  \n"))) == PLAIN


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_only_newlines_end_a_line(read: Read, separator: str) -> None:
    session = Session()
    session.prompt(f"one{separator}two")
    assert said(read(session)) == [("human", f"one{separator}two")]


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        (b"caf\xe9", "caf\ufffd"),
        (b"bad \\ud83d end", "bad \ufffd end"),
        (b"good \\ud83d\\ude00", "good \U0001f600"),
        (b"nul \\u0000 inside", "nul \x00 inside"),
    ],
)
def test_text_that_is_no_text_costs_its_characters_alone(
    read: Read, tmp_path: Path, raw: bytes, content: str
) -> None:
    session = Session()
    session.prompt("MARK")
    (line,) = lines_of(session, tmp_path)
    transcript = read(written(tmp_path, line.replace(b"MARK", raw)))
    assert said(transcript) == [("human", content)]
    assert transcript.drift == ({"text repaired": 1} if "\ufffd" in content else {})


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5000],
    ids=["nan", "infinity", "minus-infinity", "too-large", "5000-digits"],
)
def test_an_impossible_number_costs_that_number_alone(
    read: Read, tmp_path: Path, number: str
) -> None:
    session = Session()
    session.prompt("Go")
    session.call("toolu_1", "Bash", {"command": "ls", "timeout": "MARK"}, "a")
    lines = [line.replace(b'"MARK"', number.encode()) for line in lines_of(session, tmp_path)]
    transcript = read(written(tmp_path, *lines))
    (call,) = transcript.tool_calls()
    assert (call.command, call.output) == ("ls", "a")
    assert json.loads(dumps(transcript))["output"][1]["tool_calls"][0]["input"]["timeout"] is None


def test_one_odd_field_loses_that_field_alone(read: Read) -> None:
    session = plain_session()
    session.record(0).update(gitBranch=7, cwd=["x"], isSidechain="no", version={})
    session.record(1)["message"]["model"] = 5
    transcript = read(session)
    assert said(transcript) == PLAIN
    assert transcript.source.git_branch == "main"
    assert transcript.source.model == "claude-opus-4-6"
    assert set(transcript.drift) == {
        "unusable field 'cwd'",
        "unusable field 'gitBranch'",
        "unusable field 'isSidechain'",
        "unusable field 'message.model'",
        "unusable field 'version'",
    }


def test_one_odd_block_loses_that_block_alone(read: Read) -> None:
    session = plain_session()
    session.record(1)["message"]["content"] = [5, text("Done."), None, {"type": ["text"]}]
    transcript = read(session)
    assert said(transcript) == PLAIN
    assert transcript.drift


def test_a_huge_record_is_skipped_and_counted(read: Read, tmp_path: Path) -> None:
    one, *others = lines_of(plain_session(), tmp_path)
    path = written(tmp_path, one)
    with path.open("ab") as file:
        file.write(b'{"type":"user","uuid":"x","message":{"content":"')
        for _ in range(65):
            file.write(b"x" * (1 << 20))
        file.write(b'"}}\n')
        file.writelines(others)
    transcript = read(path)
    assert said(transcript) == PLAIN
    assert transcript.output[1].line == 3
    assert transcript.drift == {"oversize record": 1}
